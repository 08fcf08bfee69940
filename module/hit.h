/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hit.h -- what a sample says: whose it is, where, and how much.
 *
 * These travel as they are from the handler, through a table or a task that resolves, to the stream: what
 * carries them does not look into them. So what a sample has more is a field here, whoever fills it in (the
 * handler, resolve.c, or oprofile_attribute()), and record.c which writes it.
 */
#ifndef OPROFILE_HIT_H
#define OPROFILE_HIT_H

#include <linux/build_bug.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

#include "uapi/oprofile.h"

/* Whose. A table has each once, in a context: that one's number stands for it in slots and entries. */
struct oprofile_attribution {
	u64 app;		/* cookie of the program */
	pid_t tid, tgid;
	u64 named;		/* ns, when that was the name: a task has several of these, on several CPUs */
	char name[OPROFILE_NAME_SIZE];
};

static_assert(sizeof(current->comm) >= OPROFILE_NAME_SIZE);

/* Others may rename the task meanwhile: then it is something of both names, and has an end all the same. */
static inline void oprofile_attribute_name(struct oprofile_attribution *who)
{
	who->named = ktime_get_mono_fast_ns();
	memcpy(who->name, current->comm, sizeof(who->name));
	who->name[sizeof(who->name) - 1] = 0;
}

/* The current task's. */
static inline struct oprofile_attribution oprofile_attribute(u64 app)
{
	struct oprofile_attribution who = { .app = app, .tid = current->pid, .tgid = current->tgid };

	oprofile_attribute_name(&who);
	return who;
}

/* By whatever name. */
static inline bool oprofile_same_attribution(const struct oprofile_attribution *a,
					     const struct oprofile_attribution *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->app == b->app;
}

/* What else was told about it: words of the record @code, behind the place. */
struct oprofile_data {
	u32 code;
	u32 nr;			/* at most OPROFILE_MAX_DATA */
	const u32 *words;
};

union oprofile_longest {
#define X(name, number, operands) u8 name[operands + 1];
	OPROFILE_CODES(X)
#undef X
};
#define OPROFILE_MAX_DATA	(sizeof(union oprofile_longest) - 2)	/* words after the place */

#define OPROFILE_HIT_PATH	0x80	/* with `event`: `where` is the kernel's node << 32 | the user's (path_nodes.h) */

struct oprofile_hit {
	u64 where;		/* an address, or a path */
	u64 n;			/* how often, or how much */
	u32 event;
	const struct oprofile_data *data;	/* NULL: a plain sample, which is counted */
};

/* Where an address is: a place in a file (cookie, offset), or in anonymous memory. */
struct oprofile_place {
	u64 cookie;		/* OPROFILE_NO_COOKIE: anonymous, or a kernel address */
	union {
		u64 offset;			/* with a cookie */
		struct {			/* without */
			unsigned long start;
			unsigned long end;
		};
	};
	u32 kind;		/* OPROFILE_ANON_* */
};

static inline bool oprofile_same_place(const struct oprofile_place *a, const struct oprofile_place *b)
{
	return a->cookie == b->cookie && a->start == b->start &&
	       (a->cookie != OPROFILE_NO_COOKIE || (a->end == b->end && a->kind == b->kind));
}

#endif
