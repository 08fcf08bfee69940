/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct.h -- reads .pct files and the logs beside them: histograms of one program's addresses (doc/pct-file.md).
 *
 * The file may still be written, be cut off anywhere or be made to do harm: all is read with pread(), what is whole is
 * given, and where it stops being so is told.
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
	const char *image;		/* its path as files are called; "[vdso]", "[anon]" and the like */
	char *own;			/* of that, when it is not the record's */
};

struct pp_pct_sample {
	uint32_t region;		/* PP_PCT_NO_REGION: outside all */
	uint64_t pc;			/* as linked; as it was, outside */
	uint64_t count;
};

#define PP_PCT_NO_REGION	UINT32_MAX

struct pp_pct {
	struct raw_pct_header header;
	struct pp_pct_region **regions;
	size_t nr_regions;
	struct pp_pct_sample *samples;	/* by region and address; of a log, in the order they were taken */
	size_t nr_samples;
	uint64_t counted;		/* in all samples */
	bool has_owner;
	uid_t owner;			/* of the files; -1: they have two */
	struct op_reason broken;	/* what is not whole; empty: all is */
};

/* Reads the .pct or .pcs file @path. Negative errno and why, when nothing can be made of it. */
int pp_pct_read(struct pp_pct **ret, const char *path, struct op_reason *why);
/* Takes NULL. */
void pp_pct_free(struct pp_pct *pct);

/* The region that is the program's own code, first of these; PP_PCT_NO_REGION: there is none. */
uint32_t pp_pct_main_region(const struct pp_pct *pct);

#endif
