# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh -- functions for scripts that run inside a guest: `. /test/guest.sh`
#
# A check prints the numbers it judges, and "FAILED: ..." when they are wrong. The script goes on, so that one run
# shows everything, and ends with `finish`, which returns 1 if a check has failed.

# shellcheck source=tests/tools/lib/share.sh
. /test/share.sh

session=/var/lib/oprofile
samples=$session/samples/current

fail() { echo "FAILED: $*"; failed=1; }
finish() { [ "${failed:-0}" = 0 ] && echo "all checks passed"; exit "${failed:-0}"; }
# must COMMAND...: runs it without a word; if it fails, prints its output and ends the script.
must() {
	"$@" >/tmp/must.out 2>&1 && return
	echo "FAILED: $* (exit status $?)"
	cat /tmp/must.out
	show_log
	exit 1
}

show_log() {
	[ ! -e "$session/samples/oprofiled.log" ] || { echo "--- oprofiled.log"; tail -20 "$session/samples/oprofiled.log"; }
	[ ! -e "$samples/stats/totals" ] || { echo "--- stats/totals"; grep -v ' 0$' "$samples/stats/totals"; }
}

# profile SETUP-OPTION...: starts to profile the whole machine with the module. The governor is off,
# because sampling looks slow to it when a virtual CPU waits for the host.
profile() {
	if [ "${source:-module}" = module ]; then
		must opcontrol --init
		echo 0 >/dev/oprofile/governor_percent
	fi
	must opcontrol --setup "--source=${source:-module}" --no-vmlinux "$@"
	must opcontrol --start
}
shutdown() { must opcontrol --shutdown; }
# waits_too: for tests that write to /dev/oprofile themselves. Samples each wait of 50 us, for any reason, as event 1, and the
# thread that ended it, with the control group of each sample.
waits_too() {
	local file
	for file in io lock sleep poll net pipe fault runqueue stopped child other condition; do
		echo 1 >/dev/oprofile/offcpu/$file || fail "offcpu/$file"
	done
	echo 50000 >/dev/oprofile/offcpu/count
	echo 1 >/dev/oprofile/offcpu/wakers
	echo 1 >/dev/oprofile/cgroups
}
# wake_init: a task that was hit in a system call holds the module until it returns, and on a busy
# machine that may take a while. Process 1 sleeps in wait(): when a child of its ends, it returns.
wake_init() {
	local tries=600
	# while sampling goes on, other tasks will be hit
	[ "$(cat /dev/oprofile/enable 2>/dev/null)" != 1 ] || tries=10
	while [ $tries -gt 0 ] && [ -n "$(cat /dev/oprofile/holders 2>/dev/null)" ]; do
		(true &)
		sleep 0.1
		tries=$((tries - 1))
	done
}
# forget: makes it a machine without the module and without samples again.
forget() {
	wake_init
	must opcontrol --deinit
	rm -rf "$samples"
}

counter() { awk -v name="$1" '$1 == name { n += $2 } END { printf "%.0f\n", n }' "$samples/stats/totals"; }

# taken: prints how many interrupts were taken so far.
taken() {
	[ "${source:-module}" != module ] || { cat /dev/oprofile/stats/sample_received; return; }
	opcontrol --dump >/dev/null 2>&1
	sum_of TAKEN
}

# until_taken N COMMAND...: runs COMMAND again and again until N more interrupts were taken. How
# many there are in a second depends on the host, which may be busy.
until_taken() {
	local first before now n="$1"

	shift
	first=$(taken) now=$first
	while [ $((now - first)) -lt "$n" ]; do
		before=$now
		"$@" || { fail "$*"; return; }
		now=$(taken)
		[ "$now" -gt "$before" ] || { fail "no interrupt is taken while $* runs"; return; }
	done
}

# The kinds of counters come with the source: /test/counters, lines "TAKEN|STORED|LOSS|INFO name".
sum_of() {
	awk -v kind="$1" 'NR == FNR { if ($1 == kind) is[$2] = 1; next }
		$1 in is { n += $2 } END { printf "%.0f\n", n }' /test/counters "$samples/stats/totals"
}
show_losses() {
	awk 'NR == FNR { if ($1 == "LOSS") is[$2] = 1; next } $1 in is && $2 { print "    " $2, $1 }' \
		/test/counters "$samples/stats/totals"
}

