/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keep.h -- all that a session keeps: sample files, and beside them the kernel's symbols, build-ids, names of
 * threads, symbol tables, code made at run time; what of it goes to the disk when, and in which order.
 */
#ifndef OPD_KEEP_H
#define OPD_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/about.h"
#include "daemon/store/attribute.h"
#include "libop/base/reason.h"

struct opd_books;
struct opd_config;
struct opd_finder;
struct opd_images;
struct opd_jit;
struct opd_kernel;
struct opd_log;
struct opd_made_files;
struct opd_paths;
struct opd_sample_cache;
struct opd_sampling;
struct opd_session;
struct opd_tables;
struct opd_task_names;
struct opd_unwind_tables;

struct opd_keep {
	/* Borrowed. */
	const struct opd_config *cfg;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_books *books;
	/* Owned, made in this order. */
	struct opd_finder *finder;		/* NULL: a recorded stream is of other files */
	struct opd_images *images;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_attribution attribution;	/* the sink */
	struct opd_jit *jit;			/* NULL: a recorded stream is of other processes */
	struct opd_task_names *task_names;	/* NULL: threads are not told apart */
	struct opd_tables *tables;		/* of symbols; NULL: none are kept */
	struct opd_paths *paths;		/* NULL, like the three below, if no call paths are taken */
	struct opd_unwind_tables *unwind;
	struct opd_tables *unwind_files;	/* which are made for unwind */
	struct opd_made_files *made_files;	/* the same for code made at run time */

	size_t nr_build_ids;		/* in the session's file of them */
	struct opd_about about;
	bool jit_failed;		/* and said so */
	uint64_t synced_ms;
	uint64_t uses_noted_ms;		/* time of the last note of unwind tables in use */
};

void opd_keep_init(struct opd_keep *k, const struct opd_config *cfg, struct opd_log *log,
		   struct opd_session *session, struct opd_sampling *sampling, struct opd_books *books);
/* Takes what was only initialized. */
void opd_keep_release(struct opd_keep *k);

/* With the session open and its books read. On failure a sentence is in @why. */
int opd_keep_create(struct opd_keep *k, struct op_reason *why);

/* Call it before sampling begins: with call paths, makes what the stacks of running programs are walked by, as far as
 * there is time. */
void opd_keep_prepare(struct opd_keep *k);

/* Everything sampled is on its way to the disk, and the totals with it. First error, or 0. */
int opd_keep_sync(struct opd_keep *k);
/*
 * The same, and there when this returns; what a report needs beside the samples too, as much copying as the
 * budgets allow. @last: nothing comes after it, and names get longer.
 */
int opd_keep_all(struct opd_keep *k, bool last);

/* When and of what the samples are, until now. */
void opd_keep_about(struct opd_keep *k);

/* What was current goes: all its files are closed; and a new session begins. */
void opd_keep_close_files(struct opd_keep *k);
void opd_keep_restart(struct opd_keep *k);
/* Write the files that a new session begins with into its samples directory, before the sessions change. Return 0 or a
 * negative errno. */
int opd_keep_prepare_next(struct opd_keep *k, int next_fd);

/* When opd_keep_turn() has something to do: op_now_ms(), 0: at once, UINT64_MAX: nothing. */
uint64_t opd_keep_due(const struct opd_keep *k);
void opd_keep_turn(struct opd_keep *k);

#endif
