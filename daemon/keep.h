/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keep.h -- the files that a session keeps: sample files, and beside them the kernel's symbols,
 * build-ids, names of threads, symbol tables, and descriptions of code made at run time. Decides
 * when each of them is written to disk, and in which order.
 */
#ifndef OPD_KEEP_H
#define OPD_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/about.h"
#include "daemon/store/attribute.h"
#include "libop/base/reason.h"

struct opd_accounting;
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
	/* The members from .cfg to .accounting are borrowed. */
	const struct opd_config *cfg;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_accounting *accounting;
	/* The members after this line are owned, and created in this order. */
	/* finds and opens files; NULL for a recorded stream, whose files are not on this machine */
	struct opd_finder *finder;
	struct opd_images *images;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	/* the sink to which the source of samples delivers */
	struct opd_attribution attribution;
	/* copies of the files that describe code made at run time; NULL for a recorded stream,
	 * whose processes are not on this machine */
	struct opd_jit *jit;
	/* names of threads; NULL without --separate=thread */
	struct opd_task_names *task_names;
	/* symbol tables; NULL: symbol tables are not kept */
	struct opd_tables *tables;
	/* trees of call paths; NULL if no call paths are recorded; the next three members are then
	 * NULL, too */
	struct opd_paths *paths;
	struct opd_unwind_tables *unwind;
	/* makes the unwind tables, which .unwind then loads */
	struct opd_tables *unwind_files;
	struct opd_made_files *made_files;	/* makes unwind tables for code made at run time */

	size_t nr_build_ids;		/* number of build-ids in the session's file of build-ids */
	struct opd_about about;
	/* a failure to copy a description of code made at run time has been logged */
	bool jit_failed;
	uint64_t synced_ms;
	bool is_syncing;		/* a sync in steps is in progress */
	uint64_t memory_seen_ms;	/* time at which the daemon's memory was last looked at */
	/* bytes of mapped files in memory that are not unwind tables */
	uint64_t mapped_others;
	uint64_t uses_noted_ms;		/* time at which the use of unwind tables was last noted */
};

void opd_keep_init(struct opd_keep *k, const struct opd_config *cfg, struct opd_log *log,
		   struct opd_session *session, struct opd_sampling *sampling,
		   struct opd_accounting *accounting);
/* Release @k, which must be initialized; opd_keep_create() need not have been called. */
void opd_keep_release(struct opd_keep *k);

/* Create all owned members. The session must be open and its totals read. Return 0, or a negative
 * errno with a sentence in @error. */
int opd_keep_create(struct opd_keep *k, struct op_reason *error);

/* Make the unwind tables of running programs, within a limit of time, if call paths are taken. Call
 * this function before sampling begins. */
void opd_keep_prepare(struct opd_keep *k);

/* Start writing all samples and the totals to disk. Return the first error, or 0. */
int opd_keep_sync(struct opd_keep *k);
/*
 * Write all samples, the totals, and all other files that a report needs, as far as the budgets
 * allow, and wait for the disk. @last: the daemon ends, so wait longer for symbol tables. Return
 * the first error, or 0.
 */
int opd_keep_all(struct opd_keep *k, bool last);

/*
 * Write all files that the current session lacks, and close its files, because a new session
 * begins. Does not wait for the disk: later calls of opd_keep_turn() start the writing of sample
 * files to disk and close them. Return the first error, or 0.
 */
int opd_keep_end_session(struct opd_keep *k);

/* Write the session's notes: when the samples were taken up to now, and of which programs. */
void opd_keep_about(struct opd_keep *k);

/* Close all files of the current session, because a new session begins. */
void opd_keep_close_files(struct opd_keep *k);
void opd_keep_restart(struct opd_keep *k);
/* Write the first files of a new session into its samples directory @next_fd, before the daemon
 * changes to this session. Return 0 or a negative errno. */
int opd_keep_prepare_next(struct opd_keep *k, int next_fd);

/* Return the time, in ms of op_now_ms(), at which opd_keep_turn() must be called. 0: at once;
 * UINT64_MAX: no call is needed. */
uint64_t opd_keep_due(const struct opd_keep *k);
void opd_keep_turn(struct opd_keep *k);

#endif
