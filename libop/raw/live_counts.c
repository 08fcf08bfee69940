// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_counts.c -- sums of samples and calls, and writing them to a .csp's trailer.
 */
#include "libop/raw/live_counts.h"

static const char *loss_name(enum raw_live_loss loss)
{
	static const char *const names[] = {
#define X(loss, name) [RAW_LIVE_##loss] = name,
		RAW_LIVE_LOSSES(X)
#undef X
	};

	return names[loss];
}

static void write_count(struct raw_csp_out *out, const char *of, const char *prefix,
			const char *name, uint64_t count)
{
	raw_csp_item(out, RAW_CSP_COUNT,
		     8 + __builtin_strlen(of) + __builtin_strlen(prefix) + __builtin_strlen(name));
	raw_csp_u64(out, count);
	raw_csp_bytes(out, of, __builtin_strlen(of));
	raw_csp_bytes(out, prefix, __builtin_strlen(prefix));
	raw_csp_bytes(out, name, __builtin_strlen(name));
}

void raw_live_counts_write(struct raw_csp_out *out, const char *of,
			   const struct raw_live_counts *counts, uint64_t cut_off)
{
	write_count(out, of, "", "taken", counts->taken);
	write_count(out, of, "", "recorded", counts->recorded);
	write_count(out, of, "", "complete", counts->complete);
	for (int k = 0; k < RAW_LIVE_NR_LOSSES; k++)
		write_count(out, of, "lost: ", loss_name(k), counts->lost[k]);
	write_count(out, of, "lost: ", "cut off", cut_off);
}

void raw_live_marker_write(struct raw_csp_out *out, const struct raw_live_marker *marker)
{
	static const char *const names[] = {
#define X(count, name) [RAW_LIVE_MARKER_##count] = name,
		RAW_LIVE_MARKER(X)
#undef X
	};

	for (int k = 0; k < RAW_LIVE_NR_MARKER; k++)
		write_count(out, "marker ", "", names[k], marker->nr[k]);
}

void raw_live_counts_add(struct raw_live_counts *sum, const struct raw_live_counts *counts)
{
	sum->taken += counts->taken;
	sum->recorded += counts->recorded;
	sum->complete += counts->complete;
	for (int k = 0; k < RAW_LIVE_NR_LOSSES; k++)
		sum->lost[k] += counts->lost[k];
}

/* Subtract @nr from *@left, but at most *@left. Return the part of @nr that was not subtracted. */
static uint64_t subtract(uint64_t *left, uint64_t nr)
{
	uint64_t there = nr < *left ? nr : *left;

	*left -= there;
	return nr - there;
}

uint64_t raw_live_counts_surplus(const struct raw_live_counts *sum)
{
	uint64_t left = sum->taken, surplus = subtract(&left, sum->recorded);

	for (int k = 0; k < RAW_LIVE_NR_LOSSES; k++)
		surplus += subtract(&left, sum->lost[k]);
	return surplus;
}

uint64_t raw_live_counts_balance(struct raw_live_counts *sum)
{
	uint64_t cut_off = sum->taken - sum->recorded;

	for (int k = 0; k < RAW_LIVE_NR_LOSSES; k++)
		cut_off -= sum->lost[k];
	if (cut_off > sum->taken) {
		sum->taken -= cut_off;
		cut_off = 0;
	}
	if (sum->complete > sum->recorded)
		sum->complete = sum->recorded;
	return cut_off;
}
