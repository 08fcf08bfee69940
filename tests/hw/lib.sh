# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh -- functions that measure and silicon share: events, samples, registers, and results.
# shellcheck shell=sh disable=SC3043,SC2154,SC2034 # every sh there is has local; $tools is given; failed is read
fs=/dev/oprofile

# shellcheck source=tests/hw/judge.sh
. "${0%/*}/judge.sh"
say() { echo "  $*"; }
fail() { echo "  FAILED: $*"; failed=1; }

mkdir -p $fs
mount -t oprofilefs nodev $fs || exit 1
# Otherwise the kernel lowers perf's sampling rate when sampling seems to take too long.
perf_limit=/proc/sys/kernel/perf_cpu_time_max_percent
limit=$(cat $perf_limit)
echo 0 >$perf_limit
end_lib() { echo "$limit" >$perf_limit; umount $fs; }
trap end_lib EXIT

# Code and unit mask of the two events.
case $(uname -m)-$(sed -n 's/^vendor_id[^:]*: //p' /proc/cpuinfo | head -n 1) in
x86_64-GenuineIntel) cycles="0x3c 0" instructions="0xc0 0" ;;
x86_64-*) cycles="0x76 0" instructions="0xc0 0" ;;
*) cycles="0x11 0" instructions="${instructions:-0x08 0}" ;;
esac

# event N "CODE MASK" COUNT COUNTER GROUP KERNEL USER
event()
{
	echo "${2% *}" >$fs/"$1"/event && echo "${2#* }" >$fs/"$1"/unit_mask && echo "$3" >$fs/"$1"/count &&
	echo "${4:-255}" >$fs/"$1"/counter && echo "${5:-0}" >$fs/"$1"/group &&
	echo "${6:-1}" >$fs/"$1"/kernel && echo "${7:-1}" >$fs/"$1"/user && echo 1 >$fs/"$1"/enabled
}
no_events()
{
	local n
	for n in $fs/[0-9]*; do echo 0 >"$n/enabled"; done
	for n in $fs/ibs_*/enable; do [ ! -e "$n" ] || echo 0 >"$n"; done
}

# sample ARGS-OF-BUFREAD: takes samples; returns false if opening `buffer` fails.
sample()
{
	"$tools/bufread" "$@" >/tmp/hw.out 2>&1 && return
	fail "bufread $*: $(tail -n 1 /tmp/hw.out); $(cat $fs/backend_why)"
	return 1
}
of_event() { awk -v n="$1" '$1 == "event" && $2 == n { print $3 }' /tmp/hw.out | grep . || echo 0; }
of_file() { awk -v file="$1" '$1 == "samples" && $2 ~ file { n += $3 } END { print n + 0 }' /tmp/hw.out; }
taken() { awk '$1 == "taken" { print $2 }' /tmp/hw.out; }

# register NUMBER: prints the contents of a register of CPU 0, if it can be read.
register() { dd if=/dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes skip="$(($1))" 2>/dev/null | od -An -tx8; }
registers()
{
	local msr
	[ -r /dev/cpu/0/msr ] || modprobe msr 2>/dev/null
	[ -r /dev/cpu/0/msr ] || { echo unknown; return; }
	for msr in 0x186 0x187 0xc1 0xc2 0x309 0x30a 0x38d 0x38f \
		0xc0010000 0xc0010004 0xc0010200 0xc0010201 0xc0010202 0xc0010203 0xc0000301 0xc0011030 0xc0011033; do
		echo "$msr$(register $msr)"
	done
}

# Number of PMIs and NMIs that the kernel has counted, and its messages about unknown NMIs.
interrupts() { awk '/^ *(PMI|NMI):/ { for (i = 2; i <= NF && $i + 0 == $i; i++) n += $i } END { print n + 0 }' /proc/interrupts; }
complaints() { dmesg | grep -cE 'NMI received for unknown|Dazed and confused|unchecked MSR'; }
