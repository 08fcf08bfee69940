# SPDX-License-Identifier: GPL-2.0-or-later
# against.sh -- a test of each counter on real hardware: it counts the same as perf for one program, within 2 %, for any
# load of the CPU, and for any load of the core's other thread.
# shellcheck shell=sh disable=SC3043,SC2154 # every sh there is has local; silicon has the rest
devices=/sys/bus/event_source/devices
smt=/sys/devices/system/cpu/smt/control
smt_was=$(cat $smt 2>/dev/null)
restore_threads() { [ "$smt_was" != on ] || [ "$(cat $smt)" = on ] || echo on >$smt; }

# Prints the first CPU of each kind of core.
one_of_each_kind()
{
	cat $devices/cpu_core/cpus $devices/cpu_atom/cpus 2>/dev/null | sed 's/[-,].*//' | grep . || echo 0
}

# Compares samples times count with perf's count of the same program, both in user mode only. The program is bound to
# $CPU. $every: the count.
against_perf() # WHAT CODE MASK COUNTERS COMMAND...
{
	local what=$1 code=$2 mask=$3 counters=$4 count=${every:-100003} counter expected
	shift 4
	expected=$(perf stat -x, -e "r$(printf '%x' $((mask << 8 | code))):u" "$@" 2>&1 >/dev/null |
		awk -F, '$1 + 0 > 0 { print $1; exit }')
	[ "$expected" ] || { say "$what: perf does not count it on CPU $CPU"; return; }
	for counter in $counters; do
		no_events
		event 0 "$((code)) $((mask))" "$count" "$counter" 0 0 1 || return
		if ! ( : <$fs/buffer ) 2>/dev/null || grep -q "event 0 is not counted on CPU $CPU\b" $fs/backend_why; then
			say "$what on counter $counter: refused: $(cat $fs/backend_why)"
			continue
		fi
		sample 60 "$@" || continue
		near "$what on counter $counter" "$(($(of_file "/${1##*/}") * count))" "$expected" 2
	done
}

each_counter()
{
	set -- "$tools/bench-load" compute 400000000
	if grep -q GenuineIntel /proc/cpuinfo; then
		against_perf instructions $instructions "0 1 2 3 4 5 6 7 32" "$@"
		against_perf cycles $cycles "0 1 2 3 4 5 6 7 33" "$@"
		against_perf "bus cycles" 0x3c 1 "0 1 2 3" "$@"
		against_perf loads 0xd1 1 "0 1 2 3" "$tools/x86-load" loads 100000000
	else
		against_perf instructions $instructions "0 1 2 3 4 5" "$@"
		against_perf cycles $cycles "0 1 2 3 4 5" "$@"
	fi
}

# An NMI aborts a transaction. The abort undoes the transaction, but not its counts. If the CPU reserves counter 3 for
# transactions, the module must refuse the counter: microcode uses it, and its counts would appear as samples.
transactions()
{
	local features
	features=" $("$tools/x86-load" features) "
	case $features in
	*" rtm "*) ;;
	*) say "transactions: not tried (this CPU has no RTM)"; return ;;
	esac
	set -- "$tools/x86-load" rtm 2000000
	against_perf "instructions, transactions" $instructions "0 1 2" "$@"
	against_perf "cycles, transactions" $cycles "0 1 2" "$@"
	every=1009
	against_perf "transactions begun" 0xc9 1 "0 1 2" "$@"
	every=
	case $features in
	*" force-abort "*)
		no_events
		event 0 "$instructions" 100003 3 || return
		if ( : <$fs/buffer ) 2>/dev/null; then
			fail "counter 3 is given out, which transactions spoil"
		else
			say "counter 3, which transactions spoil, is refused"
		fi ;;
	*) against_perf "instructions, transactions" $instructions 3 "$@" ;;
	esac
}

# The widest instructions lower the clock rate, and the core stops briefly when the rate changes: this must neither lose
# nor add counts.
vectors()
{
	case " $("$tools/x86-load" features) " in
	*" avx "*) ;;
	*) say "wide vectors: not tried (this CPU has no AVX2 with FMA)"; return ;;
	esac
	set -- "$tools/x86-load" avx 100000000
	against_perf "instructions, wide vectors" $instructions "0 1 2 3" "$@"
	against_perf "cycles, wide vectors" $cycles "0 1 2 3" "$@"
}

# Sandy Bridge to Haswell: the load counters of a thread may count the loads of the other thread (doc/x86-counters.md).
is_leaky()
{
	awk -F: '/^cpu family/ { family = $2 + 0 } /^model\t/ { model = $2 + 0 }
		END { exit !(family == 6 && index(" 42 45 58 60 62 63 69 70 ", " " model " ")) }' /proc/cpuinfo &&
		grep -q GenuineIntel /proc/cpuinfo
}

beside_thread() # WHAT THE OTHER THREAD DOES
{
	set -- "$1" "$tools/x86-load" loads 200000000
	against_perf "instructions, other thread $1" $instructions "0 1 2 3" "$2" "$3" "$4"
	against_perf "cycles, other thread $1" $cycles "0 1 2 3" "$2" "$3" "$4"
	grep -q GenuineIntel /proc/cpuinfo || return
	if [ "$1" = busy ] && is_leaky; then
		say "loads, other thread busy: not judged, this CPU may count both threads'"
	else
		against_perf "loads, other thread $1" 0xd1 1 "0 1 2 3" "$2" "$3" "$4"
	fi
}

# The counters of a thread must count the same whether its sibling thread is idle, runs only the counted program, or is
# off. Here the kernel switches the sibling off. If the firmware does so, each thread may have twice as many counters,
# which only a run on such a machine shows.
threads()
{
	local other
	other=$(tr ',-' '\n\n' <"/sys/devices/system/cpu/cpu$CPU/topology/thread_siblings_list" 2>/dev/null |
		grep -vx "$CPU" | head -n 1)
	[ "$other" ] || { say "hyperthreading: not tried (CPU $CPU has a core of its own)"; return; }
	beside_thread idle
	# The program gets another name, because the report separates samples by the name of the program.
	cp "$tools/x86-load" "$tools/other-thread" || return
	beside env CPU="$other" "$tools/other-thread" loads 1000000000000
	beside_thread busy
	end_loads
	if [ "$smt_was" = on ] && echo off >$smt; then
		beside_thread off
		restore_threads
	else
		say "hyperthreading off: not tried (the kernel does not switch it)"
	fi
}

test_each_counter()
{
	local kind
	command -v perf >/dev/null || { say "each counter against perf: not tried (no perf)"; return; }
	for kind in $(one_of_each_kind); do
		export CPU="$kind"
		say "each counter against perf, CPU $CPU"
		each_counter
		transactions
		vectors
		threads
	done
	unset CPU
}
