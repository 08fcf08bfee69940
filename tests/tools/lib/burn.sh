# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# burn.sh -- work in a program of its own, to be sampled. The work is an amount, not a time, because the share of a CPU
# in a second depends on other load of the machine.

# burn MS [SHELL]: uses about MS milliseconds of CPU time, in SHELL (sh by default).
burn() {
	"${2:-sh}" -c 'n=$(($1 * 600)); while [ $n -gt 0 ]; do n=$((n - 1)); done' - "$1"
}
