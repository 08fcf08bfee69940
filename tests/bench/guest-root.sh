# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest-root.sh -- copies programs of this machine into a directory tree for tests/vm/run --tree.

# into_root ROOT PROGRAM...: copies programs and their libraries to the same paths below ROOT. In a guest, as on this
# machine, /lib is a link.
into_root() {
	local root=$1 program file to
	shift
	for program; do
		{ echo "$program"; ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'; } | while read -r file; do
			to=$root$(readlink -f "$(dirname "$file")")
			mkdir -p "$to" && cp -Lu "$file" "$to/" || exit
		done || return
	done
}

# python_into_root ROOT: copies python3 and the files that it reads at its start.
python_into_root() {
	local python
	python=$(readlink -f /usr/bin/python3)
	into_root "$1" "$python" || return
	ln -sf "${python##*/}" "$1/usr/bin/python3"
	mkdir -p "$1/usr/lib/${python##*/}"
	(cd "/usr/lib/${python##*/}" && find . -name '*.py' ! -path '*/test/*' ! -path '*/dist-packages/*' ! -path '*/idlelib/*' |
		cpio -pdm --quiet "$1/usr/lib/${python##*/}") || return
	cp -a "/usr/lib/${python##*/}/lib-dynload" "$1/usr/lib/${python##*/}/"
}
