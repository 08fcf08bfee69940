// SPDX-License-Identifier: GPL-2.0-or-later
/* task_names.c -- reading and writing the names of processes and threads. */
#include "config.h"
#include "libop/session/task_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/fs.h"

#define MAX_FILE	(OP_TASK_NAMES_MAX * (size_t)(2 * 11 + OP_TASK_NAME_SIZE + 2))

static uint64_t hash_of(pid_t tgid, pid_t tid)
{
	return op_hash_number(op_hash_number(OP_HASH_BEGIN, (uint32_t)tgid), (uint32_t)tid);
}

struct op_task_name *op_task_names_find(const struct op_task_names *t, pid_t tgid, pid_t tid)
{
	struct op_hash_link *link =
		t->table.nr ? op_hash_first(&t->table, hash_of(tgid, tid)) : NULL;

	for (; link; link = op_hash_next(link)) {
		struct op_task_name *task = (struct op_task_name *)link;

		if (task->tgid == tgid && task->tid == tid)
			return task;
	}
	return NULL;
}

struct op_task_name *op_task_names_get(struct op_task_names *t, pid_t tgid, pid_t tid)
{
	struct op_task_name *task = op_task_names_find(t, tgid, tid);

	if (task || tgid <= 0 || tid <= 0 || t->table.nr == OP_TASK_NAMES_MAX ||
	    (!t->table.buckets && op_hash_init(&t->table)))
		return task;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->tgid = tgid;
	task->tid = tid;
	op_hash_add(&t->table, &task->link, hash_of(tgid, tid));
	return task;
}

void op_task_name_set(struct op_task_name *task, const char *name, size_t len)
{
	memset(task->name, 0, sizeof(task->name));
	for (size_t i = 0; i < len && name[i] && i < sizeof(task->name) - 1; i++)
		task->name[i] = name[i] == '\n' ? ' ' : name[i];
}

static bool forget(struct op_hash_link *link, void *flags)
{
	/* valid cast, because the link is the first member */
	struct op_task_name *task = (struct op_task_name *)link;

	if (task->flags & *(const uint8_t *)flags)
		return false;
	free(task);
	return true;
}

void op_task_names_filter(struct op_task_names *t, uint8_t flags)
{
	op_hash_filter(&t->table, forget, &flags);
}

static int compare(const void *a, const void *b)
{
	const struct op_task_name *x = *(const struct op_task_name *const *)a,
				  *y = *(const struct op_task_name *const *)b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

int op_task_names_write(const struct op_task_names *t, uint8_t flags, int samples_dirfd)
{
	const struct op_task_name **sorted = calloc(t->table.nr + 1, sizeof(*sorted));
	struct op_hash_link *link;
	char *text = NULL;
	size_t len, nr = 0, bucket;
	FILE *f = sorted ? open_memstream(&text, &len) : NULL;
	int err;

	if (!f) {
		free(sorted);
		return -ENOMEM;
	}
	op_hash_for_each(&t->table, bucket, link) {
		const struct op_task_name *task = (struct op_task_name *)link;

		if (task->name[0] && task->flags & flags)
			sorted[nr++] = task;
	}
	qsort(sorted, nr, sizeof(*sorted), compare);
	for (size_t i = 0; i < nr; i++)
		fprintf(f, "%" PRId32 " %" PRId32 " %s\n", sorted[i]->tgid, sorted[i]->tid,
			sorted[i]->name);
	free(sorted);
	err = fclose(f) ? -ENOMEM :
			  op_replace_file(samples_dirfd, OP_TASK_NAMES_FILE, text, len, 0644);
	free(text);
	return err;
}

static int parse_id(char **at, int32_t *ret)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(*at, &end, 10);
	if (errno || end == *at || *end != ' ' || n <= 0 || n > INT32_MAX)
		return -EINVAL;
	*at = end + 1;
	*ret = n;
	return 0;
}

int op_task_names_read(struct op_task_names *t, uint8_t flags, int samples_dirfd)
{
	char *text, *rest, *line;
	size_t len;
	int err = op_read_file(samples_dirfd, OP_TASK_NAMES_FILE, MAX_FILE, &text, &len);

	if (err)
		return err;
	for (rest = text; !err && (line = strsep(&rest, "\n"));) {
		struct op_task_name *task;
		int32_t tgid, tid;

		if (parse_id(&line, &tgid) || parse_id(&line, &tid))
			continue;
		task = op_task_names_get(t, tgid, tid);
		if (!task) {
			err = t->table.nr < OP_TASK_NAMES_MAX ? -ENOMEM : 0;
			continue;
		}
		task->flags |= flags;
		if (!task->name[0])
			op_task_name_set(task, line, strlen(line));
	}
	free(text);
	return err;
}

void op_task_names_release(struct op_task_names *t)
{
	op_task_names_filter(t, 0);
	op_hash_release(&t->table);
}
