# SPDX-License-Identifier: GPL-2.0-or-later
# opreport.sh -- functions of the opreport tests: they make a session from text and programs with symbols at known
# addresses, and compare reports with expected text.
#
# $dir is a temporary directory, $samples the samples directory of its session.
# shellcheck shell=bash

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
goes_on=yes
dir=$work
samples=$dir/session/samples/current
mkdir -p "$samples/stats"
export LC_ALL=C
# Neither read nor write the user's cache.
export XDG_CACHE_HOME=$dir/cache DEBUGINFOD_CACHE_PATH=$dir/debuginfod-cache
unset DEBUGINFOD_URLS OPROFILE_CACHE_DIR

if [ ! -x "$top/tests/tools/mksession" ]; then
	make -s -C "$top/tests" tools/mksession >&2 || exit 1
fi

# Adds the sample files described on stdin.
mksession()
{
	"$top/tests/tools/mksession" "$samples" || exit 1
}

forget_session()
{
	rm -rf "$samples"
	mkdir -p "$samples/stats"
}

opreport()
{
	case " $*" in
	*" --ses="* | *" --session-dir="* | *" session-dir:"*) "$top/pp/opreport" "$@" ;;
	*) "$top/pp/opreport" --session-dir="$dir/session" "$@" ;;
	esac
}

# Compares a report and its messages with stdin. In stdin, DIR stands for $dir, and ID for a build-id.
expect()
{
	{ opreport "$@" 2>&1 >"$dir/out"; cat "$dir/out"; } |
		sed -E "s#$dir#DIR#g; s/ *$//; s/(downloads the build) [0-9a-f]{40}$/\1 ID/" >"$dir/got"
	if ! diff -u --label expected --label got - "$dir/got"; then
		fail "^^ opreport $*"
	fi
}

# expect_error TEXT ARG...: fails unless the command fails with the message TEXT.
expect_error()
{
	local text=$1

	shift
	if opreport "$@" >"$dir/out" 2>"$dir/err"; then
		fail "opreport $*: succeeded"
	elif [ -s "$dir/out" ] || ! sed "s#$dir#DIR#g" "$dir/err" | grep -qF -- "$text"; then
		fail "opreport $*: expected '$text', got:"
		cat "$dir/out" "$dir/err"
	fi
}

# A line of stats/totals: this shell is the writer that samples into the session.
living_writer()
{
	sed "s/.*) //" "/proc/$$/stat" | awk -v pid=$$ -v ns="$(stat -Lc %i /proc/self/ns/pid)" '{ print "writer", pid, $20, ns, 0 }'
}

# functions NAME...: prints assembler code with a global function of 16 bytes for each NAME.
functions()
{
	local name

	for name; do
		printf '\t.globl %s\n\t.type %s, @function\n%s:\t.skip 0x10, 0x90\n\t.size %s, . - %s\n' \
			"$name" "$name" "$name" "$name" "$name"
	done
}

# assemble FILE: makes an x86-64 program from assembler on stdin, its code at 0x401000.
assemble()
{
	need as
	[ "$(uname -m)" = x86_64 ] || skip "needs x86_64"
	as -o "$1.o" - && ld -Ttext=0x401000 --build-id=sha1 -o "$1" "$1.o" && rm "$1.o" || exit 1
}

# Prints the file offset of a virtual address.
offset_of()
{
	readelf -lW "$1" | awk -v vma="$2" '
		function hex(s,  i, n) {
			s = tolower(substr(s, 3))
			for (i = 1; i <= length(s); i++)
				n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return n
		}
		$1 == "LOAD" {
			o = hex($2); v = hex($3); size = hex($5); want = hex(vma)
			if (want >= v && want < v + size)
				printf "%x\n", want - v + o
		}'
}
