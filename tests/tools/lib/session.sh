# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# session.sh -- for tests that profile this machine: a private session directory with its settings and its daemon, which
# ends with the test in any case. Sets top, dir (the session directory) and tmp (a temporary directory), and provides
# opcontrol, opreport, fail, skip.

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
tmp=$work
export OPROFILE_EVENTS_DIR=$top/events
chmod 755 "$tmp"
export OPROFILE_CACHE_DIR=$tmp/cache	# nothing of this user's
dir="$tmp/session dir"	# a space: nothing may stumble over it
mkdir "$dir"
# opcontrol remembers the session directory from the beginning. Otherwise commands without --session-dir would use the
# machine's own daemon.
printf 'SESSION_DIR="%s"\n' "$dir" >"$tmp/daemonrc"

opcontrol()
{
	"$top/utils/bin/opcontrol" --config="$tmp/daemonrc" "$@"
}

opreport()
{
	"$top/pp/opreport" --session-dir="$dir" "$@"
}

# Prints the pid of this session's daemon, or nothing when there is no daemon.
daemon_pid()
{
	local pid

	pid=$(cat "$dir/lock" 2>/dev/null) && [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null &&
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = oprofiled ] && echo "$pid"
}

# wait_gone PID: waits until the process has ended and its parent has reaped it.
wait_gone()
{
	while kill -0 "$1" 2>/dev/null; do
		sleep 0.05
	done
}

# shellcheck source=tests/tools/lib/burn.sh
. "$top/tests/tools/lib/burn.sh"

# says TEXT PATTERN: fails unless TEXT matches the extended regular expression.
says()
{
	grep -qE -- "$2" <<<"$1" || fail "no '$2' in: $1"
}

# shellcheck disable=SC2317 # end_test calls it
end_session()
{
	local pid

	for pid in $(jobs -p) $(daemon_pid); do
		kill -KILL "$pid" 2>/dev/null
	done
}
at_end end_session
trap 'exit 130' INT TERM HUP

needs_root()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# Skips the test if perf_events cannot sample the whole machine.
needs_perf()
{
	needs_root
	[ -e /proc/sys/kernel/perf_event_paranoid ] || skip "this kernel has no perf_events"
}
