# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# burn.sh -- work in a program of its own, to be sampled: an amount of it, not a time, because how much of a
# CPU a second has depends on what else the machine does.

# burn MS [SHELL]: uses some MS milliseconds of CPU time, in SHELL (sh by default).
burn() {
	"${2:-sh}" -c 'n=$(($1 * 600)); while [ $n -gt 0 ]; do n=$((n - 1)); done' - "$1"
}
