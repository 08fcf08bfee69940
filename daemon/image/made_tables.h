/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_tables.h -- the rows (libcfi/made.h) of code that processes have made, by process, address and time.
 *
 * A process that writes a jit-PID.dump describes frames of its code there. Another process makes rows from the file
 * (daemon/store/made_files.h), which are loaded here. The file grows, and code may be replaced, so the rows are made again when the
 * file has grown since and a walk meets made code. A child of fork() has the code that its parent had at that time.
 *
 * Times are those of perf_events' notices. One thread.
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
 * Asks for the rows of process @tgid, whose dump had @had bytes the last time, or 0. The callee calls opd_made_tables_load() or
 * opd_made_tables_unchanged(), at once or later.
 */
typedef void (*opd_made_want)(void *arg, pid_t tgid, off_t had);

/* Return 0 or -ENOMEM. */
int opd_made_tables_create(struct opd_made_tables **ret, opd_made_want want, void *arg);
/* The rest takes NULL: there are no tables then. */
void opd_made_tables_destroy(struct opd_made_tables *t);

/* @parent, which has written a dump if @has_dump, has forked @tgid; @tgid has executed a program. */
void opd_made_tables_forked(struct opd_made_tables *t, uint64_t time, pid_t tgid, pid_t parent, bool has_dump);
void opd_made_tables_execed(struct opd_made_tables *t, pid_t tgid);

struct opd_made_place {
	const struct cfi_made *made;
	const struct cfi_made_code *code;
};

/*
 * Find the code that @process had at @address at @time, for a walk. Return 0, OPROFILE_UW_NO_ROW: no dump has it, or
 * OPROFILE_UW_NO_TABLE: the dump has not been read since, which will be done soon. Then ret->code is the code as far as it is known, or
 * NULL. *@ret is valid until the next call.
 */
int opd_made_tables_find(struct opd_made_tables *t, const struct opd_process *process, uint64_t address, uint64_t time,
			 struct opd_made_place *ret);

/* Return whether rows are being made, or will be soon, for a walk that could not go on without them. */
bool opd_made_tables_waiting(const struct opd_made_tables *t);

/* The rows of @tgid, made of @had bytes of its dump, are in @fd, which stays the caller's. Nobody else may write to the file. Return 0 or a
 * negative errno. */
int opd_made_tables_load(struct opd_made_tables *t, pid_t tgid, int fd, off_t had);
/* The dump of @tgid has not grown, does not exist any more, or cannot be read now. */
void opd_made_tables_unchanged(struct opd_made_tables *t, pid_t tgid);

#endif
