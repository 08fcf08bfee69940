/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/send.h -- writing of the nodes of call paths to the ring. Each node is sent once per book,
 * before the first sample that refers to it.
 *
 * All functions are called with drain.lock held.
 */
#ifndef OPROFILE_PATHS_SEND_H
#define OPROFILE_PATHS_SEND_H

#include "cpu.h"
#include "paths/paths.h"

struct oprofile_ring;

/* Return the book to which node numbers in the currently written records refer. */
static inline struct oprofile_path_book *oprofile_paths_streamed(const struct oprofile_paths *p)
{
	return p->old ?: p->book;
}

/* Return the book that the next active table of a CPU must use; NULL: call paths are off. */
static inline struct oprofile_path_book *oprofile_paths_book(const struct oprofile_paths *p,
							     const struct oprofile_cpu *pcpu)
{
	return p->depth && pcpu->walker[OPROFILE_NR_WALKERS - 1] ? p->book : NULL;
}

/* Write @node and its callers to the ring, unless the reader already knows them. Return 0 or
 * -ENOSPC. */
int oprofile_path_send(struct oprofile_paths *p, struct oprofile_ring *ring, u32 node);

/* Called when all inactive tables are empty. Begin a new book if the current one is nearly full.
 * Return true if a new book has begun: then the active tables must be drained as well. */
bool oprofile_paths_rotate(struct oprofile_paths *p);

/* Called when all tables that were active at the last oprofile_paths_rotate() are empty. Free
 * the old book, and request missing unwind tables from the reader. Return 0 or -ENOSPC. */
int oprofile_paths_finish(struct oprofile_paths *p, struct oprofile_ring *ring);

#endif
