# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# share.sh -- the rule by which all tests judge a share of samples, in guests and on this machine.
#
# The number of samples of a run depends on the load of the machine. Chance moves a share by its standard error, which
# is known. A share may therefore be off by five standard errors (a right profile exceeds them once in 1,700,000
# times) and by one point for other causes. A fixed limit would fail runs with few samples. When this tolerance is
# above seven points, there are too few samples to judge. So tests sample until there are enough samples, not for a
# given time.

# share WHAT PART WHOLE EXPECTED [POINTS]: fails unless PART is EXPECTED % of WHOLE, within chance and POINTS (1; 100:
# only print). The sourcing script defines `fail`.
share() {
	echo "$2 $3 $4 ${5:-1}" | awk -v what="$1" '
	# The awk of a guest has no sqrt().
	function root(x,  r, i) { r = x > 1 ? x : 1; for (i = 0; i < 40; i++) r = (r + x / r) / 2; return r }
	{
		is = $2 ? 100 * $1 / $2 : 0
		off = is - $3
		within = $2 ? $4 + 5 * root($3 * (100 - $3) / $2) : 0
		few = NF != 4 || $2 == 0 || (within - $4 > 6.25 && $4 < 100)
		printf "  %-28s %7d of %7d = %6.2f %%, expected %6.2f, off by %+.2f (at most %.2f)%s\n", what, $1, $2,
			is, $3, off, within, few ? ": too few samples" : ""
		exit few || off > within || off < -within }' || fail "$1: not the share it should be"
}
