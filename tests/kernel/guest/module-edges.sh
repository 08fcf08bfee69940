#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The module at its edges, inside a guest: module-edges.sh [NAME=VALUE...] [TEST...], all of them but
# cycles by default. CYCLES, HOTPLUG, STORM: how often or how many seconds.
. /test/guest.sh

while :; do
	case $1 in
	*=*) export "${1?}"; shift ;;
	*) break ;;
	esac
done

fs=/dev/oprofile
reader=

mounted()
{
	modprobe oprofile "$@" && mkdir -p $fs && mount -t oprofilefs nodev $fs ||
		{ echo "cannot load or mount"; exit 1; }
}

unmounted()
{
	umount $fs && rmmod oprofile || fail "cannot unmount or unload"
}

# Whatever else it does, a reader must not see a broken stream or broken books.
read_for()
{
	/test/bufread "$@" >/tmp/out 2>&1 || { fail "bufread $*"; cat /tmp/out; }
}

open_buffer()
{
	exec 3<$fs/buffer || fail "cannot open buffer"
}

close_buffer()
{
	exec 3<&-
}

# The share of /tmp/code-a among the samples of both, in percent; too few say nothing.
share_of_a()
{
	awk '$1 == "samples" && $2 ~ "^/tmp/code-a" { a = $3 } $1 == "samples" && $2 ~ "^/tmp/code-b" { b = $3 }
		END { printf "%.2f", (a + b > 300) ? 100 * a / (a + b) : 75 }' /tmp/out
}

refused()
{
	local want=$1 said
	shift
	said=$("$@" 2>&1) && { fail "should be refused: $*"; return; }
	case $said in
	*"$want"*) ;;
	*) fail "$*: said \"$said\", not \"$want\"" ;;
	esac
}

write()
{
	echo "$1" >"$fs/$2"
}

test_refusals()
{
	mounted
	refused "Invalid argument" write 1 enable
	refused "Invalid argument" write 1 dump
	refused "Invalid argument" write 49999 timer/count
	refused "Invalid argument" write 100000001 timer/count
	refused "Invalid argument" write 1x timer/count
	refused "Invalid argument" write -1 buffer_size
	refused "Invalid argument" write 101 governor_percent
	refused "Invalid argument" write 1 backtrace_depth
	write 50000 timer/count
	write 1000000 timer/count
	[ "$(cat $fs/cpu_type)" = timer ] || fail "cpu_type"
	[ "$(cat $fs/pointer_size)" = 8 ] || fail "pointer_size"

	write 2048 buffer_size
	refused "Invalid argument" cat $fs/buffer	# watershed is larger
	write 1024 buffer_watershed
	open_buffer
	refused "Device or resource busy" cat $fs/buffer
	refused "unavailable" rmmod oprofile
	write 1 enable
	refused "Device or resource busy" write 200000 timer/count
	refused "Device or resource busy" write 200000 buffer_size
	refused "Invalid argument" dd bs=8 count=1 <&3
	[ "$(cat $fs/enable)" = 1 ] || fail "enable does not say 1"
	write 1 enable
	write 0 enable
	write 0 enable
	close_buffer
	refused "Permission denied" su nobody -s /bin/sh -c "cat $fs/cpu_type"
	umount $fs
	mount -t oprofilefs -o mode=0755 nodev $fs
	su nobody -s /bin/sh -c "cat $fs/cpu_type" >/dev/null || fail "mode=0755"
	refused "Operation not permitted" su nobody -s /bin/sh -c "cat $fs/buffer"
	unmounted
}

# 100 times everything, while the machine works and processes come and go.
test_cycles()
{
	local i=0
	/test/shortlived 1000000 3 /test/tiny_a /test/tiny_b >/dev/null 2>&1 & local load=$!
	while [ $i -lt "${CYCLES:-100}" ]; do
		mounted
		write 200000 timer/count
		read_for 0.05
		unmounted
		i=$((i + 1))
	done
	kill $load
	wait $load
}

