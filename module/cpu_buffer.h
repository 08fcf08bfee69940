/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu_buffer.h -- where the interrupt handler counts: two tables per CPU, one being filled, one
 * being drained.
 *
 * A table holds contexts (a task in one life: between two execs) and slots (a context, an address,
 * an event, and how often they were hit). A hit costs a few compares and an increment.
 *
 * Who writes: the CPU itself, with interrupts off or from NMI. An NMI may come in at any instruction
 * of a writer: slots, contexts and records are claimed by cmpxchg, written, and shown to others by
 * the last store; counts go up by one instruction. Who drains: buffer_sync.c, after making the other
 * table the active one and waiting for an RCU grace period: writers are RCU readers, NMIs as well.
 *
 * A sample that comes with more than an address (IBS) is not counted in a slot but kept whole, as a
 * record.
 *
 * No pointer to a task or an mm is followed later: a context is recognised by the address of the
 * task together with its start time and its exec count, compared and never dereferenced.
 */
#ifndef OPROFILE_CPU_BUFFER_H
#define OPROFILE_CPU_BUFFER_H

#include <linux/bitmap.h>
#include <linux/llist.h>
#include <linux/sched.h>
#include <linux/timex.h>
#include <linux/types.h>

#include "governor.h"
#include "stats.h"
#include "time_slice.h"

struct oprofile_session;
struct pt_regs;

#define OPROFILE_NR_PENDING	256	/* records per CPU for what tasks have to look up: resolve.h */

#define OPROFILE_USER_PENDING	(OPROFILE_NR_PENDING / 2)	/* of them, with tasks of one user */
#define OPROFILE_NR_USERS	128	/* told apart; those that hash alike share */

/* How far from its hash a context or slot may stand: reached only when a table is nearly full. */
#define OPROFILE_PROBES		64

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

struct oprofile_slot {
	unsigned long pc;
	u32 key;		/* 0 free, else context and event; SLOT_CLAIMED while written */
	u32 count;		/* less than 2^31: a reader of `buffer` that is stuck for days gets no more */
};

/* What the hardware told about a sample, halves of its registers. */
struct oprofile_data {
	u32 code;		/* OPROFILE_IBS_*; 0: a plain sample */
	u32 nr;
	u32 words[OPROFILE_MAX_DATA];
};

struct oprofile_record {
	unsigned long pc;
	u32 context;
	struct oprofile_place place;
	struct oprofile_data data;
};

/* The part of a slot that the handler does not need. */
struct oprofile_slot_cold {
	struct oprofile_place place;
	u32 next;		/* slot + 1 of the same context, 0 at the end */
};

/* Whose instruction it was. */
enum oprofile_domain {
	OPROFILE_IN_KERNEL,
	OPROFILE_IN_USER,
	OPROFILE_IN_GUEST,	/* of a virtual machine: the sample has no address */
	OPROFILE_NR_DOMAINS,
};

/* The life of a task that samples belong to. */
struct oprofile_task_id {
	const void *task;	/* compared only */
	u64 start_time;
	u64 exec_id;
	u64 generation;		/* of the memory map; 0 for samples without a user address */
	u32 domain;		/* enum oprofile_domain */
};

struct oprofile_context {
	struct oprofile_task_id id;
	u64 app;		/* cookie of the program */
	pid_t tid, tgid;
	u32 state;		/* CTX_FREE, CTX_CLAIMED, CTX_READY */
	u32 slots;		/* first slot + 1 */
	u32 next;		/* context + 1 used before this one */
	u32 app_asked;		/* somebody is making the program's cookie */
};

struct oprofile_table {
	struct oprofile_slot *slots;
	struct oprofile_slot_cold *cold;
	struct oprofile_context *contexts;
	u32 slot_shift, context_shift;	/* 64 - log2 of how many there are */
	u32 slot_mask, context_mask;
	u32 slots_used, contexts_used;
	u32 slots_high, contexts_high;	/* a used count that asks for draining */
	u32 used;			/* first context + 1 */
	struct oprofile_record *records;	/* NULL: none wanted */
	u32 records_max, records_high;
	u32 records_used;		/* claimed, from the first on */
	u32 records_drained;		/* buffer_sync.c: of these */
	struct {
		struct oprofile_task_id id;
		u32 context;
	} last[OPROFILE_NR_DOMAINS];	/* the context hit last */
};

struct cpu_buffer {
	struct oprofile_session *s;
	struct oprofile_table *active;	/* NULL: not allocated; written by buffer_sync.c */
	int cpu;
	bool here;			/* between cpu_online and cpu_offline of the backend */
	u64 spent;			/* cycles spent sampling, for the governor */
	struct oprofile_stats stats;
	struct oprofile_governor governor;	/* of counters */
	int err;			/* not sampled, for this reason; else 0 */
	u32 group;			/* of the events that have their turn */
	u32 random;			/* state of the generator of jitter */
	struct oprofile_time_slice slice;
	struct oprofile_event_time counted[OPROFILE_MAX_EVENTS];	/* kept by event_time() backends */

	struct oprofile_table tables[2];
	struct oprofile_table *draining; /* sync.lock: not yet emptied, or NULL */

	/* resolve.c */
	struct oprofile_pending **pending;	/* all of them */
	DECLARE_BITMAP(free, OPROFILE_NR_PENDING);	/* taken by this CPU, NMIs as well, given back by any */
	atomic_t held_by[OPROFILE_NR_USERS];	/* records that are not free, by user */
	struct llist_head strays;	/* resolved on another CPU */
	struct llist_node *strays_draining;	/* sync.lock */
	atomic_t unresolved;		/* samples still waiting for their task */
};

/*
 * Counts one hit of a resolved user address in the current CPU's active table. Interrupts off.
 * False: table full.
 */
bool oprofile_cpu_buffer_add_user(struct cpu_buffer *cb, const struct oprofile_task_id *id,
				  u64 app, unsigned long pc, u32 event,
				  const struct oprofile_place *place);
/* The same for a sample with more data: a record. */
bool oprofile_cpu_buffer_add_user_record(struct cpu_buffer *cb, const struct oprofile_task_id *id,
					 u64 app, unsigned long pc,
					 const struct oprofile_data *data,
					 const struct oprofile_place *place);

/* Tells the current task's contexts that did not know it their program. Interrupts off. */
void oprofile_cpu_buffer_set_app(struct cpu_buffer *cb, u64 app);

/* Empties one slot or context after draining it; the table is not active. */
void oprofile_table_clear_slot(struct oprofile_table *t, u32 slot);
void oprofile_table_clear_context(struct oprofile_table *t, u32 context);
/* After all contexts are cleared. */
void oprofile_table_clear(struct oprofile_table *t);

/* 0 or ENOMEM; does nothing when there are tables already. @records: half as many as slots, or none.
 * Process context. */
int oprofile_cpu_buffer_alloc(struct cpu_buffer *cb, unsigned long slots, bool records);
/* Nobody may be using it any more. */
void oprofile_cpu_buffer_release(struct cpu_buffer *cb);

static inline u32 oprofile_slot_event(u32 key)
{
	return key & 0xff;
}

#endif
