# SPDX-License-Identifier: GPL-2.0-or-later
# pathload.awk -- judges the paths of pathload in what `opreport --format=folded` prints; sums are put into /tmp/verdict.
#
# A path of pathload has _start, functions of libc, main, f1, f2, ..., and behind the last of these what it calls, or the
# kernel. In a guest libc has no names. The name of a function of the kernel is none of pathload's.
function wrong(why) { bad += n; if (shown++ < 5) print "  not possible (" why "): " $0 }
/^pathload;/ {
	n = $NF
	text = $0
	sub(/ [0-9]+$/, "", text)
	count = split(text, f, ";")
	all += n
	first = 2
	is_whole = f[2] !~ /^\[(path ends|no path)/
	if (is_whole) {
		whole += n
	} else {
		short[f[2]] += n
		first = 3
	}
	level = 0; behind = 0; was_main = 0
	for (i = first; i <= count; i++) {
		if (f[i] == "main") { was_main = i; continue }
		if (f[i] !~ /^f[0-9]+$/) { behind += level > 0; continue }
		if (behind) { wrong("called by what it calls"); next }
		n_th = substr(f[i], 2)
		if (level ? n_th != level + 1 : is_whole && (was_main != i - 1 || n_th != 1)) { wrong("called by another"); next }
		level = n_th
	}
	if (is_whole && level && f[2] != "_start") wrong("does not begin at the beginning")
	if (level == 20) deep += n
	if (level == 20 && behind) in_kernel += n
}
END {
	printf "  %d samples of pathload, whole %d, 20 deep %d, of them in the kernel %d\n", all, whole, deep, in_kernel
	for (r in short) printf "  %s %d\n", r, short[r]
	passing = short["[path ends: mapping not known]"] + short["[path ends: task exiting]"]
	print "passing=" passing " all=" all+0 " whole=" whole+0 " bad=" bad+0 " in_kernel=" in_kernel+0 >"/tmp/verdict"
}
