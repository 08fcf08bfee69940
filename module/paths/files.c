// SPDX-License-Identifier: GPL-2.0
/*
 * paths/files.c -- creates the files with the counters of call paths.
 */
#include "paths/files.h"

#include <linux/cpumask.h>

#include "oprofilefs.h"
#include "paths/paths.h"
#include "paths/walk.h"
#include "sampling.h"

/* Return the sum, over all CPUs, of the counter at @offset in struct oprofile_path_stats. */
static u64 cpus_sum(struct oprofile_sampling *s, int unused, unsigned long offset)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*(u64 *)((char *)&per_cpu_ptr(s->cpu, cpu)->path_stats + offset));
	return sum;
}

/* Return the unsigned long member of struct oprofile_paths at @offset. */
static u64 paths_value(struct oprofile_sampling *s, int unused, unsigned long offset)
{
	return READ_ONCE(*(u64 *)((char *)s->paths + offset));
}

static int create_ends(struct oprofile_sampling *s, struct dentry *dir)
{
	static const char *const names[] = {
#define X(end, name, words) [OPROFILE_UW_##end] = name,
		OPROFILE_UW_ENDS(X)
#undef X
	};
	int end, err = 0;

	for (end = OPROFILE_UW_WHOLE; end < OPROFILE_UW_NR_ENDS && !err; end++)
		err = oprofilefs_create_value(s, dir, names[end], cpus_sum, -1,
					      offsetof(struct oprofile_path_stats, ends) +
						      end * sizeof(u64));
	return err;
}

int oprofile_paths_create_files(struct oprofile_sampling *s, struct dentry *stats)
{
	static const struct {
		const char *name;
		u64 (*value)(struct oprofile_sampling *s, int cpu, unsigned long offset);
		unsigned long offset;
	} files[] = {
		{ "frames_new", cpus_sum, offsetof(struct oprofile_path_stats, frames_new) },
		{ "frames_known", cpus_sum, offsetof(struct oprofile_path_stats, frames_known) },
		{ "table_bytes", paths_value, offsetof(struct oprofile_paths, tables.size) },
		{ "tables_evicted", paths_value, offsetof(struct oprofile_paths, tables.evicted) },
		{ "tables_refused", paths_value, offsetof(struct oprofile_paths, tables.refused) },
	};
	struct dentry *dir = oprofilefs_mkdir(stats, "paths");
	int i, err;

	if (!dir)
		return -ENOMEM;
	err = create_ends(s, dir);
	for (i = 0; i < ARRAY_SIZE(files) && !err; i++)
		err = oprofilefs_create_value(s, dir, files[i].name, files[i].value, -1,
					      files[i].offset);
	return err;
}
