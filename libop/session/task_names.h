/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_names.h -- names of processes and threads that have separate samples
 * (--separate=tgid,thread).
 *
 * The text file OP_TASK_NAMES_FILE in a samples directory is replaced atomically. It has lines
 * "TGID TID NAME". The task chooses its name, which may contain any byte except NUL and newline:
 * replace unprintable bytes before printing. If several tasks had the same pid one after another,
 * the file contains only the last task's name.
 */
#ifndef OP_TASK_NAMES_H
#define OP_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/hash.h"

#define OP_TASK_NAMES_FILE	"task-names"
#define OP_TASK_NAME_SIZE	16	/* size of a name with its NUL, as in the kernel */
#define OP_TASK_NAMES_MAX	65536

struct op_task_name {
	struct op_hash_link link;
	int32_t tgid, tid;
	char name[OP_TASK_NAME_SIZE];
	/* flags defined by the callers; this file interprets neither .flags nor .when */
	uint8_t flags;
	uint64_t when;
};

/* Names of processes and threads. A zeroed struct is empty. */
struct op_task_names {
	struct op_hash_table table;
};

/* Return the entry of the thread @tid of the process @tgid, or NULL. */
struct op_task_name *op_task_names_find(const struct op_task_names *t, pid_t tgid, pid_t tid);

/* Return the entry of the thread @tid of the process @tgid. If there is none, add an entry with an
 * empty name. Return NULL if there are too many entries, if memory is short, or if the ids are
 * invalid. */
struct op_task_name *op_task_names_get(struct op_task_names *t, pid_t tgid, pid_t tid);

/* Set the task's name to the first @len bytes of @name, or to the bytes before a NUL. A long name
 * is truncated. */
void op_task_name_set(struct op_task_name *task, const char *name, size_t len);

/* Remove each task whose flags share no bit with @flags. */
void op_task_names_filter(struct op_task_names *t, uint8_t flags);

/*
 * op_task_names_write(): write the names of the tasks that have at least one bit of @flags set.
 * op_task_names_read(): add the names in the file, except names of tasks that already have an
 * entry; ignore invalid lines. Return 0 or a negative errno; read: -ENOENT: the file does not
 * exist.
 */
int op_task_names_write(const struct op_task_names *t, uint8_t flags, int samples_dirfd);
int op_task_names_read(struct op_task_names *t, uint8_t flags, int samples_dirfd);
void op_task_names_release(struct op_task_names *t);

#endif
