# shellcheck shell=bash disable=SC2034 # the tests use the variables
# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh -- variables and functions of all script tests on this machine. A test reads it first:
#
#	# shellcheck source=tests/lib.sh
#	. "$(dirname "$0")/../lib.sh"
#
# $top is the top of the tree, $here the folder of the test, and $work an empty directory, which is removed when the
# test ends. A test may set $scratch before to choose where $work is made.

! declare -F at_end >/dev/null || return 0	# a library of tests/tools/lib has read it

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${scratch:-${TMPDIR:-/tmp}}/oprofile-test.XXXXXX") && work=$(realpath "$work") || exit
readonly test_directory=$work	# a test may use the name work for something else

# The status that `finish` returns, and whether the test goes on after a failure (empty: the failure ends it).
failed=0
goes_on=
end_functions=()

# fail TEXT: reports a failure. The test ends here with status 1; where $goes_on is set, `finish` ends it.
fail() {
	echo "FAILED: $*"
	failed=1
	[ "$goes_on" ] || exit 1
}

# finish: ends a test that goes on after failures.
finish() { exit "$failed"; }

# skip REASON: ends a test that cannot run here.
skip() {
	printf '%s\n' "$*"
	exit 77
}

# need PROGRAM...: skips the test unless all of the programs are installed.
need() {
	local program

	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed (run ./runtests, or apt-get install it)"
	done
}

# need_perf_events: skips the test unless perf_event_open() works here.
need_perf_events() {
	"$top/utils/bin/op-check-perfevents" || skip "perf_events cannot be used: $("$top/utils/bin/op-check-perfevents" -v 2>&1)"
}

# at_end FUNCTION: calls FUNCTION when the test ends, before $work is removed. The last one registered runs first.
at_end() { end_functions=("$1" "${end_functions[@]}"); }

# shellcheck disable=SC2317 # a trap calls it
end_test() {
	local function

	for function in "${end_functions[@]}"; do
		"$function"
	done
	rm -rf "$test_directory"
}
trap end_test EXIT