test_hotplug()
{
	local i=0 cpu1=/sys/devices/system/cpu/cpu1/online
	[ -w $cpu1 ] || return
	mounted
	write 200000 timer/count
	/test/split 1000 >/dev/null & local load=$!
	/test/bufread "${HOTPLUG:-8}" >/tmp/out 2>&1 & reader=$!
	while kill -0 $reader 2>/dev/null; do
		echo 0 >$cpu1
		sleep 0.1
		echo 1 >$cpu1
		sleep 0.1
		i=$((i + 1))
	done
	wait $reader || { fail "bufread"; cat /tmp/out; }
	kill $load
	wait $load
	echo "hotplug: $i times, $(grep ^cpu /tmp/out | tr '\n' ' ')"
	grep -q '^cpu 1' /tmp/out || fail "no samples on CPU 1"
	# opened while a CPU is away
	echo 0 >$cpu1
	read_for 0.3
	echo 1 >$cpu1
	/test/bufread 1 >/tmp/out 2>&1 & reader=$!
	sleep 0.3
	echo 0 >$cpu1
	wait $reader || { fail "bufread"; cat /tmp/out; }
	echo 1 >$cpu1
	unmounted
}

# Many hands on `enable` and `dump` at once, buffers as small as can be.
test_storm()
{
	local i hands=
	rm -f /tmp/enough
	mounted
	write 1024 buffer_size
	write 512 buffer_watershed
	write 64 cpu_buffer_size
	write 50000 timer/count
	/test/shortlived 1000000 3 /test/tiny_a /test/tiny_b >/dev/null 2>&1 & local load=$!
	cat $fs/buffer >/dev/null & reader=$!
	sleep 0.1
	for i in 1 2 3; do
		( until [ -e /tmp/enough ]; do write 1 enable; write 0 enable; done ) 2>/dev/null & hands="$hands $!"
	done
	( until [ -e /tmp/enough ]; do write 1 dump; done ) 2>/dev/null & hands="$hands $!"
	( until [ -e /tmp/enough ]; do cat $fs/stats/* $fs/stats/*/* >/dev/null; done ) 2>/dev/null & hands="$hands $!"
	( until [ -e /tmp/enough ]; do timeout 0.3 cat $fs/buffer >/dev/null; done ) 2>/dev/null & hands="$hands $!"
	sleep "${STORM:-5}"
	kill -9 $reader
	sleep 1
	: >/tmp/enough
	wait $reader $hands 2>/dev/null
	kill $load
	wait $load
	read_for 0.5
	unmounted
}

test_killed_reader()
{
	local i
	mounted
	write 100000 timer/count
	/test/split 1000 >/dev/null & local load=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		/test/bufread 100 >/dev/null 2>&1 & reader=$!
		sleep 0.1
		kill -9 $reader
		wait $reader 2>/dev/null
		[ "$(cat $fs/enable)" = 0 ] || fail "still enabled after the reader's death"
	done
	kill $load
	wait $load
	read_for 0.2
	unmounted
}

# Nobody reads for a while: what is lost is named, and the books still balance.
test_stopped_reader()
{
	mounted
	write 1024 buffer_size
	write 512 buffer_watershed
	write 64 cpu_buffer_size
	write 100000 timer/count
	/test/shortlived 1000000 3 /test/tiny_a /test/tiny_b >/dev/null 2>&1 & local load=$!
	/test/bufread 4 >/tmp/out 2>&1 & reader=$!
	sleep 0.5
	kill -STOP $reader
	sleep 2
	kill -CONT $reader
	wait $reader || { fail "bufread"; cat /tmp/out; }
	kill $load
	wait $load
	tail -n 1 /tmp/out
	# A slow kernel's governor may leave too few samples to lose any.
	awk '$1 == "taken" && $2 > 5000 && !$6 { exit 1 }' /tmp/out || fail "nothing was lost?"
	unmounted
}

# A dump by somebody else waits until the reader has made room.
test_dump()
{
	mounted
	write 1024 buffer_size
	write 0 buffer_watershed
	write 100000 timer/count
	/test/split 1000 >/dev/null & local load=$!
	open_buffer
	write 1 enable
	sleep 1.5
	write 0 enable
	# As many words as there are tell whether dump left anything behind.
	( write 1 dump; : >/tmp/dumped ) & local dumper=$!
	sleep 0.3
	dd bs=65536 count=1 <&3 2>/dev/null | wc -c
	wait $dumper
	[ -e /tmp/dumped ] || fail "dump did not return"
	close_buffer
	kill $load
	wait $load
	unmounted
}

