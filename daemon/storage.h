/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storage.h -- the files of a session: sample files, the kernel's symbols, build-ids, names of
 * threads, symbol tables, and JIT files. Decides when to write each of them to disk, and in which
 * order.
 */
#ifndef OPD_STORAGE_H
#define OPD_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store/about.h"
#include "daemon/store/attribute.h"
#include "libop/base/reason.h"

struct opd_accounting;
struct opd_cgroups;
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

struct opd_storage {
	/* The members from .cfg to .accounting are borrowed pointers. */
	const struct opd_config *cfg;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_accounting *accounting;
	/* The members below are owned by this struct, and are created in this order. */
	/* opens users' files in a worker process; NULL for a recorded stream, because its files are
	 * not on this machine */
	struct opd_finder *finder;
	struct opd_images *images;
	struct opd_kernel *kernel;
	struct opd_sample_cache *cache;
	/* stores the samples that the source delivers */
	struct opd_attribution attribution;
	/* copies JIT files; NULL for a recorded stream, because its processes are not on this
	 * machine */
	struct opd_jit *jit;
	/* names of threads; NULL without --separate=thread */
	struct opd_task_names *task_names;
	/* makes and stores symbol tables; NULL: symbol tables are disabled */
	struct opd_tables *tables;
	/* trees of call paths; NULL without --callgraph. Then .unwind, .unwind_files and
	 * .made_files are NULL, too. */
	struct opd_paths *paths;
	struct opd_unwind_tables *unwind;
	/* makes and stores the unwind tables that .unwind loads */
	struct opd_tables *unwind_files;
	struct opd_made_files *made_files;	/* makes and loads unwind tables of JIT code */

	/* names of control groups; NULL without --separate=unit */
	struct opd_cgroups *cgroups;

	/* number of build-ids that the session's list of build-ids contains */
	size_t nr_build_ids;
	struct opd_about about;
	/* the copy of a JIT file failed, and this was logged */
	bool jit_failed;
	uint64_t synced_ms;
	bool is_syncing;		/* a sync in steps is in progress */
	uint64_t memory_seen_ms;	/* time of the last check of the memory limit */
	/* bytes of mapped files in memory that are not pages of unwind tables */
	uint64_t mapped_others;
	/* time when the times of last use of unwind tables were last updated */
	uint64_t uses_noted_ms;
};

void opd_storage_init(struct opd_storage *k, const struct opd_config *cfg, struct opd_log *log,
		      struct opd_session *session, struct opd_sampling *sampling,
		      struct opd_accounting *accounting);
/* Release @k, which must be initialized; opd_storage_create() need not have been called. */
void opd_storage_release(struct opd_storage *k);

/* Create all members that this struct owns. The session must be open, and its totals must have been
 * read. Return 0, or a negative errno with a message in @error. */
int opd_storage_create(struct opd_storage *k, struct op_reason *error);

/* If call paths are recorded, make the unwind tables of running programs, but stop after a time
 * limit. Call this before sampling starts. */
void opd_storage_prepare(struct opd_storage *k);

/* Write the files that the session must have before sampling starts. Return an error if the session
 * cannot be written, or 0. */
int opd_storage_begin(struct opd_storage *k);
/* Start to write all samples and the totals to disk. Return the first error, or 0. */
int opd_storage_sync(struct opd_storage *k);
/*
 * Finish the copies of JIT files and the symbol tables, within a limit of time, and write the
 * kernel's symbols if they have changed. Call this before the sample files are written: while it
 * works, the daemon stores further samples, even samples of the processes that make the tables.
 * @last: the daemon ends, so wait longer for symbol tables.
 */
void opd_storage_finish_names(struct opd_storage *k, bool last);
/*
 * Write all samples, the totals, and all other files that reports need, and wait for the disk.
 * Waiting for tables and copies is limited in time. @last: the daemon ends, so wait longer for
 * symbol tables. Return the first error, or 0.
 */
int opd_storage_sync_all(struct opd_storage *k, bool last);

/*
 * Call before a new session begins: write the files of the current session that have changed, and
 * close them, without waiting for the disk. The sample files stay open until later calls of
 * opd_storage_turn() start to write them to disk and close them. Return the first error, or 0.
 */
int opd_storage_end_session(struct opd_storage *k);

/* Write the session's metadata file: when the samples were taken, and with which programs. */
void opd_storage_write_about(struct opd_storage *k);

/* Close all files of the current session. Call this before a new session begins. */
void opd_storage_close_files(struct opd_storage *k);
void opd_storage_restart(struct opd_storage *k);
/* Write the first files of a new session to its samples directory @next_fd, before the daemon
 * switches to it. Return 0 or a negative errno. */
int opd_storage_prepare_next(struct opd_storage *k, int next_fd);

/* Return the time, in ms of op_now_ms(), at which opd_storage_turn() must be called; 0:
 * immediately; UINT64_MAX: no call is needed. */
uint64_t opd_storage_due(const struct opd_storage *k);
void opd_storage_turn(struct opd_storage *k);

#endif
