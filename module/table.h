/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table.h -- per-CPU hash tables of samples.
 *
 * A table consists of contexts and slots. A context describes a task between two execs. A slot
 * counts the samples with the same context, address and event. A hit costs a few comparisons and an
 * addition. A sample with additional data (IBS) is not counted in a slot, but stored as an entry of
 * variable length.
 *
 * Only the CPU itself writes to its table, with interrupts off or in an NMI. An NMI may interrupt a
 * writer at any instruction, so slots, contexts and entries are claimed by cmpxchg, filled, and
 * published by the last store; a count is incremented by one instruction. Before the drain
 * (drain.c) reads a table, it makes the CPU's other table active and waits for an RCU grace period:
 * writers, including NMIs, are RCU readers.
 *
 * Pointers to tasks and mms are never dereferenced. A context is identified by the address of the
 * task, its start time and its exec count.
 */
#ifndef OPROFILE_TABLE_H
#define OPROFILE_TABLE_H

#include <linux/hash.h>
#include <linux/types.h>

#include "compat/compat.h"
#include "hit.h"

struct oprofile_path_book;
struct oprofile_waker;

/* Maximum number of hash table entries to examine for a context or slot. Longer probe sequences
 * occur only in a nearly full table. */
#define OPROFILE_PROBES		64

#define OPROFILE_NO_CONTEXT	(~0U)

struct oprofile_slot {
	u64 where;		/* the address or path of the hit (`where` in hit.h) */
	u64 n;
	/* state of the slot: 0: free; SLOT_CLAIMED: being written; otherwise in use, and .key
	 * combines the slot's context and event */
	u32 key;
	u32 next;		/* index + 1 of the context's next slot; 0: end of the list */
};

/* A sample with additional data. The next entry follows the words of the data, at a multiple of 8
 * bytes. */
struct oprofile_entry {
	struct oprofile_place place;
	u64 where;
	u64 n;
	u32 event;
	u32 context;
	u32 code;		/* code of the record with the sample's data */
	u32 nr;
	u32 words[];
};

/* The kind of code that was sampled: kernel, user or guest. */
enum oprofile_domain {
	OPROFILE_IN_KERNEL,
	OPROFILE_IN_USER,
	OPROFILE_IN_GUEST,	/* the sample is in a virtual machine and has no address */
	OPROFILE_NR_DOMAINS,
};

/* Identity of a task between two execs. */
struct oprofile_task_id {
	/* the task; this pointer is compared, but never dereferenced; NULL: an interrupt */
	const void *task;
	u64 start_time;
	u64 exec_id;
	/* generation of the task's memory map (hooks.h); 0 for samples without a user address */
	u64 generation;
	/* id of the task's control group (group.h); 0: not recorded */
	u64 group;
	/* kind of the sampled code, enum oprofile_domain; not used in .last of the table, which has
	 * an element for each kind */
	u32 domain;
	u32 woken;		/* see struct oprofile_hit */
};

struct oprofile_context {
	struct oprofile_task_id id;
	struct oprofile_attribution who;
	u32 state;		/* state of this context: CTX_FREE, CTX_CLAIMED or CTX_READY */
	u32 slots;		/* index + 1 of the first slot of this context */
	u32 next;		/* index + 1 of the next context in the list of used contexts */
	u32 app_requested;	/* whether the cookie of the task's program has been requested */
};

struct oprofile_table {
	struct oprofile_slot *slots;
	/* for each slot, the mapping of its address; a separate array because handlers do not
	 * read it */
	struct oprofile_place *places;
	struct oprofile_context *contexts;
	/* 64 - log2(number of slots), 64 - log2(number of contexts) */
	u32 slot_shift, context_shift;
	u32 slot_mask, context_mask;
	u32 slots_used, contexts_used;
	/* the drain is woken when this many slots or contexts are in use */
	u32 slots_high, contexts_high;
	/* index + 1 of the first context in the list of used contexts; 0: no context is used */
	u32 used;
	/* entries for samples with additional data; NULL: not allocated. Members below count words
	 * of this array */
	u64 *entries;
	u32 entries_max, entries_high;
	u32 entries_used;		/* number of words in use */
	/* number of words that have been drained; only drain.c uses this member */
	u32 entries_drained;
	struct oprofile_waker *waker;	/* wakes the drain thread */
	/* book with the call paths of the slots; NULL: no call paths */
	struct oprofile_path_book *book;
	struct {
		struct oprofile_task_id id;
		u32 context;
	/* for each domain, the context of the last hit; the second half is for wakers */
	} last[2 * OPROFILE_NR_DOMAINS];
};

/* Allocate a table with @slots slots. @entries: also allocate half as many entries. Process
 * context. Return 0 or -ENOMEM. */
int oprofile_table_alloc(struct oprofile_table *t, unsigned long slots, bool entries, int node,
			 struct oprofile_waker *waker);
