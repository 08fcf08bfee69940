/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record.h -- encoding of a sample for the stream: the context records that have changed, then the
 * sample's record.
 */
#ifndef OPROFILE_RECORD_H
#define OPROFILE_RECORD_H

#include <linux/types.h>

#include "hit.h"

struct oprofile_ring;

/* The context that the reader of the stream knows from earlier records: only changes are
 * written. All zeros: the reader knows no context yet, and names of tasks are not written. */
struct oprofile_stream {
	bool names;		/* whether to write the names of tasks; constant during a run */
	bool cpu_known, task_known, cookie_known, range_known;
	struct oprofile_attribution who;
	u64 group;		/* id of the task's control group; 0: unknown */
	/* kind of code of the last sample, enum oprofile_domain; -1: unknown */
	int domain;
	u64 cookie;
	struct oprofile_place range;
};

#define OPROFILE_MAX_COUNT_WORD	U32_MAX	/* maximum count that a record can hold */

struct oprofile_sample {
	const struct oprofile_attribution *who;
	u32 domain;
	struct oprofile_hit hit;		/* .n is at most OPROFILE_MAX_COUNT_WORD */
	/* mapping of the address of a user sample */
	const struct oprofile_place *place;
	bool has_path;
	/* nodes of the call path of a sample with a path; the reader knows both nodes */
	u32 user_node, kernel_node;
};

/*
 * Write a sample with all context records that it needs; on failure write nothing. Return 0;
 * -ENOSPC: the ring is full; -EINVAL: the sample cannot be encoded. The caller is the ring's only
 * writer.
 */
int oprofile_record_sample(struct oprofile_ring *ring, struct oprofile_stream *st, int cpu,
			   const struct oprofile_sample *sample);

/* Write a FOREIGN_FILE record: process @tgid has mapped the file of @cookie. Return 0 or
 * -ENOSPC. */
int oprofile_record_foreign(struct oprofile_ring *ring, u64 cookie, pid_t tgid);

/* Write a MODULE_LOADED record: /proc/modules has changed. Return 0 or -ENOSPC. */
int oprofile_record_modules(struct oprofile_ring *ring);

#endif
