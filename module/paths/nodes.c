// SPDX-License-Identifier: GPL-2.0
/*
 * paths/nodes.c -- lookup and creation of nodes of call paths, and their quotas.
 */
#include "paths/nodes.h"

#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/vmalloc.h>

#include "payer.h"
#include "waker.h"

#define PROBES	64

int oprofile_path_nodes_alloc(struct oprofile_path_nodes *n, u32 bits, struct oprofile_waker *waker)
{
	get_random_bytes(n->key, sizeof(n->key));
	n->key[0] |= 1;
	n->key[1] |= 1;
	n->max = 1U << bits;
	n->waker = waker;
	n->shift = 64 - (bits + 1);
	n->node = vzalloc(array_size(n->max, sizeof(*n->node)));
	n->hash = vzalloc(array_size(2 * n->max, sizeof(*n->hash)));
	n->sent = vzalloc(BITS_TO_LONGS(n->max) * sizeof(long));
	if (!n->node || !n->hash || !n->sent) {
		oprofile_path_nodes_release(n);
		return -ENOMEM;
	}
	n->node[0] = (struct oprofile_path_node){ .parent = ~0U, .image = ~0U, .offset = ~0ULL };
	__set_bit(0, n->sent);
	atomic_set(&n->nr, 1);
	return 0;
}

void oprofile_path_nodes_release(struct oprofile_path_nodes *n)
{
	vfree(n->node);
	vfree(n->hash);
	vfree(n->sent);
	memset(n, 0, sizeof(*n));
}

/* Charge a node to @payer. One user may have at most three quarters of the book's nodes, and only
 * root may use the last eighth of the nodes. Return false if the limit is reached. */
static bool charge(struct oprofile_path_nodes *n, u64 payer)
{
	atomic_t *nr = &n->nr_of[oprofile_share_of(payer, OPROFILE_NODE_SHARES)];

	if (!payer)
		return true;
	if (atomic_read(&n->nr) >= n->max / 8 * 7 || atomic_read(nr) >= n->max / 4 * 3)
		return false;
	if (atomic_inc_return(nr) == n->max / 8 * 5) {
		WRITE_ONCE(n->share_high, true);
		oprofile_wake(n->waker, true);
	}
	return true;
}

void oprofile_path_nodes_pay_for(struct oprofile_path_nodes *n, u64 payer)
{
	n->maker_payer = payer;
	barrier();	/* an NMI during this function may make nodes */
	WRITE_ONCE(n->maker, current);
}

void oprofile_path_nodes_pay_end(struct oprofile_path_nodes *n)
{
	WRITE_ONCE(n->maker, NULL);
}

static u64 current_payer(const struct oprofile_path_nodes *n)
{
	return unlikely(READ_ONCE(n->maker) == current) ? n->maker_payer : oprofile_payer();
}

/* Charge a new node to the current payer, and return the node's number. Return OPROFILE_NO_NODE
 * if all nodes are in use, or the payer has reached the limit. */
static u32 new_number(struct oprofile_path_nodes *n)
{
	u32 number;

	/* Check before the increment, because the counter must not wrap around. */
	if (atomic_read(&n->nr) >= n->max || !charge(n, current_payer(n)))
		return OPROFILE_NO_NODE;
	number = atomic_inc_return(&n->nr) - 1;
	if (number >= n->max)
		return OPROFILE_NO_NODE;
	if (number == oprofile_path_nodes_high(n))
		oprofile_wake(n->waker, true);
	return number;
}

u32 oprofile_path_node_make(struct oprofile_path_nodes *n, u32 at, u32 parent, u32 image,
			    u64 offset)
{
	u32 mask = 2 * n->max - 1, fresh = 0, i;

	for (i = 0; i < PROBES; i++, at = (at + 1) & mask) {
		u32 number = smp_load_acquire(&n->hash[at]);
		const struct oprofile_path_node *node;

		if (!number) {
			if (!fresh) {
				fresh = new_number(n);
				if (!fresh)
					return OPROFILE_NO_NODE;
				n->node[fresh] = (struct oprofile_path_node){parent, image, offset};
			}
			number = cmpxchg(&n->hash[at], 0, fresh);
			if (!number)
				return fresh;
		}
		node = &n->node[number];
		if (node->offset == offset && node->parent == parent && node->image == image)
			/* Another CPU has inserted an equal node first: return that node. The
			 * node that this function has filled stays unused. */
			return number;
	}
	return OPROFILE_NO_NODE;
}
