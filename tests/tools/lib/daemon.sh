# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# daemon.sh -- functions for tests of oprofiled with recorded streams. Sets top, work (a temporary directory), session
# and samples (in $work).
set -u
# Temporary files are in memory where possible, because these tests wait for the disk again and again.
scratch=/dev/shm
[ -w $scratch ] || scratch=${TMPDIR:-/tmp}
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
export OPROFILE_EVENTS_DIR=$top/events
tools=$top/tests/tools
chmod 755 "$work"
session=$work/session
samples=$session/samples/current
daemon=
make -s -C "$top/tests" tools/mkstream tools/odbdump tools/ctl >&2 || exit

# shellcheck disable=SC2317 # end_test calls it
end_daemon() {
	local pid

	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null
	# A daemon in the background writes its pid to its lock file.
	pid=$(cat "$session/lock" 2>/dev/null)
	[ -z "$pid" ] || [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != oprofiled ] || kill -KILL "$pid"
	wait
	[ "$failed" = 0 ] || tail -n 15 "$session/samples/oprofiled.log" 2>/dev/null
}
at_end end_daemon

oprofiled() { "$top/daemon/oprofiled" --session-dir="$session" "$@"; }

# stream NAME: writes the stream described on stdin (mkstream.c) to $work/NAME.
stream() { "$tools/mkstream" >"$work/$1" || fail "mkstream"; }

# replay NAME OPTION...: runs a daemon on that stream to its end.
replay() {
	local name=$1 status=0

	shift
	oprofiled --replay "$work/$name" --foreground "$@" >"$work/out" 2>&1 || status=$?
	[ "$status" = 0 ] || { cat "$work/out"; fail "oprofiled ended with status $status"; }
}

dump() { "$tools/odbdump" "$samples" || fail "odbdump"; }

# expect TEXT: fails with TEXT unless "$work/got" equals standard input.
expect() {
	diff -u - "$work/got" || fail "$1"
}

ctl() { "$tools/ctl" "$session" "$@"; }

sum_files() { "$tools/odbdump" --sum "$samples"; }

# shellcheck source=tests/tools/lib/burn.sh
. "$top/tests/tools/lib/burn.sh"
# shellcheck source=tests/tools/lib/accounting.sh
. "$top/tests/tools/lib/accounting.sh"

# mark_killed: leaves the session's totals as a daemon leaves them that is killed during sampling.
mark_killed() {
	local text

	text=$(grep -v '^check ' "$samples/stats/totals")
	printf 'writer 1 1 1 1\n%s\n' "$text" >"$samples/stats/totals"
}

# Waits until a process has ended.
wait_gone() {
	while kill -0 "$1" 2>/dev/null; do
		sleep 0.05
	done
}
