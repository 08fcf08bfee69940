# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# secure-boot.sh -- for tests/vm/run: starts a guest as a machine with Secure Boot does: OVMF with Microsoft's keys, shim,
# Debian's signed GRUB and signed kernel, from a disk of FAT.

# vm_secure_boot DIR WORDS: set $machine and $start. DIR/vars.fd has the variables of UEFI, and is made by the first boot.
vm_secure_boot()
{
	local dir=$1 from=$vm_cache/secure-boot guest_disk=$disk esp=$work/esp file name
	local mtools=$from/usr/bin

	"$vm_dir/fetch" secure-boot || exit
	mkdir -p "$dir"
	[ -e "$dir/vars.fd" ] || cp "$from/usr/share/OVMF/OVMF_VARS_4M.ms.fd" "$dir/vars.fd"
	printf '%s\n' 'set timeout=0' 'menuentry guest {' "linux /vmlinuz $2" 'initrd /initrd' '}' >"$work/grub.cfg"
	truncate -s $(($(stat -c %s "$work/initrd") + (64 << 20))) "$esp"
	export MTOOLS_SKIP_CHECK=1
	"$mtools/mformat" -i "$esp" -F :: && "$mtools/mmd" -i "$esp" ::EFI ::EFI/BOOT ::EFI/debian
	while read -r file name; do
		"$mtools/mcopy" -i "$esp" "$file" "::$name"
	done <<-END
		$from/usr/lib/shim/shimx64.efi.signed EFI/BOOT/BOOTX64.EFI
		$from/usr/lib/shim/mmx64.efi.signed EFI/BOOT/mmx64.efi
		$from/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed EFI/BOOT/grubx64.efi
		$work/grub.cfg EFI/debian/grub.cfg
		$(vm_kernel_dir "$arch" "$kernel")/vmlinuz vmlinuz
		$work/initrd initrd
	END
	machine=(-M "q35,smm=on" -cpu "$cpu" -chardev "stdio,id=out,signal=off"
		-chardev "socket,id=console,path=$work/console,server=on,wait=off,logfile=$log" -serial "chardev:console"
		-serial "chardev:out" -accel "tcg,thread=$thread" -global "driver=cfi.pflash01,property=secure,value=on"
		-drive "if=pflash,format=raw,unit=0,file=$from/usr/share/OVMF/OVMF_CODE_4M.secboot.fd,readonly=on"
		-drive "if=pflash,format=raw,unit=1,file=$dir/vars.fd")
	[ -z "$guest_disk" ] || machine+=(-drive "file=$guest_disk,format=raw,if=virtio,cache=unsafe")
	# The menus of shim end with a restart.
	start=(-drive "file=$esp,format=raw,if=none,id=esp" -device "ide-hd,drive=esp,bootindex=0")
}
