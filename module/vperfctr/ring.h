/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/ring.h -- overflows as records, in pages that users map behind the object's.
 *
 * A ring has references: of its object, of slots that write it, and of each mapping. As long as it lives, its maker's user pays.
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
	raw_spinlock_t lock;	/* of writers: the owner may have moved to another CPU before the first one is done */
	u64 head;		/* lock; the page's is a copy, once the ring is its object's */
	u64 lost;		/* lock */
	struct vperfctr_user *user;
	u32 nr_pages;
	struct page *pages[];
};

/* ERR_PTR; EAGAIN: more than @user may have. NULL: no pages. May sleep. */
struct vperfctr_ring *vperfctr_ring_create(struct vperfctr_user *user, u32 nr_pages);
void vperfctr_ring_get(struct vperfctr_ring *ring);
void vperfctr_ring_put(struct vperfctr_ring *ring);	/* NULL: nothing */

/* @state tells of this ring from now on; NULL: of none. */
void vperfctr_ring_show(struct vperfctr_ring *ring, struct vperfctr_state *state);
/* One record; and `state` of the ring that it tells of, else NULL. In any context but an NMI. */
void vperfctr_ring_write(struct vperfctr_ring *ring, struct vperfctr_state *state, const struct vperfctr_ring_record *record);
/* There were @nr more overflows. */
void vperfctr_ring_lose(struct vperfctr_ring *ring, struct vperfctr_state *state, u64 nr);
/* From the second page of @vma on. */
int vperfctr_ring_map(struct vperfctr_ring *ring, struct vm_area_struct *vma);

#endif
