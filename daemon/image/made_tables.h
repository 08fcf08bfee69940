/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_tables.h -- unwind tables (libcfi/made.h) of JIT code (code that a program makes at run
 * time), found by process, address and time.
 *
 * A process that writes a file jit-PID.dump describes the frames of its code in this file. Another
 * process makes an unwind table from the file (daemon/store/made_files.h), and the table is loaded
 * here. The file grows, and code may be replaced, so the table is made again when a stack walk
 * meets JIT code and the file has grown. A child of fork() has the code that its parent had at the
 * time of the fork.
 *
 * All times are of the clock of perf_events' notices. Not thread-safe.
 */
#ifndef OPD_MADE_TABLES_H
#define OPD_MADE_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libcfi/made.h"

struct opd_made_tables;
struct opd_process;
struct opd_shares;

/*
 * Requests the unwind table of process @tgid. @had: size of its dump file at the last request, in
 * bytes; 0: first request. The callee must call opd_made_tables_load() or
 * opd_made_tables_unchanged(), at once or later.
 */
typedef void (*opd_made_want)(void *arg, pid_t tgid, off_t had);

/* Create *@ret. Unwind tables are requested by calling @want, which is passed @arg. Return 0 or
 * -ENOMEM. */
int opd_made_tables_create(struct opd_made_tables **ret, opd_made_want want, void *arg);
/* Destroy @t. This function and the functions below accept NULL, which means that there are no
 * tables. */
void opd_made_tables_destroy(struct opd_made_tables *t);

/* Set the users' shares (daemon/base/shares.h), which are borrowed. When there are too many
 * processes or the unwind tables are too large, the tables of the user who has most are discarded.
 * Without shares, all processes belong to one user. Call this before the first process is noted. */
void opd_made_tables_set_shares(struct opd_made_tables *t, struct opd_shares *shares);

/* Note that the process @parent has forked @tgid, or that @tgid has executed a program. @has_dump:
 * @parent has a dump file, jit-NUMBER.dump, that describes its JIT code. */
void opd_made_tables_forked(struct opd_made_tables *t, uint64_t time, pid_t tgid, pid_t parent,
			    bool has_dump);
void opd_made_tables_execed(struct opd_made_tables *t, pid_t tgid);

struct opd_made_place {
	const struct cfi_made *made;
	const struct cfi_made_code *code;
};

/*
 * Find the code that @process had at @address at the time @time, for a stack walk. Return 0;
 * OPROFILE_UW_NO_ROW if no dump file describes the address; or OPROFILE_UW_NO_TABLE if the dump
 * file must be read again, which will happen soon; then ret->code is the code as known so far, or
 * NULL. *@ret is valid until the next call.
 */
int opd_made_tables_find(struct opd_made_tables *t, const struct opd_process *process,
			 uint64_t address, uint64_t time, struct opd_made_place *ret);

/* Return whether a stack walk needs an unwind table that is being made or will be made soon. */
bool opd_made_tables_waiting(const struct opd_made_tables *t);

/*
 * Load the unwind table of the process @tgid from the file @fd; the table was made from the first
 * @had bytes of the process's dump file. The caller keeps @fd. No other process may write to the
 * file @fd. Return 0 or a negative errno.
 */
int opd_made_tables_load(struct opd_made_tables *t, pid_t tgid, int fd, off_t had);
/* Note that the dump file of @tgid has not grown, no longer exists, or cannot be read now. */
void opd_made_tables_unchanged(struct opd_made_tables *t, pid_t tgid);

#endif
