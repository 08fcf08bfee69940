/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/ring.h -- the ring of overflow records, in pages that users map after the object's page.
 *
 * The object, the slots that write to the ring, and each mapping have a reference to the ring. The
 * ring is charged to its creator until it is freed.
 */
#ifndef VPERFCTR_RING_H
#define VPERFCTR_RING_H

#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct page;
struct vm_area_struct;
struct vperfctr_ring_record;
struct vperfctr_state;
struct vperfctr_user;

struct vperfctr_ring {
	refcount_t ref;
	/* lock for writers, because the owner may move to another CPU while a writer is active on
	 * this CPU */
	raw_spinlock_t lock;
	/* number of records written; protected by .lock; the page of the object has a copy */
	u64 head;
	u64 lost;		/* number of overflows without a record; protected by .lock */
	struct vperfctr_user *user;
	u32 nr_pages;
	struct page *pages[];
};

/* Allocate a ring. May sleep. Return NULL if @nr_pages is 0, or an ERR_PTR; -EAGAIN: @user has
 * reached the limit. */
struct vperfctr_ring *vperfctr_ring_create(struct vperfctr_user *user, u32 nr_pages);
void vperfctr_ring_get(struct vperfctr_ring *ring);
void vperfctr_ring_put(struct vperfctr_ring *ring);	/* @ring may be NULL. */

/* Make @state show this ring; NULL: no ring. */
void vperfctr_ring_show(struct vperfctr_ring *ring, struct vperfctr_state *state);
/* Write a record. @state: the state that shows this ring, in which to update the ring's head, or
 * NULL. May be called in any context except NMIs. */
void vperfctr_ring_write(struct vperfctr_ring *ring, struct vperfctr_state *state,
			 const struct vperfctr_ring_record *record);
/* Count @nr overflows as lost, because they have no record in the ring. */
void vperfctr_ring_lose(struct vperfctr_ring *ring, struct vperfctr_state *state, u64 nr);
/* Map the ring from the second page of @vma on. Return 0 or a negative errno. */
int vperfctr_ring_map(struct vperfctr_ring *ring, struct vm_area_struct *vma);

#endif
