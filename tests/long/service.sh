# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# service.sh -- for the tests of the service under systemd: builds packages and a disk of Debian, and boots guests
# with the disk, which run tests/long/service.guest. The environment may name directories with packages instead of
# building: OPROFILE_DIST (tested), OPROFILE_DIST_OLD (upgraded from; default: those that are tested).
#
# A test sets $suite and $kernel (of tests/vm/run), and calls service_test or secure_boot_test.

# Build the packages of the last commit into $work/dist, in a root of the suite where this machine's Debian is another.
service_packages() {
	local tree=$work/build/tree

	dist=${OPROFILE_DIST-}
	[ -z "$dist" ] || return 0
	dist=$work/dist
	# shellcheck disable=SC1091
	if [ "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" = "$suite" ]; then
		"$top/package" -n --no-lintian -o "$dist" >"$work/log" 2>&1 </dev/null || fail "$(tail -n 30 "$work/log")"
		return
	fi
	"$top/tests/vm/fetch" "build-$suite" >"$work/log" 2>&1 || skip "no root of $suite: $(tail -n 1 "$work/log")"
	mkdir -p "$dist" "$work/build"
	tar -xpf "$("$top/tests/vm/fetch" --print "build-$suite")" -C "$work/build" --exclude='./dev/*' || fail "tar"
	mkdir -p "$tree"
	git -C "$top" archive HEAD | tar -x -C "$tree" || fail "git archive"
	unshare --mount --net --pid --fork --kill-child --mount-proc="$work/build/proc" \
		chroot "$work/build" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		sh -c 'mknod -m 666 /dev/null c 1 3; mknod -m 666 /dev/zero c 1 5; mknod -m 666 /dev/urandom c 1 9
			ln -s /proc/self/fd /dev/fd
			cd /tree && DEB_BUILD_OPTIONS="parallel=2 noautodbgsym" dpkg-buildpackage -us -uc -b' \
		>"$work/log" 2>&1 </dev/null ||
		fail "$(tail -n 30 "$work/log")"
	mv "$work/build"/*.deb "$dist/"
	rm -rf "$work/build"
}

# headers RELEASE RULE: a package of a kernel's headers with the postinst of Debian's, whose Makefile makes modules by
# RULE. tools/package-install compiles the modules with true headers, which takes long in a guest.
service_headers() {
	local dir=$work/headers build=/usr/src/linux-headers-$1

	rm -rf "$dir"
	mkdir -p "$dir/DEBIAN" "$dir$build/include" "$dir/lib/modules/$1"
	ln -s "$build" "$dir/lib/modules/$1/build"
	printf '%s\n' CONFIG_PREEMPT_NOTIFIERS=y 'CONFIG_MODULE_SIG_HASH="sha256"' >"$dir$build/.config"
	cp "$(dirname "$ko")"/*.ko "$dir$build/"
	[ -z "${sign_file-}" ] || install -D "$sign_file" "$dir$build/scripts/sign-file"
	printf 'all modules:\n\t%s\nclean:\n' "$2" >"$dir$build/Makefile"
	printf '%s\n' "Package: linux-headers-$1" "Version: 1" "Architecture: all" "Maintainer: test <test@example.org>" \
		"Description: headers for a test" >"$dir/DEBIAN/control"
	cat >"$dir/DEBIAN/postinst" <<-'END'
		#!/bin/sh
		set -e
		for when in postinst header_postinst; do
			run-parts --report --exit-on-error --arg="${DPKG_MAINTSCRIPT_PACKAGE#linux-headers-}" /etc/kernel/$when.d
		done
	END
	chmod 755 "$dir/DEBIAN/postinst"
	dpkg-deb --root-owner-group -Znone -b "$dir" "$disk/vm/repo/linux-headers-$1.deb" >"$work/log" || fail "$(cat "$work/log")"
}

# Make the local repository of apt on the disk.
service_repository() {
	local old=${OPROFILE_DIST_OLD:-$dist}

	mkdir -p "$disk/vm/repo"
	version=$(dpkg-deb -f "$dist"/oprofile_*.deb Version)
	cp "$dist"/oprofile{,-dkms,-export}_"$version"_*.deb "$disk/vm/repo/" || fail "cp"
	# shellcheck disable=SC2086 # a list of files
	[ -z "${more_packages-}" ] || cp $more_packages "$disk/vm/repo/" || fail "cp"
	dpkg-deb -R "$old"/oprofile_*.deb "$work/old" &&
		sed -i "s/^Version:.*/Version: $version~old/" "$work/old/DEBIAN/control" &&
		dpkg-deb --root-owner-group -Znone -b "$work/old" "$disk/vm/repo/oprofile-old.deb" >"$work/log" || fail "dpkg-deb"
	echo "$version" >"$disk/vm/version"
	echo "$version~old" >"$disk/vm/version-old"
	ko=$("$top/tests/vm/build" --kernel "$kernel" module 2>"$work/log") || fail "$(tail -n 20 "$work/log")"
	# shellcheck disable=SC2016 # make expands it
	for release in "$(cat "$(vm_kernel_dir x86_64 "$kernel")/release")" 6.98.0-new; do
		service_headers "$release" "cp /usr/src/linux-headers-$release/*.ko \$(M)/"
	done
	service_headers 6.99.0-broken '@echo "main.c:1:2: error: no member named forget_me in struct task_struct"; false'
	(cd "$disk/vm/repo" && dpkg-scanpackages --multiversion . >Packages) 2>"$work/log" || fail "$(cat "$work/log")"
	rm -rf "$disk/etc/apt/sources.list.d" "$disk"/var/lib/apt/lists/*
	echo "deb [trusted=yes] file:/vm/repo ./" >"$disk/etc/apt/sources.list"
}

# Make the disk, on which a unit runs the script after the other units.
service_disk() {
	local etc=$disk/etc/systemd/system unit subject

	mkdir "$disk"
	tar -C "$disk" -xf "$("$top/tests/vm/fetch" --print "service-$suite")" --exclude='./dev/*' --exclude='./usr/share/doc/*' \
		--exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' || fail "tar"
	mkdir -p "$etc/graphical.target.wants" "$disk/vm"
	ln -sf ../vm-script.service "$etc/graphical.target.wants/"
	for unit in getty@tty1.service serial-getty@ttyS0.service systemd-timesyncd.service apt-daily.timer \
			apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer; do
		ln -sf /dev/null "$etc/$unit"
	done
	cat >"$etc/vm-script.service" <<-'END'
		[Unit]
		After=multi-user.target
		[Service]
		Type=exec
		Environment=HOME=/root
		ExecStart=/vm/start
	END
	cat >"$disk/vm/start" <<-'END'
		#!/bin/bash
		for word in $(cat /proc/cmdline); do
			case $word in
			vm.token=*) token=${word#*=} ;;
			vm.output=*) output=/dev/${word#*=} ;;
			esac
		done
		stty -F "$output" raw -echo
		sh /vm/script >"$output" 2>&1 </dev/null
		echo "$token $?" >"$output"
		sync
		systemctl poweroff -f -f
	END
	chmod 755 "$disk/vm/start"
	echo uninitialized >"$disk/etc/machine-id"
	subject=$("$top/tests/vm/build" subject 2>"$work/log") || fail "$(tail -n 20 "$work/log")"
	cp "$subject/split" "$subject/libsplit.so" "$top/tests/tools/lib/share.sh" "$disk/vm/" || fail "cp"
	service_repository
	truncate -s 2G "$work/image"
	mkfs.ext4 -q -d "$disk" "$work/image" || fail "mkfs.ext4"
	rm -rf "$disk"
}

# The first process of the guest mounts the disk, and starts systemd on it.
service_tree() {
	mkdir "$work/tree"
	cat >"$work/tree/init" <<-'END'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin:/usr/bin:/usr/sbin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		for module in virtio_pci virtio_blk crc32c_generic ext4; do
			modprobe -q "$module"
		done
		until [ -b /dev/vda ]; do
			sleep 0.1
		done
		mount -t ext4 /dev/vda /mnt
		# The modules of the kernel, without those of this tree, which DKMS installs.
		release=$(uname -r)
		if ! [ -e /mnt/usr/lib/modules/$release/kernel ]; then
			mkdir -p /mnt/usr/lib/modules
			rm -rf /lib/modules/$release/updates
			cp -a /lib/modules/. /mnt/usr/lib/modules/
			chroot /mnt /sbin/depmod $release
		fi
		cp /script /mnt/vm/script
		umount /proc /sys
		mount -o move /dev /mnt/dev
		exec switch_root /mnt /sbin/init
	END
	chmod 755 "$work/tree/init"
}

# boot PARTS OPTION...: boots the disk for parts of tests/long/service.guest. With --icount, the guest has one CPU, whose time is
# the number of its instructions: time limits of systemd and waits do not depend on the load of this machine.
boot() {
	local parts=$1

	shift
	"$top/tests/vm/run" --kernel "$kernel" --timeout 6000 --disk "$work/image" --tree "$work/tree" \
		--append "systemd.show_status=0 vm.phase=$parts ${append-}" "$@" "$top/tests/long/service.guest" || exit
}

service_machine() {
	need mmdebstrap mkfs.ext4 truncate git dpkg-deb dpkg-scanpackages dpkg-buildpackage dh unshare
	[ "$(id -u)" = 0 ] || skip "needs root"
	"$top/tests/vm/fetch" "service-$suite" >"$work/log" 2>&1 || skip "no root of $suite: $(tail -n 1 "$work/log")"
	service_packages
	disk=$work/disk
	service_disk
	service_tree
}

# Boot with Secure Boot: the module is not signed, then signed by a key that nobody has enrolled; the second boot enrolls it.
secure_boot_test() {
	local dir modules

	"$top/tests/vm/fetch" secure-boot "x86_64-$kernel" >"$work/log" 2>&1 || skip "no programs for Secure Boot: $(tail -n 1 "$work/log")"
	dir=$(vm_kernel_dir x86_64 "$kernel")
	sign_file=$(find "$dir/headers" -name sign-file -type f -perm /111 | head -n 1)
	more_packages=$(find "$vm_cache/secure-boot/debs" -name '*.deb')
	service_machine
	modules=usr/lib/modules/$(cat "$dir/release")/kernel/fs/efivarfs
	mkdir -p "$work/tree/$modules" && cp "$dir/modules/kernel/fs/efivarfs"/efivarfs.ko* "$work/tree/$modules/" || fail "no efivarfs"
	boot install,secure_boot --secure-boot "$work/efi" --memory 1536
	boot enrolled --secure-boot "$work/efi" --enroll secret-1 --memory 1536
}

service_test() {
	local cut

	service_machine
	boot install,perf,users --icount
	boot hotplug
	boot names,headers,module,hang,kills,failures,memory,full_disk,upgrade,build_ends,kernels,exporter --icount
	for cut in 1 2 3 4 5; do
		echo "== power cut $cut of 5"
		boot power_cut --kill-on "cut the power" --icount
	done
	boot exporter_boot --icount
	append=lockdown=integrity boot locked_down --icount
	boot booted-module,purge-module --icount
}
