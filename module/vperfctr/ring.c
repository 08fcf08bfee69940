// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/ring.c -- the ring of overflow records.
 */
#include "vperfctr/ring.h"

#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "uapi/vperfctr.h"
#include "vperfctr/users.h"

#define PER_PAGE	(PAGE_SIZE / sizeof(struct vperfctr_ring_record))

static void free_ring(struct vperfctr_ring *ring)
{
	u32 i;

	for (i = 0; i < ring->nr_pages; i++) {
		if (ring->pages[i])
			__free_page(ring->pages[i]);
	}
	vperfctr_uncharge(ring->user, VPERFCTR_RING_PAGES, ring->nr_pages);
	kfree(ring);
}

struct vperfctr_ring *vperfctr_ring_create(struct vperfctr_user *user, u32 nr_pages)
{
	struct vperfctr_ring *ring;
	u32 i;

	if (!nr_pages)
		return NULL;
	if (!vperfctr_charge(user, VPERFCTR_RING_PAGES, nr_pages))
		return ERR_PTR(-EAGAIN);
	ring = kzalloc(struct_size(ring, pages, nr_pages), GFP_KERNEL_ACCOUNT);
	if (!ring) {
		vperfctr_uncharge(user, VPERFCTR_RING_PAGES, nr_pages);
		return ERR_PTR(-ENOMEM);
	}
	ring->user = user;
	refcount_set(&ring->ref, 1);
	raw_spin_lock_init(&ring->lock);
	ring->nr_pages = nr_pages;
	for (i = 0; i < nr_pages; i++) {
		ring->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!ring->pages[i]) {
			free_ring(ring);
			return ERR_PTR(-ENOMEM);
		}
	}
	return ring;
}

void vperfctr_ring_get(struct vperfctr_ring *ring)
{
	refcount_inc(&ring->ref);
}

void vperfctr_ring_put(struct vperfctr_ring *ring)
{
	if (ring && refcount_dec_and_test(&ring->ref))
		free_ring(ring);
}

static u32 size_of(const struct vperfctr_ring *ring)
{
	return ring->nr_pages * PER_PAGE;
}

void vperfctr_ring_show(struct vperfctr_ring *ring, struct vperfctr_state *state)
{
	unsigned long flags;

	if (ring)
		raw_spin_lock_irqsave(&ring->lock, flags);
	WRITE_ONCE(state->ring_size, ring ? size_of(ring) : 0);
	WRITE_ONCE(state->ring_offset, ring ? PAGE_SIZE : 0);
	WRITE_ONCE(state->ring_head, ring ? ring->head : 0);
	WRITE_ONCE(state->ring_lost, ring ? ring->lost : 0);
	if (ring)
		raw_spin_unlock_irqrestore(&ring->lock, flags);
}

void vperfctr_ring_write(struct vperfctr_ring *ring, struct vperfctr_state *state,
			 const struct vperfctr_ring_record *record)
{
	struct vperfctr_ring_record *to;
	unsigned long flags;
	u32 at;

	raw_spin_lock_irqsave(&ring->lock, flags);
	at = ring->head % size_of(ring);
	to = (struct vperfctr_ring_record *)page_address(ring->pages[at / PER_PAGE]) +
	     at % PER_PAGE;
	WRITE_ONCE(to->pc, record->pc);
	WRITE_ONCE(to->mask, record->mask);
	WRITE_ONCE(to->tsc, record->tsc);
	ring->head++;
	/* Write the head after the record: a reader reads the head, then copies the record, then
	 * reads the head again. */
	if (state)
		smp_store_release(&state->ring_head, ring->head);
	raw_spin_unlock_irqrestore(&ring->lock, flags);
}

void vperfctr_ring_lose(struct vperfctr_ring *ring, struct vperfctr_state *state, u64 nr)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ring->lock, flags);
	ring->lost += nr;
	if (state)
		WRITE_ONCE(state->ring_lost, ring->lost);
	raw_spin_unlock_irqrestore(&ring->lock, flags);
}

static void on_open(struct vm_area_struct *vma)
{
	vperfctr_ring_get(vma->vm_private_data);
}

static void on_close(struct vm_area_struct *vma)
{
	vperfctr_ring_put(vma->vm_private_data);
}

static const struct vm_operations_struct mapping_operations = {
	.open = on_open,
	.close = on_close,
};

int vperfctr_ring_map(struct vperfctr_ring *ring, struct vm_area_struct *vma)
{
	int err = 0;
	u32 i;

	for (i = 0; i < ring->nr_pages && !err; i++)
		err = remap_pfn_range(vma, vma->vm_start + (i + 1) * PAGE_SIZE,
				      page_to_pfn(ring->pages[i]), PAGE_SIZE, vma->vm_page_prot);
	if (err)
		return err;
	vma->vm_private_data = ring;
	vma->vm_ops = &mapping_operations;
	vperfctr_ring_get(ring);
	return 0;
}
