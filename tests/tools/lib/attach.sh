# shellcheck shell=bash disable=SC2154 # $top and $work come from who reads this
# SPDX-License-Identifier: GPL-2.0-or-later
# attach.sh -- functions for tests that attach to a running program (tests/tools/opattach.c in its own directory). Read
# tests/lib.sh first. end_subjects ends the programs when the test ends.

# shellcheck disable=SC2034
opattach=$top/utils/bin/opattach
subjects=()

build_subjects()
{
	"${CC:-gcc}" -O2 -fno-optimize-sibling-calls -DLOADS -pthread -o "$work/subject" "$top/tests/tools/opattach.c" &&
		"${CC:-gcc}" -O2 -shared -fPIC -pthread -o "$work/late.so" "$top/tests/tools/opattach-late.c" &&
		"${CC:-gcc}" -O2 -fno-optimize-sibling-calls -static -pthread -o "$work/static" "$top/tests/tools/opattach.c" &&
		"${CC:-gcc}" -O2 -fno-optimize-sibling-calls -static-pie -pthread -o "$work/static-pie" "$top/tests/tools/opattach.c" &&
		"${CC:-gcc}" -O2 -fno-optimize-sibling-calls -static -pthread -o "$work/linked" "$top/tests/tools/opattach.c" \
			"$top/probe/itimer.o" || fail "cannot build the subjects"
}

# start PROGRAM ARG...: starts a program in the new directory $run. When the function returns, the program $pid
# computes.
start()
{
	run=$(mktemp -d "$work/run.XXXXXX") || fail "no directory"
	(cd "$run" && SUBJECT_OF=$$ exec "$@" >out 2>err) &
	pid=$!
	subjects+=("$pid")
	rounds 2
}

# rounds N: waits until the subject has made N more rounds. Fails when the subject is stopped or has ended.
rounds()
{
	local now before
	local state

	before=$(stat -c %s "$run/ready" 2>/dev/null || echo 0)
	until now=$(stat -c %s "$run/ready" 2>/dev/null) && [ "$now" -ge $((before + $1)) ]; do
		state=$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
		case $state in
		''|Z) fail "the subject has ended: $(cat "$run/out" "$run/err")" ;;
		T) fail "the subject is stopped" ;;
		esac
		sleep 0.02
	done
}

# Prints the first thread's rounds so far, and whether the program's imports are unchanged.
made() { stat -c %s "$run/ready"; }
imports_are() { [ "$(tail -c 1 "$run/ready")" = "$1" ]; }

# until_works PID MS: waits until the process has used MS more milliseconds of CPU time.
until_works()
{
	local before now

	before=$(cut -d' ' -f1 "/proc/$1/schedstat")
	until now=$(cut -d' ' -f1 "/proc/$1/schedstat") && [ $((now - before)) -ge $(($2 * 1000000)) ]; do
		[ -e "/proc/$1" ] || fail "process $1 has ended"
		sleep 0.05
	done
}

# ends: requests the subject to end, and fails unless its state is the same as before the attach.
ends()
{
	local status=0

	echo >"$run/stop"
	wait "$pid" || status=$?
	[ "$status/$(cat "$run/out")" = 3/right ] || fail "${1:-the subject} ended with $status: $(cat "$run/out" "$run/err")"
}

# shellcheck disable=SC2317 # end_test calls it
end_subjects()
{
	local p

	for p in "${subjects[@]}"; do
		kill -9 "$p" 2>/dev/null
	done
}
at_end end_subjects

# samples FILE: prints the number of samples that opreport finds.
samples()
{
	"$top/pp/opreport" "$1" 2>/dev/null | sed -n 's/^Samples taken: \([0-9]*\).*/\1/p'
}

# until_samples FILE N
until_samples()
{
	local n

	until n=$(samples "$1") && [ "${n:-0}" -ge "$2" ]; do
		[ -e "/proc/$pid" ] || fail "the subject has ended: $(cat "$run/out" "$run/err")"
		sleep 0.1
	done
}

# hot_share FILE [PERCENT]: fails unless at least 95 % of the samples are in hot(). (For a timer from outside, less is
# enough: on a busy machine, one sample represents some tens of periods.)
hot_share()
{
	local hot all

	all=$(samples "$1")
	hot=$("$top/pp/opreport" "$1" -l 2>/dev/null | awk '$NF == "hot" { n += $1 } END { print n + 0 }')
	[ "${all:-0}" -gt 0 ] && [ $((hot * 100)) -ge $((all * ${2:-95})) ] ||
		fail "$hot of ${all:-0} samples are in hot(): $("$top/pp/opreport" "$1" -l 2>&1)"
}

# begin_attach: builds the subjects in $work, and changes to this directory.
begin_attach()
{
	unset PCT OPPROBE LD_PRELOAD
	[ "$(uname -m)" = x86_64 ] || { echo "functions are called on x86_64"; exit 77; }
	build_subjects
	cd "$work" || exit
}

# A command through which opattach is run, if any.
through=()

# attaching WAY ARG...: runs opattach with ARGs and fails unless it chooses WAY. The file `told` has its messages.
# $watcher is the pid of opattach, which may still run.
attaching()
{
	local way=$1 gone=

	shift
	: >told
	"${through[@]}" "$opattach" "$pid" --explain "$@" >told 2>&1 &
	watcher=$!
	subjects+=("$watcher")
	until grep -q 'is sampled from' told; do
		[ ! $gone ] || fail "opattach $*: $(cat told)"
		[ -e /proc/$watcher ] || gone=yes
		sleep 0.05
	done
	grep -q "($way)" told || fail "another way than $way: $(cat told)"
}

# attached WAY ARG...: like attaching, but waits until opattach has ended by itself.
attached()
{
	attaching "$@"
	wait $watcher || fail "opattach ended with $?: $(cat told)"
}
# Prints the name of the file that opattach has announced.
file() { sed -n 's/.* in \(.*\)$/\1/p' told | tail -n 1; }
