# SPDX-License-Identifier: GPL-2.0-or-later
# judge.sh -- what measure and silicon think of numbers: of use without any counter, so
# tests/tools/hw-judge.test gives it some. fail() is the caller's.
# shellcheck shell=sh

# near WHAT IS EXPECTED PERCENT
near()
{
	echo "$2 $3 $4" | awk -v what="$1" '{
		off = $2 ? 100 * ($1 / $2 - 1) : 100
		printf "  %-52s %14.0f, expected %14.0f: %+.2f %%\n", what, $1, $2, off
		exit !(off <= $3 && off >= -$3) }' || fail "$1: more than $4 % off"
}

# starved CPUS EVENTS FILE: false, and says which, when some event had nothing on some CPU in one of the seconds
# that bufread -s tells of. The first and the last may be short.
starved()
{
	awk -v cpus="$1" -v events="$2" '$1 == "second" { n[$2 " " $4 " " $6] = $7; if ($2 > last) last = $2 }
		END {
			if (last < 2) { print "  no whole second"; exit 1 }
			for (s = 1; s < last; s++) for (c = 0; c < cpus; c++) for (e = 0; e < events; e++)
				if (!n[s " " c " " e] && ++bad <= 10) print "  second " s ": nothing of event " e " on CPU " c
			if (bad > 10) print "  ... " bad " times"
			exit bad != 0 }' "$3"
}
