/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_names.h -- what processes and threads that were told apart call themselves, kept with their samples.
 *
 * On disk (OP_TASK_NAMES_FILE in a samples directory, replaced atomically), text: lines "TGID TID NAME", of
 * which the name is anything but a NUL or an end of line. It is the task's own choice: clean it before it is
 * shown. A pid that was used again has the last name it had.
 */
#ifndef OP_TASK_NAMES_H
#define OP_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/hash.h"

#define OP_TASK_NAMES_FILE	"task-names"
#define OP_TASK_NAME_SIZE	16	/* bytes of a name, with the NUL; the kernel's */
#define OP_TASK_NAMES_MAX	65536

struct op_task_name {
	struct op_hash_link link;
	int32_t tgid, tid;
	char name[OP_TASK_NAME_SIZE];
	uint8_t flags;			/* the user's, as is what follows */
	uint64_t when;
};

/* Zeroed is empty. */
struct op_task_names {
	struct op_hash_table table;
};

/* NULL: none. */
struct op_task_name *op_task_names_find(const struct op_task_names *t, pid_t tgid, pid_t tid);

/* The task, made where there was none, its name empty. NULL: there are too many, no memory, or no task has
 * such ids. */
struct op_task_name *op_task_names_get(struct op_task_names *t, pid_t tgid, pid_t tid);

/* Takes @len bytes, or up to a NUL; the end is cut off where it is too long. */
void op_task_name_set(struct op_task_name *task, const char *name, size_t len);

/* Forgets those without any of @flags. */
void op_task_names_keep(struct op_task_names *t, uint8_t flags);

/* 0 or negative errno. write: those with any of @flags that have a name. read: adds; -ENOENT when there is no
 * such file; lines that cannot be are skipped, and so is what has a name already. */
int op_task_names_write(const struct op_task_names *t, uint8_t flags, int samples_dirfd);
int op_task_names_read(struct op_task_names *t, uint8_t flags, int samples_dirfd);
void op_task_names_release(struct op_task_names *t);

#endif
