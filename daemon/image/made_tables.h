/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_tables.h -- unwind tables (libcfi/made.h) of JIT code, by process, address and time.
 *
 * A process describes its code and frames in a file jit-PID.dump. A helper process makes an unwind
 * table from this file (daemon/store/made_files.h), and the daemon loads the table here. The file
 * grows, and the process may replace code. So the table is made again if a stack walk finds an
 * address in JIT code and the file has grown. A child of fork() has the code that its parent had
 * at the time of the fork.
 *
 * All times are on the clock of perf_events records. Not thread-safe.
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
 * Callback that requests the unwind table of process @tgid. @had: size of its dump file at the
 * last request, in bytes, or 0. The callee must call opd_made_tables_load() or
 * opd_made_tables_unchanged(), immediately or later.
 */
typedef void (*opd_made_want)(void *arg, pid_t tgid, off_t had);

/* Create *@ret. The tables call @want with @arg to request an unwind table. Return 0 or -ENOMEM. */
int opd_made_tables_create(struct opd_made_tables **ret, opd_made_want want, void *arg);
/* Destroy @t. For this function and the functions below, @t may be NULL, which means that no tables
 * exist. */
void opd_made_tables_destroy(struct opd_made_tables *t);

/*
 * Set the users' resource shares (daemon/base/shares.h), borrowed. If there are too many processes,
 * or if the tables are too large, the tables of the user with most processes or tables are dropped.
 * Without shares, all processes count for one user. Call this before the first fork or exec is
 * reported.
 */
void opd_made_tables_set_shares(struct opd_made_tables *t, struct opd_shares *shares);

/* Report that @parent has forked process @tgid. @has_dump: @parent describes its JIT code in a file
 * jit-NUMBER.dump. */
void opd_made_tables_forked(struct opd_made_tables *t, uint64_t time, pid_t tgid, pid_t parent,
			    bool has_dump);
/* Report that process @tgid has executed another program. */
void opd_made_tables_execed(struct opd_made_tables *t, pid_t tgid);

struct opd_made_place {
	const struct cfi_made *made;
	const struct cfi_made_code *code;
};

/*
 * Find the JIT code of @process at @address and time @time, for a stack walk. Return 0;
 * OPROFILE_UW_NO_ROW if no dump file describes the address; or OPROFILE_UW_NO_TABLE if the dump
 * file will be read again soon, because the loaded table does not describe the address; then
 * ret->code is the code known so far, or NULL. *@ret is valid until the next call.
 */
int opd_made_tables_find(struct opd_made_tables *t, const struct opd_process *process,
			 uint64_t address, uint64_t time, struct opd_made_place *ret);

/* Return true if stack walks should wait, because a table is being made or can be requested
 * soon. */
bool opd_made_tables_waiting(const struct opd_made_tables *t);

/*
 * Load the unwind table of process @tgid from the file @fd, which was made from the first @had
 * bytes of the process's dump file. The caller closes @fd. No other process may be able to write
 * to the file. Return 0 or a negative errno.
 */
int opd_made_tables_load(struct opd_made_tables *t, pid_t tgid, int fd, off_t had);
/* Report that the dump file of @tgid has not grown, no longer exists, or cannot be read now. */
void opd_made_tables_unchanged(struct opd_made_tables *t, pid_t tgid);

#endif
