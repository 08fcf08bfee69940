/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h -- what a sample becomes in the stream: its own record, after those that say whose it is.
 */
#ifndef OPROFILE_RECORD_H
#define OPROFILE_RECORD_H

#include <linux/types.h>

#include "hit.h"

struct oprofile_ring;

/* What the reader of the stream knows, so that only changes are written. {}: nothing, and no names. */
struct oprofile_stream {
	bool names;		/* of tasks are wanted: stays */
	bool cpu_known, task_known, cookie_known, range_known;
	struct oprofile_attribution who;
	int domain;		/* -1: not known */
	u64 cookie;
	struct oprofile_place range;
};

#define OPROFILE_MAX_COUNT_WORD	U32_MAX	/* how much a sample of the stream stands for at most */

struct oprofile_sample {
	const struct oprofile_attribution *who;
	u32 domain;
	struct oprofile_hit hit;		/* n: at most the above */
	const struct oprofile_place *place;	/* user only */
	bool has_path;
	u32 user_node, kernel_node;		/* then; the reader knows both */
};

/*
 * With every record of context that it needs, all or nothing. ENOSPC: no room; EINVAL: it cannot be
 * written, whatever room there is. The caller has the ring's writers to itself.
 */
int oprofile_record_sample(struct oprofile_ring *ring, struct oprofile_stream *st, int cpu,
			   const struct oprofile_sample *sample);

/* /proc/modules has changed. 0 or ENOSPC. */
int oprofile_record_modules(struct oprofile_ring *ring);

#endif
