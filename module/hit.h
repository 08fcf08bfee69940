/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hit.h -- contents of a sample: task, address or call path, and count.
 *
 * Tables and lookups pass these structs unchanged from the handler to the stream. To add data to a
 * sample, add a member here, the code that fills it (handler, resolve.c, or oprofile_attribute()),
 * and the code in record.c that writes it.
 */
#ifndef OPROFILE_HIT_H
#define OPROFILE_HIT_H

#include <linux/build_bug.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

#include "uapi/oprofile.h"

/* The task to which a sample is attributed. A table of samples stores each attribution once, in a
 * context (table.h), and a sample contains the number of its context. */
struct oprofile_attribution {
	u64 app;		/* cookie (cookie.h) of the task's program */
	pid_t tid, tgid;
	u64 group;		/* id (group.h) of the task's control group; 0: not recorded */
	u32 woken;		/* see struct oprofile_hit */
	u64 named;		/* time in ns at which .name was the task's name */
	char name[OPROFILE_NAME_SIZE];
};

static_assert(sizeof(current->comm) >= OPROFILE_NAME_SIZE);

/* Copy the name of @task. If another task changes the name at the same time, the copy may mix both
 * names, but it ends with a NUL. */
static inline void oprofile_attribute_name(struct oprofile_attribution *who,
					   const struct task_struct *task)
{
	who->named = ktime_get_mono_fast_ns();
	memcpy(who->name, task->comm, sizeof(who->name));
	who->name[sizeof(who->name) - 1] = 0;
}

/* Return the attribution of a sample to @task. @app: cookie of the task's program. @group: id of
 * the control group in which the task was when it was sampled; 0: not recorded. */
static inline struct oprofile_attribution oprofile_attribute_to(const struct task_struct *task,
								u64 app, u64 group)
{
	struct oprofile_attribution who = {
		.app = app, .tid = task->pid, .tgid = task->tgid, .group = group,
	};

	oprofile_attribute_name(&who, task);
	return who;
}

/* Return the attribution of a sample to the current task. */
static inline struct oprofile_attribution oprofile_attribute(u64 app, u64 group)
{
	return oprofile_attribute_to(current, app, group);
}

/* Return whether two attributions are equal except for their names and groups. */
static inline bool oprofile_same_attribution(const struct oprofile_attribution *a,
					     const struct oprofile_attribution *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->app == b->app;
}

/* Additional data of a sample, such as an IBS record: the code of the sample's record in the
 * stream, and the words that follow the address in the record. */
struct oprofile_data {
	u32 code;
	u32 nr;			/* number of words, at most OPROFILE_MAX_DATA */
	const u32 *words;
};

union oprofile_longest {
#define X(name, number, operands) u8 name[operands + 1];
	OPROFILE_CODES(X)
#undef X
};
/* maximum number of words that follow the address in a record */
#define OPROFILE_MAX_DATA	(sizeof(union oprofile_longest) - 2)

/* flag in .event: .where contains a call path, as kernel node << 32 | user node (paths/nodes.h) */
#define OPROFILE_HIT_PATH	0x80

/* value of .woken: a thread of the kernel waited */
#define OPROFILE_WOKE_KERNEL	U32_MAX

struct oprofile_hit {
	/* address of the hit; with OPROFILE_HIT_PATH, number of a call path */
	u64 where;
	u64 n;			/* number of interrupts that the sample stands for */
	u32 event;
	/* for a sample of the task or interrupt that ended a wait: cookie of the program that
	 * waited, or OPROFILE_WOKE_KERNEL; 0: an ordinary sample */
	u32 woken;
	/* additional data of the sample; NULL: no data, so samples at the same address are only
	 * counted */
	const struct oprofile_data *data;
};

/* The mapping of an address: an offset in a file, or anonymous memory. */
struct oprofile_place {
	/* cookie of the file; OPROFILE_NO_COOKIE: anonymous memory, or a kernel address */
	u64 cookie;
	union {
		u64 offset;			/* offset of the sampled address in the file */
		struct {			/* members for anonymous memory */
			unsigned long start;
			unsigned long end;
		};
	};
	u32 kind;		/* kind of the memory, OPROFILE_ANON_* */
};

static inline bool oprofile_same_place(const struct oprofile_place *a,
				       const struct oprofile_place *b)
{
	return a->cookie == b->cookie && a->start == b->start &&
	       (a->cookie != OPROFILE_NO_COOKIE || (a->end == b->end && a->kind == b->kind));
}

#endif
