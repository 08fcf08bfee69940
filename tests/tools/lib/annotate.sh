# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# annotate.sh -- functions for the tests of opannotate and opgprof, in addition to those of opreport's tests.
# shellcheck source=tests/tools/lib/opreport.sh
. "$(dirname "${BASH_SOURCE[0]}")/opreport.sh"

annotate()
{
	"$top/pp/opannotate" --session-dir="$dir/session" "$@"
}

# Compares annotated output, without the header comment, and messages before it, with stdin. $dir is
# written DIR there.
expect_annotated()
{
	{
		annotate "$@" 2>&1 >"$dir/out"
		awk 'header { if (/^ \*\/$/) header = 0; next } NR == 1 && /^\/\*/ { header = 1; next } 1' "$dir/out"
	} | sed "s#$dir#DIR#g; s/ *$//" >"$dir/got"
	if ! diff -u --label expected --label got - "$dir/got"; then
		fail "^^ opannotate $*"
	fi
}

# refused TOOL TEXT ARG...: fails unless the tool fails with TEXT and prints no output.
refused()
{
	local tool=$1 text=$2

	shift 2
	if "$top/pp/$tool" --session-dir="$dir/session" "$@" >"$dir/out" 2>"$dir/err"; then
		fail "$tool $*: succeeded"
	elif [ -s "$dir/out" ] || ! sed "s#$dir#DIR#g" "$dir/err" | grep -qF -- "$text"; then
		fail "$tool $*: expected '$text', got:"
		cat "$dir/out" "$dir/err"
	fi
}

# said TEXT: fails unless TEXT is in $dir/err.
said()
{
	sed "s#$dir#DIR#g" "$dir/err" | grep -qF -- "$1" || {
		fail "expected the message '$1', got:"
		cat "$dir/err"
	}
}

# offset_of_line BINARY SOURCE LINE [N]: prints the file offset of the first instruction of a line (of the N-th place).
offset_of_line()
{
	local vma

	vma=$(readelf --debug-dump=decodedline "$1" 2>/dev/null | awk -v f="${2##*/}" -v l="$3" -v n="${4:-1}" \
		'$1 == f && $2 == l && $3 ~ /^0x/ { a = $3 } $1 == f && $2 == l && $3 ~ /^0x/ && !(a in seen) {
			seen[a] = 1; if (++i == n) { print a; exit } }')
	[ -n "$vma" ] || { echo "no code for $2:$3 in $1" >&2; return 1; }
	offset_of "$1" "$vma"
}

# Prints the file offset of a symbol, or of a byte in it.
offset_of_symbol()
{
	local vma

	vma=$(nm "$1" | awk -v s="$2" '$3 == s { print $1; exit }')
	[ -n "$vma" ] || { echo "no symbol $2 in $1" >&2; return 1; }
	offset_of "$1" "$(printf '0x%x' $((0x$vma + ${3:-0})))"
}
