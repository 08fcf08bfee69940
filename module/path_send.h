/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_send.h -- nodes in the stream: each once, before the first sample that needs it; and when numbers begin anew.
 *
 * All of it with drain.lock held.
 */
#ifndef OPROFILE_PATH_SEND_H
#define OPROFILE_PATH_SEND_H

#include "cpu.h"
#include "paths.h"

struct oprofile_ring;

/* The book whose numbers are the stream's. */
static inline struct oprofile_path_book *oprofile_paths_streamed(const struct oprofile_paths *p)
{
	return p->old ?: p->book;
}

/* The book that a CPU's next table is to count by, or NULL. */
static inline struct oprofile_path_book *oprofile_paths_book(const struct oprofile_paths *p, const struct oprofile_cpu *pcpu)
{
	return p->depth && pcpu->walker[OPROFILE_NR_WALKERS - 1] ? p->book : NULL;
}

/* Sends @node, unless the reader knows it already. 0 or ENOSPC. */
int oprofile_path_send(struct oprofile_paths *p, struct oprofile_ring *ring, u32 node);

/* Call it when all tables are empty except those that CPUs count in. True: another book was
 * begun, so these must be emptied too. */
bool oprofile_paths_turn(struct oprofile_paths *p);

/* Call it when those tables are empty, too: lets an old book go, and asks the reader for tables.
 * 0 or ENOSPC. */
int oprofile_paths_finish(struct oprofile_paths *p, struct oprofile_ring *ring);

#endif