test_small_reads()
{
	mounted
	write 100000 timer/count
	read_for -r 56 1 /test/syscalls 1
	read_for -n -r 4096 1 /test/split 1
	unmounted
}

test_fork_exec_exit()
{
	mounted "$@"
	write 50000 timer/count
	read_for "${STORM:-5}" /test/shortlived 1000000 3 /test/tiny_a /test/tiny_b /test/tiny_c
	tail -n 1 /tmp/out
	read_for "${STORM:-5}" /test/dlloop "${STORM:-5}"
	tail -n 1 /tmp/out
	unmounted
}

test_modules()
{
	mounted
	/test/bufread 100 >/tmp/out 2>&1 & reader=$!
	sleep 0.3
	modprobe kload && sleep 0.3 && rmmod kload && modprobe kload && rmmod kload || fail "kload"
	kill -9 $reader
	wait $reader 2>/dev/null
	read_for 2 sh -c 'modprobe kload; sleep 0.5; rmmod kload'
	grep -q '^modules 2' /tmp/out || { fail "notices"; cat /tmp/out; }
	unmounted
}

# One file's code takes another's place in memory: no sample may go to the one before.
test_remap()
{
	local method got
	mounted "$@"
	write 250000 timer/count
	for method in ${METHODS:-mmap munmap mremap grow mprotect}; do
		read_for 20 sh -c "/test/remap 3 $method >/tmp/remap.out 2>&1"
		got=$(share_of_a)
		echo "remap $method $*: a has $got % of the samples;" \
			"$(grep -o 'user_resolved [0-9]*' /tmp/out), $(tail -n 1 /tmp/out)"
		# Stale addresses would give one of them nearly all.
		awk -v got="$got" 'BEGIN { exit !(got > 68 && got < 82) }' ||
			{ fail "shares"; cat /tmp/out /tmp/remap.out; }
	done
	unmounted
}

test_without_kprobes()
{
	METHODS="mmap grow" test_remap watch_maps=0
	STORM=2 test_fork_exec_exit watch_maps=0
}

test_governor()
{
	mounted
	write 50000 timer/count
	write 1 governor_percent
	/test/bufread 4 /test/split 3 >/tmp/out 2>&1 & reader=$!
	sleep 2
	echo "governor: period_ns $(cat $fs/stats/cpu*/period_ns | tr '\n' ' ')"
	wait $reader || { fail "bufread"; cat /tmp/out; }
	echo "governor: $(grep -o 'governor_throttled.*' /tmp/out)"
	grep -q 'governor_throttled 0' /tmp/out && fail "was not throttled"
	dmesg | grep -q 'oprofile: sampling takes more than' || fail "does not say so"
	unmounted
}

test_idle()
{
	local before after
	mounted
	open_buffer
	write 1 enable
	before=$(cat $fs/stats/sample_received)
	sleep 2
	after=$(cat $fs/stats/sample_received)
	echo "idle: $((after - before)) samples in 2 s, idle_ns $(cat $fs/stats/cpu*/idle_ns | tr '\n' ' ')"
	close_buffer
	unmounted
}

# Everything that a suspend to memory does but for the sleep itself.
test_suspend()
{
	[ -w /sys/power/pm_test ] || { echo "suspend: this kernel has no pm_test"; return; }
	mounted
	write 200000 timer/count
	echo processors >/sys/power/pm_test
	/test/bufread 15 /test/split 14 >/tmp/out 2>&1 & reader=$!
	sleep 1
	echo mem >/sys/power/state || fail "suspend"
	wait $reader || { fail "bufread"; cat /tmp/out; }
	tail -n 1 /tmp/out
	unmounted
}

tests=${*:-refusals hotplug storm killed_reader stopped_reader dump small_reads
	fork_exec_exit modules remap without_kprobes governor idle suspend}
for name in $tests; do
	start=$(cut -d ' ' -f 1 /proc/uptime)
	"test_$name"
	echo "$name: $(cut -d ' ' -f 1 /proc/uptime | awk -v s="$start" '{ printf "%.1f s", $1 - s }')"
done
finish
