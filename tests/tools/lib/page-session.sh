# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# page-session.sh -- the pages of two sessions with recursion, callbacks, incomplete paths and hostile names. It leaves
# $dir/page.html and $dir/diff.html, $dir/folded and $dir/folded.diff with the same paths, and the names $long and $hostile.
# shellcheck source=tests/tools/lib/opreport.sh
. "$(dirname "${BASH_SOURCE[0]}")/opreport.sh"
need python3
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ "$chromium" ] || skip "chromium is not installed (run ./runtests, or apt-get install it)"

long=$(printf 'a_long_name_%.0s' {1..250})	# 3,000 bytes
hostile='</script><img src=x onerror=alert(1)>'
# local_functions NAME...: as functions, but with local symbols of any name.
local_functions()
{
	local name

	for name; do
		name=${name//\"/\\\"}
		printf '\t.type "%s", @function\n"%s":\t.skip 0x10, 0x90\n\t.size "%s", . - "%s"\n' "$name" "$name" "$name" "$name"
	done
}
{
	echo '	.globl _start'
	local_functions _start main work leaf fact "$hostile" "a\"b'&]]>c%#?=&" 'שלום_עולם' "$long"
} | assemble "$dir/prog"
{
	echo '	.globl _start'
	local_functions _start lib_sort lib_compare
} | assemble "$dir/libx.so"

p=$dir/prog l=$dir/libx.so
# describe COUNT: paths with recursion, direct and through others, callbacks, hostile names, and incomplete paths.
describe()
{
	cat <<-END
	tree app=$p
	 $1 $p+1005 $p+1015 $p+1025 $p+1030
	 20 $p+1005 $p+1015 $p+1026 $p+1031
	 5 $p+1005 $p+1015 $p+1020
	 7 $p+1005 $p+1015 $p+1045 $p+1045 $p+1040
	 11 $p+1005 $p+1018 $l+1015 $p+1045 $p+1035
	 9 $p+1005 $p+1018 $l+1015 $l+1025 $l+1010
	 2 $p+1005 $p+1018 $l+1025 $p+1045 $p+1020 $p+1045
	 30 $p+1005 $p+1055 $p+1065 $p+1050
	 12 $p+1005 $p+1075 $p+1085 $p+1070
	 13 $p+1005 $p+1085
	 4 !3 $l+1015@fp $l+1020
	 1 $p+1005 [folded]
	tree app=/opt/other
	 6 $l+1012
	END
}
for name in old new; do
	samples=$dir/session/samples/$name
	mkdir -p "$samples/stats"
	count=50
	[ $name = new ] || count=250
	describe $count | mksession
	printf 'file app=%s\n 1002 1\n' "$p" | mksession	# its path is folded
done
for form in "folded session:new" "html session:new" "folded { session:old } { session:new }" "html { session:old } { session:new }"; do
	read -r format rest <<<"$form"
	file=$dir/$format$([ "${rest:0:1}" = "{" ] && echo .diff)
	# shellcheck disable=SC2086 # a list of words
	opreport --format="$format" $rest >"$file" 2>"$dir/err" || fail "$form: $(cat "$dir/err")"
done
mv "$dir/html" "$dir/page.html"
mv "$dir/html.diff" "$dir/diff.html"
