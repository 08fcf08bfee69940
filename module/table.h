/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table.h -- what the interrupt handler counts in.
 *
 * A table holds contexts (a task in one life: between two execs) and slots (a context, an address,
 * an event, and how often they were hit). A hit costs a few compares and an addition. A sample that
 * comes with more than an address (IBS) is not counted in a slot but kept whole, as an entry as long as
 * what it comes with.
 *
 * Who writes: the CPU itself, with interrupts off or from NMI. An NMI may come in at any instruction
 * of a writer: slots, contexts and entries are claimed by cmpxchg, written, and shown to others by
 * the last store; counts go up by one instruction. Who drains (drain.c) does so after making another
 * table the active one and waiting for an RCU grace period: writers are RCU readers, NMIs as well.
 *
 * No pointer to a task or an mm is followed later: a context is recognised by the address of the
 * task together with its start time and its exec count, compared and never dereferenced.
 */
#ifndef OPROFILE_TABLE_H
#define OPROFILE_TABLE_H

#include <linux/hash.h>
#include <linux/types.h>

#include "compat/compat.h"
#include "hit.h"

struct oprofile_path_book;
struct oprofile_waker;

/* How far from its hash a context or slot may stand: reached only when a table is nearly full. */
#define OPROFILE_PROBES		64

#define OPROFILE_NO_CONTEXT	(~0U)

struct oprofile_slot {
	u64 where;		/* of a hit */
	u64 n;
	u32 key;		/* 0 free, else context and event; SLOT_CLAIMED while written */
	u32 next;		/* slot + 1 of the same context, 0 at the end */
};

/* A sample kept whole; the next one follows its words, at a multiple of 8 bytes. */
struct oprofile_entry {
	struct oprofile_place place;
	u64 where;
	u64 n;
	u32 event;
	u32 context;
	u32 code;		/* of the data */
	u32 nr;
	u32 words[];
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
	struct oprofile_attribution who;
	u32 state;		/* CTX_FREE, CTX_CLAIMED, CTX_READY */
	u32 slots;		/* first slot + 1 */
	u32 next;		/* context + 1 used before this one */
	u32 app_asked;		/* somebody is making the program's cookie */
};

struct oprofile_table {
	struct oprofile_slot *slots;
	struct oprofile_place *places;	/* of the slots: the handler does not need them */
	struct oprofile_context *contexts;
	u32 slot_shift, context_shift;	/* 64 - log2 of how many there are */
	u32 slot_mask, context_mask;
	u32 slots_used, contexts_used;
	u32 slots_high, contexts_high;	/* a used count that asks for draining */
	u32 used;			/* first context + 1 */
	u64 *entries;			/* NULL: none wanted. What follows is in words of it */
	u32 entries_max, entries_high;
	u32 entries_used;		/* claimed, from the first on */
	u32 entries_drained;		/* drain.c: of these */
	struct oprofile_waker *waker;	/* of who drains */
	struct oprofile_path_book *book;	/* of the paths in it; NULL: plain samples only */
	struct {
		struct oprofile_task_id id;
		u32 context;
	} last[OPROFILE_NR_DOMAINS];	/* the context hit last */
};

/* 0 or ENOMEM. @entries: with room for half as many of those as slots, or none. Process context. */
int oprofile_table_alloc(struct oprofile_table *t, unsigned long slots, bool entries, int node,
			 struct oprofile_waker *waker);
/* Nobody may be using it any more. */
void oprofile_table_release(struct oprofile_table *t);

/* What follows, up to the next such line: the CPU itself, interrupts off or NMI. */

/* The context of @id, which is not the one hit last, if the table has it; else NO_CONTEXT. */
u32 oprofile_table_find_context(struct oprofile_table *t, const struct oprofile_task_id *id);
/* A new one for @id, a life of the current task. NO_CONTEXT: no room. */
u32 oprofile_table_new_context(struct oprofile_table *t, const struct oprofile_task_id *id, u64 app);

/* Counts a hit in a slot, known or new, or keeps it whole if it has data. False: no room. */
bool oprofile_table_add(struct oprofile_table *t, u32 context, const struct oprofile_hit *hit,
			const struct oprofile_place *place);

/* The same for the current task's resolved user address, in its context, known or new. Not from NMI. */
bool oprofile_table_add_user(struct oprofile_table *t, const struct oprofile_task_id *id, u64 app,
			     const struct oprofile_hit *hit, const struct oprofile_place *place);

/* What was counted for @hit, in the context of @id, is counted at @where instead, if it still is here; false: it is
 * not. Not from NMI. */
bool oprofile_table_recount(struct oprofile_table *t, const struct oprofile_task_id *id,
			    const struct oprofile_hit *hit, u64 where);

/* Tells the current task's contexts that did not know it their program. Not from NMI. */
void oprofile_table_set_app(struct oprofile_table *t, u64 app);

/* Who drains: the table is not active. The entry at *@at, which becomes the next one's place; NULL: no more. */
const struct oprofile_entry *oprofile_table_entry(const struct oprofile_table *t, u32 *at);
/* Empties one slot or context. */
void oprofile_table_clear_slot(struct oprofile_table *t, u32 slot);
void oprofile_table_clear_context(struct oprofile_table *t, u32 context);
/* After all contexts are cleared. */
void oprofile_table_clear(struct oprofile_table *t);

static inline u32 oprofile_slot_event(u32 key)
{
	return key & 0xff;
}

static inline u32 oprofile_slot_key(u32 context, u32 event)
{
	return (context + 1) << 8 | event;
}

static inline u32 oprofile_slot_hash(const struct oprofile_table *t, u64 where, u32 key)
{
	return (where ^ (u64)key << 40) * GOLDEN_RATIO_64 >> t->slot_shift;
}

static inline bool oprofile_same_task(const struct oprofile_task_id *a,
				      const struct oprofile_task_id *b)
{
	return a->task == b->task && a->start_time == b->start_time &&
	       a->exec_id == b->exec_id && a->generation == b->generation && a->domain == b->domain;
}

/* A hit of what was hit before is all in the handler: the rest of this file is inline for it. */

/* The context of @id: the one hit last, or one in the table, or NO_CONTEXT. */
static inline u32 oprofile_table_context(struct oprofile_table *t, const struct oprofile_task_id *id)
{
	if (likely(oprofile_same_task(&t->last[id->domain].id, id)))
		return t->last[id->domain].context;
	return oprofile_table_find_context(t, id);
}

/* NULL: there is none yet. */
static inline struct oprofile_slot *oprofile_table_slot(struct oprofile_table *t, u32 context, u64 where,
							u32 event)
{
	u32 key = oprofile_slot_key(context, event), at = oprofile_slot_hash(t, where, key), i;

	for (i = 0; i < OPROFILE_PROBES; i++, at = (at + 1) & t->slot_mask) {
		struct oprofile_slot *slot = &t->slots[at];

		if (slot->where == where && slot->key == key)
			return slot;
		if (!slot->key)
			return NULL;
	}
	return NULL;
}

#endif
