# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# lib.sh -- functions of ./quickstart and ./runtests that install packages and build the tree.
# Sourced with $top set to the top of the tree.

# Debian packages, grouped by their users.
packages_build="autoconf automake make gcc libc6-dev pkg-config libpopt-dev binutils-dev
	libiberty-dev libdw-dev zlib1g-dev libzstd-dev libpfm4-dev libncurses-dev libsystemd-dev libcurl4-openssl-dev"
packages_test="ccache g++ zsh gdb rustc libcmocka-dev libxml2-utils golang-go openjdk-17-jdk-headless valgrind chromium python3-jsonschema
	clang libclang-rt-14-dev shellcheck sparse python3
	qemu-system-x86 qemu-system-arm busybox-static cpio xz-utils llvm dwz debuginfod kmod bc flex bison libelf-dev
	gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross libc6-dev-i386 lib32gcc-12-dev
	linux-perf e2fsprogs btrfs-progs procps man-db mandoc git curl tmux protobuf-compiler"
packages_package="debhelper default-jdk-headless git lintian mandoc"
# For the tests of the packages, of the tier full.
packages_full="$packages_package disorderfs dpkg-dev faketime locales mmdebstrap qemu-user"

say()
{
	printf '%s\n' "$*"
}

complain()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# Prints the packages among its arguments that are not installed. Prints nothing on systems without dpkg;
# configure then reports missing packages.
packages_missing()
{
	local p installed missing=

	command -v dpkg-query >/dev/null || return 0
	installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
		sed -n 's/ installed$//p')
	for p in "$@"; do
		grep -qxF -- "$p" <<<"$installed" || missing="$missing $p"
	done
	printf '%s' "${missing# }"
}

# Installs missing packages. Fails and prints their names if that needs root. $1: log file.
packages_install()
{
	local log=$1 missing

	shift
	missing=$(packages_missing "$@")
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ]; then
		complain "these packages are missing: $missing"
		complain "run as root: apt-get install $missing"
		return 1
	fi
	say "Installing packages: $missing"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # a list of words
	if { apt-get update && apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends $missing; } \
			>>"$log" 2>&1 </dev/null; then
		return 0
	fi
	complain "apt-get could not install them; the end of its output ($log):"
	tail -n 15 "$log" >&2
	return 1
}

# Runs a command as the owner of the tree, so that root leaves no root-owned files in a user's
# checkout.
as_owner()
{
	local uid gid

	uid=$(stat -c %u "$top") gid=$(stat -c %g "$top")
	if [ "$(id -u)" = 0 ] && [ "$uid" != 0 ] && command -v setpriv >/dev/null; then
		setpriv --reuid="$uid" --regid="$gid" --clear-groups "$@"
	else
		"$@"
	fi
}

# Builds the tree in place, incrementally. Writes the output to the file $1, and passes further arguments to make.
build_tree()
{
	local log=$1

	shift
	(
		cd "$top" || exit
		# Once configured, automake's own rules keep everything up to date, but for files that
		# a new configure.ac wants beside it.
		if [ ! -f config.status ] || [ ! -f Makefile ]; then
			as_owner autoreconf -fi && as_owner ./configure || exit
		elif [ configure.ac -nt configure ]; then
			as_owner autoreconf -fi || exit
		fi
		# Libraries come after the tree was configured too: the tests' by ./runtests after
		# ./quickstart, optional ones at any time.
		if [ /var/lib/dpkg/status -nt config.status ]; then
			as_owner ./config.status --recheck || exit
		fi
		as_owner make -j"$(nproc)" "$@"
	) >>"$log" 2>&1 </dev/null 9<&-
}
