# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# accounting.sh -- for daemon.sh and perf.sh: checks that each sample of a session is stored or lost by name. $top is
# the tree, $samples the session; the sourcing script defines fail and sum_files (which prints the sums of the files,
# and fails if a file is invalid).

counter() { awk -v name="$1" '$1 == name { n += $2 } END { printf "%.0f\n", n }' "$samples/stats/totals"; }

# sum_of TAKEN|STORED|LOSS: prints the sum of all counters of this kind.
sum_of() {
	sed -n 's/^[[:space:]]*STAT(\([A-Z]*\), "\([a-z_]*\)".*/\1 \2/p' "$top/libop/session/stats.c" |
		awk -v kind="$1" 'FNR == NR { if ($1 == kind) is[$2] = 1; next }
			$1 in is { n += $2 } END { printf "%.0f\n", n }' - "$samples/stats/totals"
}

# conserved WHAT: fails unless each sample taken is in a file or in a named loss.
conserved() {
	local taken stored losses files

	files=$(sum_files) || fail "$1: unsound files: $files"
	# A converted record was taken, and the samples made from it were counted as taken again: so subtract it once.
	taken=$(($(sum_of TAKEN) - $(sum_of CONVERTED))) stored=$(sum_of STORED) losses=$(sum_of LOSS)
	echo "$1: taken $taken = in files $files (stored $stored) + losses $losses"
	[ "$taken" -gt 0 ] || fail "$1: nothing was taken"
	[ "$files" = "$stored" ] || fail "$1: $stored stored, but $files in the files"
	[ "$taken" = $((files + losses)) ] || fail "$1: $((taken - files - losses)) unaccounted for"
}

# conserved_so_far WHAT: as conserved, for a daemon that samples: each sample in its last totals is in a file or in a named
# loss. The files may have more samples, because they are counted later.
conserved_so_far() {
	local taken stored losses files copy=$work/so_far

	mkdir -p "$copy/stats"
	cp "$samples/stats/totals" "$copy/stats" || fail "$1: no totals"
	files=$(sum_files) || fail "$1: unsound files: $files"
	taken=$(($(samples=$copy sum_of TAKEN) - $(samples=$copy sum_of CONVERTED)))
	stored=$(samples=$copy sum_of STORED) losses=$(samples=$copy sum_of LOSS)
	echo "$1: taken $taken = stored $stored (in files $files) + losses $losses"
	[ "$taken" -gt 0 ] || fail "$1: nothing was taken"
	[ "$files" -ge "$stored" ] || fail "$1: $stored stored, but only $files in the files"
	[ "$taken" = $((stored + losses)) ] || fail "$1: $((taken - stored - losses)) unaccounted for"
}
