/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct.h -- parsing of .pct files and logs: histograms of one program's addresses (doc/pct-file.md).
 *
 * A file may change or be truncated while it is read, and it may be malicious. It is read with
 * pread() up to the first error, and the error is reported.
 */
#ifndef PP_SOURCE_PCT_H
#define PP_SOURCE_PCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/reason.h"
#include "libop/raw/pct.h"

struct pp_pct_region {
	struct raw_pct_region record;
	/* path of the file that the region maps, or "[vdso]", "[anon]" and so on */
	const char *image;
	/* memory to free for .image; NULL if .image points into .record */
	char *own;
};

struct pp_pct_sample {
	/* index of the mapped region that contains the address; PP_PCT_NO_REGION: no region
	 * contains it */
	uint32_t region;
	/* address as in the symbols of the region's binary; outside all regions: address in the
	 * process */
	uint64_t pc;
	uint64_t count;
};

#define PP_PCT_NO_REGION	UINT32_MAX

struct pp_pct {
	struct raw_pct_header header;
	struct pp_pct_region **regions;
	size_t nr_regions;
	/* samples, sorted by region and address; samples of a log are in the order in which they
	 * were taken */
	struct pp_pct_sample *samples;
	size_t nr_samples;
	uint64_t counted;		/* sum of the counts of all .samples */
	bool has_owner;
	/* user id of the owner of the .pct and .pcs files; -1: the owners differ */
	uid_t owner;
	/* the first error found in the file; empty if the file has no error */
	struct op_reason broken;
};

/* Parse the .pct or .pcs file @path. If no part of the file can be used, return a negative errno
 * with the cause in @error. Otherwise return 0; the caller frees *@ret with pp_pct_free(). */
int pp_pct_read(struct pp_pct **ret, const char *path, struct op_reason *error);
/* Free @pct, which may be NULL. */
void pp_pct_free(struct pp_pct *pct);

/* Return the index of the first region that maps the program's own file, or PP_PCT_NO_REGION. */
uint32_t pp_pct_main_region(const struct pp_pct *pct);

#endif
