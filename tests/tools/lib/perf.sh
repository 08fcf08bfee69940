# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# perf.sh -- functions for tests that profile this machine through perf_events.
#
# A check prints the numbers that it judges, and "FAILED: ..." if they are wrong. The test continues, and `finish` ends
# it with the common status of all checks.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
goes_on=yes
export OPROFILE_EVENTS_DIR=$top/events
export OPROFILE_CACHE_DIR=$work/cache	# nothing of this user's
session=$work/session
samples=$session/samples/current
daemon=
export OPROFILE_CONFIG=$work/daemonrc	# opcontrol remembers there, not in this user's home

# shellcheck disable=SC2317 # end_test calls it
end_daemon() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null
	wait
}
at_end end_daemon

finish() {
	if [ "$failed" != 0 ]; then
		echo "--- oprofiled"
		tail -n 20 "$work/daemon.out" "$session/samples/oprofiled.log" 2>/dev/null
		grep -v ' 0$' "$samples/stats/totals" 2>/dev/null
	fi
	exit "$failed"
}

subjects() {
	make -s -C "$top/tests/subject" OUT="$work/subject" >"$work/make.out" 2>&1 ||
		{ cat "$work/make.out"; echo "the test subjects do not build"; exit 1; }
}

# start_daemon OPTION...: returns when the daemon samples. Skips the test if perf_events is refused.
start_daemon() {
	"$top/daemon/oprofiled" --session-dir="$session" --source=perf --foreground "$@" \
		>"$work/daemon.out" 2>&1 &
	daemon=$!
	until [ -S "$session/control" ] || ! kill -0 "$daemon" 2>/dev/null; do
		sleep 0.1
	done
	if ! kill -0 "$daemon" 2>/dev/null || ! [ -S "$session/control" ]; then
		cat "$work/daemon.out"
		if grep -qE 'perf_event' "$work/daemon.out"; then
			echo "perf_event_open is refused here: $(tail -1 "$work/daemon.out")"
			exit 77
		fi
		echo "the daemon did not start"
		exit 1
	fi
	control start
}

# control VERB...: runs opcontrol for this daemon.
control() {
	"$top/utils/bin/opcontrol" --session-dir="$session" "--$1" >"$work/control.out" 2>&1 ||
		{ cat "$work/control.out"; fail "opcontrol --$1"; }
}

stop_daemon() {
	kill -TERM "$daemon"
	wait "$daemon" || fail "the daemon ended with status $?"
	daemon=
}

sum_files() {
	"$work/subject/sum-samples" "$samples" >"$work/sums" || { grep BAD "$work/sums"; return 1; }
	awk '$2 == "total" { print $1 }' "$work/sums"
}

# shellcheck source=tests/tools/lib/share.sh
. "$top/tests/tools/lib/share.sh"
# shellcheck source=tests/tools/lib/burn.sh
. "$top/tests/tools/lib/burn.sh"
# shellcheck source=tests/tools/lib/accounting.sh
. "$top/tests/tools/lib/accounting.sh"

# report: writes rows "SAMPLES IMAGE APP SYMBOL" to $work/report.
report() {
	"$top/pp/opreport" --session-dir="$session" -l -f "$@" >"$work/opreport.out" 2>"$work/opreport.err" ||
		{ cat "$work/opreport.err"; fail "opreport"; }
	# Blanks in names would look like columns.
	sed 's/ (tgid:[^)]*)//g; s/ (deleted)/(deleted)/g' "$work/opreport.out" |
		awk 'rows { image = $3; app = has_app ? $4 : image; print $1, image, app, $NF }
			/^samples / { rows = 1; has_app = /app name/ }' >"$work/report"
	[ -s "$work/report" ] || { cat "$work/opreport.out" "$work/opreport.err"; fail "opreport has no rows"; }
}

# rows AWK-CONDITION: prints the rows of the report for which the condition is true; its variables are n, image, app,
# symbol. count AWK-CONDITION: prints the sum of their samples.
rows() {
	awk "{ n = \$1; image = \$2; app = \$3; symbol = \$4 } $1" "$work/report"
}
count() { rows "$1" | awk '{ sum += $1 } END { printf "%d\n", sum }'; }
