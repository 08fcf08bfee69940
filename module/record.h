/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h -- what a sample becomes in the stream: its own record, after those that say whose it is.
 */
#ifndef OPROFILE_RECORD_H
#define OPROFILE_RECORD_H

#include <linux/types.h>

#include "table.h"

struct oprofile_ring;

/* What the reader of the stream knows, so that only changes are written. {}: nothing. */
struct oprofile_stream {
	bool cpu_known, task_known, cookie_known, range_known;
	pid_t tid, tgid;
	u64 app;
	int domain;		/* -1: not known */
	u64 cookie;
	struct oprofile_place range;
};

struct oprofile_sample {
	pid_t tid, tgid;
	u64 app;
	u32 domain;
	unsigned long pc;
	u32 event, count;
	const struct oprofile_place *place;	/* user only */
	const struct oprofile_data *data;	/* or NULL */
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
