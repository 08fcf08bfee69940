/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keep.h -- the data that a session keeps: sample files, and beside them the kernel's symbols,
 * build-ids, names of threads, symbol tables, code made at run time; decides which of it is written
 * to disk when, and in which order.
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
	/* Borrowed members. */
	const struct opd_config *cfg;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_accounting *accounting;
	/* Owned members, created in this order. */
	/* NULL: a recorded stream, which is about other files */
	struct opd_finder *finder;
	struct opd_images *images;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	struct opd_attribution attribution;	/* the sink of the source */
	/* NULL: a recorded stream, which is about other processes */
	struct opd_jit *jit;
	struct opd_task_names *task_names;	/* NULL: threads are not separated */
	struct opd_tables *tables;		/* symbol tables; NULL: not kept */
	/* NULL, like the three members below, if no call paths are taken */
	struct opd_paths *paths;
	struct opd_unwind_tables *unwind;
	struct opd_tables *unwind_files;	/* makes the files for .unwind */
	struct opd_made_files *made_files;	/* likewise for code made at run time */

	size_t nr_build_ids;		/* number in the session's file of build-ids */
	struct opd_about about;
	bool jit_failed;		/* a failure was logged */
	uint64_t synced_ms;
	uint64_t uses_noted_ms;		/* time of the last note of unwind tables in use */
};

void opd_keep_init(struct opd_keep *k, const struct opd_config *cfg, struct opd_log *log,
		   struct opd_session *session, struct opd_sampling *sampling,
		   struct opd_accounting *accounting);
/* Release @k, which may be only initialized. */
void opd_keep_release(struct opd_keep *k);

/* Create everything, with the session open and its totals read. Return 0, or a negative errno with
 * a sentence in @error. */
int opd_keep_create(struct opd_keep *k, struct op_reason *error);

/* Call this before sampling begins: with call paths, make the unwind tables of running programs,
 * within a limit of time. */
void opd_keep_prepare(struct opd_keep *k);

/* Start writing all samples and the totals to disk. Return the first error, or 0. */
int opd_keep_sync(struct opd_keep *k);
/*
 * Like opd_keep_sync(), but wait for the disk, and also write the other files that a report needs,
 * and copy as much as the budgets allow. @last: the daemon ends, so wait longer for symbols.
 */
int opd_keep_all(struct opd_keep *k, bool last);

/* Write notes about when and of which programs the samples are taken, up to now. */
void opd_keep_about(struct opd_keep *k);

/* Close all files of the current session, because a new session begins. */
void opd_keep_close_files(struct opd_keep *k);
void opd_keep_restart(struct opd_keep *k);
/* Write the files that a new session begins with into its samples directory, before the sessions
 * change. Return 0 or a negative errno. */
int opd_keep_prepare_next(struct opd_keep *k, int next_fd);

/* Return the time of op_now_ms() at which opd_keep_turn() must be called; 0: at once, UINT64_MAX:
 * no time. */
uint64_t opd_keep_due(const struct opd_keep *k);
void opd_keep_turn(struct opd_keep *k);

#endif
