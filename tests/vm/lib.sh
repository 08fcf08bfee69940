# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# lib.sh -- what the scripts of this folder share: names, places, messages.
#
# Everything made or fetched lives in one cache folder, which may be deleted at any time:
#   apt-arm64/           our own package lists for arm64; the machine's configuration stays as it is
#   apt-newest/          the same for newer kernels than this Debian's
#   debs/                packages as downloaded
#   kernels/ARCH-KERNEL/ one unpacked kernel:  release  vmlinuz  vmlinux  modules/  headers/  build (KDIR)
#   sysroot-aarch64/     libraries and headers to cross-build against
#   perf-ARCH/           the perf tool unpacked
#   roots/               roots of Debian as archives, in which packages are installed
#   build/SOURCE/        what tests/vm/build made of one source tree

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
vm_top=$(cd "$vm_dir/../.." && pwd)
vm_cache=${XDG_CACHE_HOME:-$HOME/.cache}/oprofile-tests
vm_name=$(basename "$0")

say()  { printf '%s: %s\n' "$vm_name" "$*" >&2; }
die()  { say "$*"; exit 1; }

# vm_guest_part FILE: prints the script that a guest runs: all of FILE, or in a test of this machine (#!/bin/bash) the
# part that follows the line "exit", from the line "#!/bin/sh" on.
vm_guest_part() {
	awk 'NR == 1 ? !/^#!\/bin\/bash$/ : /^#!\/bin\/sh$/ && last == "exit" { guest = 1 } /./ { last = $0 } guest' "$1"
}

# Rows of the list tests/kernels: "SUITE VERSION ARCH FLAVOUR COMPILER GUEST". The name of a row is SUITE-VERSION-FLAVOUR.
vm_rows() { grep -v '^#' "$vm_top/tests/kernels" | awk 'NF { $1 = $1; print }'; }

# vm_row NAME: print the row, or return 1.
vm_row() { vm_rows | awk -v name="$1" '$1 "-" $2 "-" $4 == name { print; found = 1 } END { exit !found }'; }

# vm_arch_of ARCH: Debian's name of an architecture -> the kernel's.
vm_arch_of() { case $1 in amd64) echo x86_64 ;; arm64) echo aarch64 ;; *) return 1 ;; esac; }

# vm_known_kernel ARCH KERNEL: whether the list has this kernel for the architecture, as a row or as a guest of tests.
vm_known_kernel() {
	local arch
	[ "$1-$2" != x86_64-debug ] || return 0
	case $1 in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; esac
	vm_rows | awk -v arch="$arch" -v kernel="$2" '$3 == arch && ($6 == kernel || $1 "-" $2 "-" $4 == kernel) { found = 1 }
		END { exit !found }'
}

# vm_guests: print the guests of tests, ARCH-KERNEL, such as x86_64-6.1.
vm_guests() {
	vm_rows | while read -r _ _ arch _ _ guest; do
		[ "$guest" = - ] || printf '%s-%s\n' "$(vm_arch_of "$arch")" "$guest"
	done
}

vm_kernel_dir() { printf '%s/kernels/%s-%s\n' "$vm_cache" "$1" "$2"; }

# vm_boot_file ARCH KERNEL [kaslr]: what QEMU is to start. On x86 a kernel unpacks itself first, which in
# QEMU takes longer than all the rest of a boot; so here it is unpacked once, on this machine. Without
# its own loader it stays at the address it was linked for: kaslr asks for the packed one.
vm_boot_file() {
	local dir offset unpack
	dir=$(vm_kernel_dir "$1" "$2")
	if [ "$1" = x86_64 ] && [ "$2" != debug ] && [ -z "${3-}" ] && [ ! "$dir/vmlinux" -nt "$dir/vmlinuz" ]; then
		for unpack in 'xz \xfd7zXZ\x00' 'zstd \x28\xb5\x2f\xfd'; do
			offset=$(LC_ALL=C grep -obUaP -m1 "${unpack#* }" "$dir/vmlinuz" | LC_ALL=C sed -n '1s/:.*//p') || true
			[ "$offset" ] || continue
			# More data follows the compressed kernel, so the unpacker's error at the
			# end is expected.
			tail -c "+$((offset + 1))" "$dir/vmlinuz" | "${unpack%% *}" -dc >"$dir/vmlinux.$$" 2>/dev/null || true
			# QEMU starts an unpacked kernel at the entry point that this note names.
			LC_ALL=C readelf -n "$dir/vmlinux.$$" 2>/dev/null | grep -q '^ *Xen .*0x00000012' &&
				mv "$dir/vmlinux.$$" "$dir/vmlinux"
			rm -f "$dir/vmlinux.$$"
		done
	fi
	[ -n "${3-}" ] || [ ! -e "$dir/vmlinux" ] || { printf '%s/vmlinux\n' "$dir"; return; }
	printf '%s/vmlinuz\n' "$dir"
}

# What an x86 guest's time stamp counter counts in a second, in kHz: QEMU hands this machine's through.
# A guest that measures it itself while others keep this machine busy may be wrong by several times,
# and all its clocks with it. Nothing is printed where it cannot be known.
vm_tsc_khz() {
	local cached
	[ "$(uname -m)" = x86_64 ] || return 0
	cached=$vm_cache/tsc-khz-$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -s "$cached" ]; then
		rm -f "$vm_cache"/tsc-khz-*
		cc -O2 -o "$cached.$$.bin" "$vm_dir/tsc_khz.c" 2>/dev/null && "$cached.$$.bin" >"$cached.$$" &&
			mv "$cached.$$" "$cached"
		rm -f "$cached.$$" "$cached.$$.bin"
	fi
	cat "$cached" 2>/dev/null || true
}

# Where the builds of this source tree go.
vm_build_dir() {
	local id
	id=$(printf '%s' "$vm_top" | sha256sum)
	printf '%s/build/%s\n' "$vm_cache" "${id:0:12}"
}

vm_check_arch() {
	case $1 in
	x86_64|aarch64) ;;
	*) die "--arch $1: known are x86_64 and aarch64" ;;
	esac
}

# vm_put_perf ARCH ROOT: copies the perf tool and its libraries into ROOT, for a guest. Status 77: perf is not
# installed.
vm_put_perf() {
	local lib=usr/lib/$1-linux-gnu from=$vm_cache/perf-$1 perf library
	mkdir -p "$2/usr/bin" "$2/$lib"
	if [ "$1" = "$(uname -m)" ]; then
		perf=$(command -v perf) || skip "perf is not installed (package linux-perf)"
		cp -L "$perf" "$2/usr/bin/perf"
		ldd "$perf" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | while read -r library; do
			cp -L "$library" "$2/$lib/"
		done
		return
	fi
	"$vm_dir/fetch" "perf-$1" || return
	cp -L "$from/usr/bin/perf" "$2/usr/bin/perf"
	for library in "$from/$lib"/*.so.* "$from/lib/$1-linux-gnu"/*.so.*; do
		[ ! -e "$library" ] || cp -L "$library" "$2/$lib/"
	done
}

# vm_lock NAME: the rest of the script runs alone, whatever other scripts use the same cache.
vm_lock() {
	mkdir -p "$vm_cache/locks"
	exec 9>"$vm_cache/locks/$1"
	flock 9
}
