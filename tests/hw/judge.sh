# SPDX-License-Identifier: GPL-2.0-or-later
# judge.sh -- functions that judge the numbers of measure and silicon. They need no counter, so
# tests/tools/hw-judge.test calls them with given numbers. The caller defines fail().
# shellcheck shell=sh

# near WHAT IS EXPECTED PERCENT
near()
{
	echo "$2 $3 $4" | awk -v what="$1" '{
		off = $2 ? 100 * ($1 / $2 - 1) : 100
		printf "  %-52s %14.0f, expected %14.0f: %+.2f %%\n", what, $1, $2, off
		exit !(off <= $3 && off >= -$3) }' || fail "$1: more than $4 % off"
}

# starved CPUS EVENTS FILE: returns false and prints the case if an event had no sample on a CPU in one of the seconds
# that bufread -s prints. The first and the last second do not count, because they may be incomplete.
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

# delays FILE USUAL_US MOST_US: prints a histogram of the delays between overflows and their NMIs from the output of
# nmi-delay. Returns false if more than one delay in a thousand exceeds USUAL_US, any delay exceeds MOST_US, or there
# are too few delays. If an overflow was far away at the last look, it occurred while another program ran, and its delay
# is unknown.
delays()
{
	awk -v usual="$2" -v most="$3" '
		$1 == "turn" { turn = $2 }
		$1 == "per_us" { per_us = $2 }
		$1 == "late" && $2 < -4 * turn { elsewhere++; next }
		$1 == "late" && per_us > 0 {
			us = ($2 + turn > 0 ? $2 + turn : 0) / per_us	# at most: it came within a turn
			for (upto = 64; upto < us * 1000; upto *= 2);
			in_bucket[upto]++
			seen++
			if (upto > last) last = upto
			if (us > longest) longest = us
			over += us > usual
		}
		END {
			for (upto = 64; upto <= last; upto *= 2)
				printf "  %12d ns or less %10d  %6.2f %%\n", upto, in_bucket[upto], 100 * in_bucket[upto] / seen
			printf "  %d NMIs, the longest delay %.1f us, %d of more than %d us, %d unknown\n",
				seen, longest, over, usual, elsewhere
			exit seen < 1000 || over > seen / 1000 || longest > most
		}' "$1"
}

# virtual FILE: judges the output of tests/hw/virtual. Returns false and prints the line for each wrong line, and if
# nothing could be tried.
virtual()
{
	awk '
		function judge(right, why) { printf "  %-60s %s\n", $0, right ? "right" : "WRONG: " why; bad += !right; tried++ }
		$1 == "cannot" { print "  " $0; next }
		$1 == "loop" { want = $2 == "branches" ? $3 : 2 * $3; judge($4 >= want && $4 <= want * 1.001 + 5000, "expected " want) }
		$1 == "reads" { judge($2 > 0 && !$3, "counts went backwards") }
		$1 == "rdpmc" { judge($3 == ($2 == 0 ? "call" : "page"), "rdpmc is " $2) }
		$1 == "overflows" { n = int($3 / $4); judge(n > 0 && $2 <= n && $2 >= n - 1, n " periods") }
		$1 == "tree" { judge($3 == $2 && $4 >= $5 && $4 <= 1.2 * $5, $2 " processes of " $5 " and little more") }
		$1 == "kind" { judge($3 == "killed", "no SIGILL") }
		$1 == "cost" { cost[$2] = $3; print "  " $0 }
		END {
			if ("pmc" in cost) {
				$0 = "the time and a counter " cost["both"] ", rdtsc " cost["counter"] " and rdpmc " cost["pmc"]
				judge(cost["both"] <= 1.5 * (cost["counter"] + cost["pmc"]), "more than 1.5 times")
			}
			if (!tried) print "  nothing could be tried"
			exit bad || !tried
		}' "$1"
}
