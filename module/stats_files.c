// SPDX-License-Identifier: GPL-2.0
/*
 * stats_files.c -- the files of counters: stats/NAME for the sum of all CPUs, stats/cpuN/NAME for
 * one CPU, and stats/all for all sums.
 */
#include "control_files.h"

#include <linux/cpumask.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "backend.h"
#include "oprofilefs.h"
#include "paths/paths.h"
#include "paths/walk.h"
#include "sampling.h"
#include "stats.h"

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

static int create_path_files(struct oprofile_sampling *s, struct dentry *stats)
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

static const struct {
	const char *name;
	size_t offset;
} counters[] = {
#define X(counter) { #counter, offsetof(struct oprofile_stats, counter) },
	OPROFILE_STATS(X)
#undef X
};

static u64 counter_value(struct oprofile_sampling *s, int cpu, unsigned long offset)
{
	u64 value = READ_ONCE(*(u64 *)((char *)&per_cpu_ptr(s->cpu, cpu)->stats + offset));
	const struct oprofile_backend *b = READ_ONCE(s->backend);

	if (offset == offsetof(struct oprofile_stats, idle_ns) && b->idle_now)
		value += b->idle_now(s, cpu);
	return value;
}

static u64 unresolved_value(struct oprofile_sampling *s, int cpu, unsigned long data)
{
	return atomic64_read(&per_cpu_ptr(s->cpu, cpu)->unresolved);
}

static u64 period_value(struct oprofile_sampling *s, int cpu, unsigned long data)
{
	const struct oprofile_backend *b = READ_ONCE(s->backend);

	return b->period ? b->period(s, cpu) : 0;
}

static u64 counter_sum(struct oprofile_sampling *s, int cpu, unsigned long offset)
{
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += counter_value(s, cpu, offset);
	return sum;
}

static u64 unresolved_sum(struct oprofile_sampling *s, int cpu, unsigned long data)
{
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += unresolved_value(s, cpu, 0);
	return sum;
}

/* Print all sums, one line "NAME VALUE" for each. The daemon reads them every few seconds: one file
 * costs it a fraction of what a file for each counter costs. */
static int all_show(struct seq_file *to, void *unused)
{
	struct oprofile_sampling *s = to->private;
	int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		seq_printf(to, "%s %llu\n", counters[i].name,
			   counter_sum(s, -1, counters[i].offset));
	seq_printf(to, "sample_unresolved %llu\n", unresolved_sum(s, -1, 0));
	return 0;
}

static int all_open(struct inode *inode, struct file *file)
{
	return single_open(file, all_show, inode->i_private);
}

static const struct file_operations all_fops = {
	.owner = THIS_MODULE,
	.open = all_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int create_cpu_files(struct oprofile_sampling *s, struct dentry *stats, int cpu)
{
	struct dentry *dir;
	char name[16];
	int i, err = 0;

	scnprintf(name, sizeof(name), "cpu%d", cpu);
	dir = oprofilefs_mkdir(stats, name);
	if (!dir)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(counters) && !err; i++)
		err = oprofilefs_create_value(s, dir, counters[i].name, counter_value, cpu,
					      counters[i].offset);
	err = err ?: oprofilefs_create_value(s, dir, "sample_unresolved", unresolved_value, cpu, 0);
	return err ?: oprofilefs_create_value(s, dir, "period_ns", period_value, cpu, 0);
}

int oprofile_stats_create_files(struct oprofile_sampling *s, struct dentry *root)
{
	struct dentry *stats = oprofilefs_mkdir(root, "stats");
	int cpu, i, err = 0;

	if (!stats)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(counters) && !err; i++)
		err = oprofilefs_create_value(s, stats, counters[i].name, counter_sum, -1,
					      counters[i].offset);
	err = err ?: oprofilefs_create_value(s, stats, "sample_unresolved", unresolved_sum, -1, 0);
	err = err ?: oprofilefs_create_file(stats, "all", 0444, &all_fops, s);
	for_each_possible_cpu(cpu)
		err = err ?: create_cpu_files(s, stats, cpu);
	err = err ?: create_path_files(s, stats);
	return err ?: oprofile_events_create_stats(s, stats);
}