# conserved WHAT: fails unless every interrupt taken is in a sample file or in a named loss, to the
# last one.
conserved() {
	local taken stored losses files
	/test/sum-samples "$samples" >/tmp/sums || fail "$1: unsound sample files: $(grep -E '^(BAD|UNFINISHED)' /tmp/sums)"
	files=$(awk '$2 == "total" { print $1 }' /tmp/sums)
	taken=$(sum_of TAKEN)
	# samples of wakers are in files, too
	stored=$(($(sum_of STORED) + $(counter wakers)))
	losses=$(sum_of LOSS)
	echo "$1: taken $taken = in files $files (stored $stored) + losses $losses"
	show_losses
	[ "$taken" -gt 0 ] || fail "$1: no interrupts taken"
	[ "$files" = "$stored" ] || fail "$1: $stored counts stored, but $files are in the files"
	[ "$taken" = "$((files + losses))" ] || fail "$1: $((taken - files - losses)) interrupts unaccounted for"
}

# compare FILE WHAT: fails unless everything is still there that sum-samples once wrote to FILE: no
# count may be less, and no file unreadable, to sum-samples and to opreport. The new sums are in
# /tmp/now.
compare() {
	/test/sum-samples "$samples" >/tmp/now
	[ $? != 1 ] || fail "$2: $(grep '^BAD' /tmp/now)"
	awk 'NR == FNR { if ($1 + 0) now[$2] = $1; next }
		$1 + 0 > now[$2] + 0 { print "  lost from " $2 ": was " $1 ", is " now[$2] + 0; bad = 1 }
		END { exit bad }' /tmp/now "$1" || fail "$2: counts lost"
	opreport --session-dir="$session" --merge=all >/tmp/opreport.out 2>&1 ||
		{ cat /tmp/opreport.out; fail "$2: opreport"; }
}
total() { awk '$2 == "total" { print $1 }' "$1"; }

# report: rows "SAMPLES IMAGE APP SYMBOL" of everything, in /tmp/report.
report() {
	opreport -l -f "$@" >/tmp/opreport.out 2>/tmp/opreport.err || {
		cat /tmp/opreport.out /tmp/opreport.err
		fail "opreport failed"
	}
	# Blanks in names would look like columns.
	sed 's/ (tgid:[^)]*)//g; s/ (deleted)/(deleted)/g' /tmp/opreport.out |
	awk 'rows { image = $3; app = has_app ? $4 : image; print $1, image, app, $NF }
		/^samples / { rows = 1; has_app = /app name/ }' >/tmp/report
	[ -s /tmp/report ] || { cat /tmp/opreport.out /tmp/opreport.err; fail "opreport has no rows"; }
}

# count AWK-CONDITION: samples in rows of the report for which it holds; fields n, image, app, symbol.
count() {
	awk "{ n = \$1; image = \$2; app = \$3; symbol = \$4; if ($1) sum += n } END { printf \"%d\\n\", sum }" /tmp/report
}

# exact_time WHAT: fails unless the time of waits is exactly the time of their samples and of the rest. The period is
# $period ns, or 1 ms. OFFCPU must be the only event.
exact_time() {
	local ns n rest ahead
	ns=$(counter offcpu_ns) rest=$(counter offcpu_rest_ns) ahead=$(counter offcpu_ahead_ns)
	if [ "${source:-module}" = module ]; then n=$(counter sample_received); else n=$(counter perf_taken); fi
	echo "$1: $ns ns = $n periods of ${period:-1000000} ns + $rest - $ahead ns; unfinished $(counter offcpu_unfinished_ns) ns"
	[ "$ns" = "$((n * ${period:-1000000} + rest - ahead))" ] ||
		fail "$1: the time of waits is not the time of samples and of the rest"
	[ "$(counter sample_lost_impossible)" = 0 ] || fail "$1: $(counter sample_lost_impossible) samples have an impossible place"
}

# right_waits FILE: fails unless the samples of each known wait are right within 2 %. A line of FILE is "REASON FUNCTION NS".
right_waits() {
	local n=0 reason place of ns found
	for reason in io lock sleep poll net pipe fault runqueue stopped child other condition; do
		n=$((n + 1))
		while read -r of place ns; do
			[ "$of" = $reason ] || continue
			report event:OFFCPU "unitmask:$n"
			found=$(count "symbol == \"$place\"")
			awk -v reason="$reason" -v place="$place" -v found="$found" -v ns="$ns" 'BEGIN {
				ms = ns / 1e6
				printf "  %-9s %-16s %8.1f ms waited, %6d samples: %+.2f %%\n",
				       reason, place, ms, found, 100 * (found / ms - 1)
				exit found < ms * 0.98 || found > ms * 1.02 }' || fail "samples of $place for $reason"
		done <"$1"
	done
}
