/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_tables.h -- unwind rows (libcfi/made.h) of code made at run time, by process, address and
 * time.
 *
 * A process that writes a jit-PID.dump describes frames of its code there. Another process makes
 * rows from the file (daemon/store/made_files.h), which are loaded here. The file grows, and code
 * may be replaced. So the rows are made again when a walk meets made code and the file has grown. A
 * child of fork() has the code that its parent had at that time.
 *
 * Times are by the clock of perf_events' notices. Not thread-safe.
 */
#ifndef OPD_MADE_TABLES_H
#define OPD_MADE_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libcfi/made.h"

struct opd_made_tables;
struct opd_process;

/*
 * Requests the rows of process @tgid, whose dump had @had bytes at the last request (0: first
 * request). The callee calls opd_made_tables_load() or opd_made_tables_unchanged(), at once or
 * later.
 */
typedef void (*opd_made_want)(void *arg, pid_t tgid, off_t had);

/* Return 0 or -ENOMEM. */
int opd_made_tables_create(struct opd_made_tables **ret, opd_made_want want, void *arg);
/* This and the other functions accept NULL, which stands for no tables. */
void opd_made_tables_destroy(struct opd_made_tables *t);

/* Note that @parent has forked @tgid, and that @tgid has executed a program. @has_dump: @parent has
 * written a dump. */
void opd_made_tables_forked(struct opd_made_tables *t, uint64_t time, pid_t tgid, pid_t parent,
			    bool has_dump);
void opd_made_tables_execed(struct opd_made_tables *t, pid_t tgid);

struct opd_made_place {
	const struct cfi_made *made;
	const struct cfi_made_code *code;
};

/*
 * Find the code that @process had at @address at @time, for a walk. Return 0; OPROFILE_UW_NO_ROW if
 * no dump describes the address; or OPROFILE_UW_NO_TABLE if the dump has to be read again, which
 * will happen soon. In the last case ret->code is the code as known so far, or NULL. *@ret is valid
 * until the next call.
 */
int opd_made_tables_find(struct opd_made_tables *t, const struct opd_process *process,
			 uint64_t address, uint64_t time, struct opd_made_place *ret);

/* Return whether a walk needs rows that are being made or will be made soon. */
bool opd_made_tables_waiting(const struct opd_made_tables *t);

/* Load the rows of @tgid in @fd, which were made of @had bytes of its dump. The caller keeps @fd.
 * No other process may write to the file. Return 0 or a negative errno. */
int opd_made_tables_load(struct opd_made_tables *t, pid_t tgid, int fd, off_t had);
/* Note that the dump of @tgid has not grown, no longer exists, or cannot be read now. */
void opd_made_tables_unchanged(struct opd_made_tables *t, pid_t tgid);

#endif
