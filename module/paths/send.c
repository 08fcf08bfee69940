// SPDX-License-Identifier: GPL-2.0
/*
 * paths/send.c -- encoding of nodes and images as records of the stream.
 */
#include "paths/send.h"

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include "ring.h"
#include "uapi/oprofile.h"

/* Return @value as an operand of a record. Users can choose some operands, so replace a value
 * that equals OPROFILE_ESCAPE: the reader would take it for the start of a code. */
static unsigned long operand(u64 value)
{
	return value == OPROFILE_ESCAPE ? OPROFILE_ESCAPE - 1 : value;
}

static int send_image(struct oprofile_ring *ring, struct oprofile_path_image *image, u32 number)
{
	const struct oprofile_place *place = &image->place;
	bool anon = place->cookie == OPROFILE_NO_COOKIE;
	const unsigned long words[] = {
		OPROFILE_ESCAPE,	 OPROFILE_PATH_IMAGE,	number,	     place->cookie,
		anon ? place->start : 0, anon ? place->end : 0, place->kind, image->tgid,
	};
	int err;

	if (image->sent)
		return 0;
	err = oprofile_ring_put(ring, words, ARRAY_SIZE(words));
	if (!err)
		image->sent = true;
	return err;
}

static int send_node(struct oprofile_path_book *b, struct oprofile_ring *ring, u32 number)
{
	const struct oprofile_path_node *node = &b->nodes.node[number];
	u32 image = node->image & OPROFILE_IMAGE_MASK;
	const unsigned long words[] = {
		OPROFILE_ESCAPE,
		OPROFILE_PATH_NODE,
		number,
		node->parent,
		image,
		node->image >> OPROFILE_HOW_SHIFT,
		operand(node->offset),
	};
	int err = send_image(ring, &b->image[image], image);

	err = err ?: oprofile_ring_put(ring, words, ARRAY_SIZE(words));
	if (!err)
		__set_bit(number, b->nodes.sent);
	return err;
}

int oprofile_path_send(struct oprofile_paths *p, struct oprofile_ring *ring, u32 node)
{
	struct oprofile_path_book *b = oprofile_paths_streamed(p);
	u32 nr = 0;
	int err = 0;

	for (; !test_bit(node, b->nodes.sent); node = b->nodes.node[node].parent) {
		if (WARN_ON_ONCE(nr == ARRAY_SIZE(p->chain)))
			return 0;
		p->chain[nr++] = node;
	}
	while (nr-- && !err)
		err = send_node(b, ring, p->chain[nr]);
	return err;
}

bool oprofile_paths_rotate(struct oprofile_paths *p)
{
	struct oprofile_path_book *book;

	p->tables.turn++;
	if (!p->book || !oprofile_path_book_nearly_full(p->book))
		return false;
	book = oprofile_path_book_new(p->epoch + 1, ilog2(p->nodes), &p->lock, p->waker);
	if (!book)
		/* memory is short: continue with the current book, and try again at the next
		 * call */
		return false;
	p->epoch++;
	spin_lock(&p->lock);
	p->old = p->book;
	p->book = book;
	spin_unlock(&p->lock);
	return true;
}

/* Request from the reader the unwind table of each image for which handlers have found no table.
 * Repeat a request only if the table was received and evicted. */
static int request_tables(struct oprofile_paths *p, struct oprofile_ring *ring)
{
	struct oprofile_path_book *b = p->book;
	u32 i, nr = b ? READ_ONCE(b->nr_images) : 0;

	for (i = 1; i < nr; i++) {
		struct oprofile_path_image *image = &b->image[i];
		const unsigned long words[] = {OPROFILE_ESCAPE, OPROFILE_TABLE_WANTED,
					       image->place.cookie};

		if (!READ_ONCE(image->wanted) || image->asked || rcu_access_pointer(image->table))
			continue;
		if (oprofile_ring_put(ring, words, ARRAY_SIZE(words)))
			return -ENOSPC;
		spin_lock(&p->lock);
		image->asked = true;
		spin_unlock(&p->lock);
	}
	return 0;
}

int oprofile_paths_finish(struct oprofile_paths *p, struct oprofile_ring *ring)
{
	static const unsigned long anew[] = { OPROFILE_ESCAPE, OPROFILE_PATHS_ANEW };
	struct oprofile_path_book *old = p->old;

	if (old) {
		if (oprofile_ring_put(ring, anew, ARRAY_SIZE(anew)))
			return -ENOSPC;
		spin_lock(&p->lock);
		p->old = NULL;
		spin_unlock(&p->lock);
		oprofile_path_book_free(old);
	}
	return request_tables(p, ring);
}
