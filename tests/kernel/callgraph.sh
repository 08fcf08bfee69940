# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# callgraph.sh -- shell functions that compare recorded trees with the call paths of pathload, for scripts in guests:
# `. /test/callgraph.sh`, after guest.sh.

# Print the sums of the trees for each program and for each named place, as the sample files have them.
cat >/tmp/compare.awk <<'AWK'
NR == FNR {			# rows "SAMPLES IMAGE APP SYMBOL"
	app = $3
	sub(/.*\//, "", app)
	if (app == "oprofile")	# of no program, as all that kernel threads do
		app = "no-vmlinux"
	flat[app] += $1
	if (!folded)
		flat[app ";" $4] += $1
	next
}
{
	n = $NF
	text = $0
	sub(/ [0-9]+$/, "", text)
	count = split(text, f, ";")
	tree[f[1]] += n
	tree[f[1] ";" f[count]] += n
}
END {
	for (key in flat) {
		name = key
		sub(/.*;/, "", name)
		# In "symbol)" of "(no symbol)", the trees report the image.
		if (name ~ /\)$/)
			continue
		places++
		if (flat[key] == tree[key])
			continue
		if (bad++ < 5)
			print "  " key ": in sample files " flat[key] ", in trees " tree[key] + 0
	}
	print "  " places " programs and places have the same sums"
	exit bad > 0 || places < (folded ? 3 : 20)
}
AWK

# look WHAT [SESSION]: judges the call paths of the session.
look() {
	local of=${2:+session:$2}
	echo "$1:"
	# shellcheck disable=SC2086 # nothing when there is none
	opreport --merge=all --format=folded $of >/tmp/folded 2>/tmp/err || fail "$1: $(cat /tmp/err)"
	# Several files may have the same name.
	sed -i 's,^[^;]*/pathload;,pathload;,' /tmp/folded
	awk -f /test/pathload.awk /tmp/folded
	# shellcheck disable=SC1091 # what awk has written
	. /tmp/verdict
	[ "$bad" = 0 ] || fail "$1: $bad samples have a path that cannot be"
}
# accounted WHAT [folded=1]: fails unless each stored sample is in a tree; where trees are folded, in a tree of the same
# program.
accounted() {
	look "$1"
	report
	awk -v "${2:-folded=0}" -f /tmp/compare.awk /tmp/report /tmp/folded || fail "$1: sample files and trees differ"
	echo "  stored $(counter stored) = in trees $(counter paths) + lost there $(counter paths_lost)"
	[ "$(counter stored)" = $(($(counter paths) + $(counter paths_lost))) ] || fail "$1: not all that is stored is in a tree"
	[ "$(counter stream_bad_record)" = 0 ] && [ "$(counter stream_unknown_code)" = 0 ] || fail "$1: the stream was not understood"
}
# At the very beginning and end of each run, no process could read the program's memory.
most_whole() {
	[ $((passing * 20)) -le "$all" ] || fail "$1: $passing of $all were beginning or ending"
	[ "$all" -ge 1000 ] && [ $((whole * 100)) -ge $(((all - passing) * 99)) ] || fail "$1: $whole of $all paths are whole"
}
user_load() { /test/pathload 300000; }
kernel_load() { /test/pathload 200000 read; }
# The first run makes the tables, and its samples are deleted.
warm_up() {
	until_taken 300 user_load
	until_taken 300 kernel_load
	must opcontrol --dump
	must opcontrol --reset
}