/* Free the table. No CPU may use it any more. */
void oprofile_table_release(struct oprofile_table *t);

/* Call the following functions, up to those of the drain, only on the CPU to which the table
 * belongs, with interrupts off or in an NMI. */

/* Return the context of @id, or NO_CONTEXT. Searches the hash table; the caller has already
 * compared the last context. */
u32 oprofile_table_find_context(struct oprofile_table *t, const struct oprofile_task_id *id);
/* Add a context for @id, which is the current task. Return its number, or NO_CONTEXT if the table
 * is full. */
u32 oprofile_table_new_context(struct oprofile_table *t, const struct oprofile_task_id *id,
			       u64 app);

/* Count a hit in its slot; add the slot if it is missing. Store a hit with data as an entry.
 * @place: mapping of a user address. Return false if the table is full. */
bool oprofile_table_add(struct oprofile_table *t, u32 context, const struct oprofile_hit *hit,
			const struct oprofile_place *place);

/* Count a hit of the current task's resolved user address in the task's context; add the context if
 * it is missing. Must not be called in an NMI. */
bool oprofile_table_add_user(struct oprofile_table *t, const struct oprofile_task_id *id, u64 app,
			     const struct oprofile_hit *hit, const struct oprofile_place *place);

/* Count a hit of another task, whose attribution is @who, in the context of @id; add the context if
 * it is missing. Return false if the table is full. Must not be called in an NMI. */
bool oprofile_table_add_for(struct oprofile_table *t, const struct oprofile_task_id *id,
			    const struct oprofile_attribution *who, const struct oprofile_hit *hit,
			    const struct oprofile_place *place);
/* Return whether the table is less than half full. */
bool oprofile_table_has_room(const struct oprofile_table *t);

/* Move the count of @hit to the slot of @where: the hit was counted in a slot of the context of
 * @id. Return false if the drain has already written the hit. Must not be called in an NMI. */
bool oprofile_table_recount(struct oprofile_table *t, const struct oprofile_task_id *id,
			    const struct oprofile_hit *hit, u64 where);

/* Set the program's cookie to @app in all contexts of the current task in the control group @group
 * whose program is not known yet. Must not be called in an NMI. */
void oprofile_table_set_app(struct oprofile_table *t, u64 app, u64 group);

/* The drain's functions follow: call them only while the table is not active. Return the entry
 * at *@at and advance *@at to the next entry. Return NULL if no entry is left. */
const struct oprofile_entry *oprofile_table_entry(const struct oprofile_table *t, u32 *at);
/* Free one slot or one context of the table. */
void oprofile_table_clear_slot(struct oprofile_table *t, u32 slot);
void oprofile_table_clear_context(struct oprofile_table *t, u32 context);
/* Reset the table. All its contexts must have been freed. */
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

/* Return the index of the element of .last of the table that is for @id. */
static inline u32 oprofile_last_index(const struct oprofile_task_id *id)
{
	return id->domain + (id->woken ? OPROFILE_NR_DOMAINS : 0);
}

/* Return whether two ids are equal except for their kinds of code and woken programs. */
static inline bool oprofile_same_task(const struct oprofile_task_id *a,
				      const struct oprofile_task_id *b)
{
	return a->task == b->task && a->start_time == b->start_time &&
	       a->exec_id == b->exec_id && a->generation == b->generation && a->group == b->group;
}

/* The fast path of handlers is inline: it counts a hit whose slot already exists. */

/* Return the last used context if it is that of @id, otherwise NO_CONTEXT. */
static inline u32 oprofile_table_last_context(const struct oprofile_table *t,
					      const struct oprofile_task_id *id)
{
	const u32 i = oprofile_last_index(id);

	if (likely(oprofile_same_task(&t->last[i].id, id) &&
		   (!id->woken || t->last[i].id.woken == id->woken)))
		return t->last[i].context;
	return OPROFILE_NO_CONTEXT;
}

/* Return the context of @id, or NO_CONTEXT. Most hits have the last used context. */
static inline u32 oprofile_table_context(struct oprofile_table *t,
					 const struct oprofile_task_id *id)
{
	u32 context = oprofile_table_last_context(t, id);

	return likely(context != OPROFILE_NO_CONTEXT) ? context :
							oprofile_table_find_context(t, id);
}

/* Return the slot of a hit in the context @context, or NULL. */
static inline struct oprofile_slot *oprofile_table_slot(struct oprofile_table *t, u32 context,
							u64 where, u32 event)
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

/* Count a hit in its slot of the context @context. Return false if it has no slot yet. */
static inline bool oprofile_table_count(struct oprofile_table *t, u32 context,
					const struct oprofile_hit *hit)
{
	struct oprofile_slot *slot = oprofile_table_slot(t, context, hit->where, hit->event);

	if (unlikely(!slot))
		return false;
	oprofile_add_local(&slot->n, hit->n);
	return true;
}

#endif
