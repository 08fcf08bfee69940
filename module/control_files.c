// SPDX-License-Identifier: GPL-2.0
/*
 * control_files.c -- the files in the root of oprofilefs.
 */
#include "control_files.h"

#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "backend.h"
#include "backends.h"
#include "offcpu/offcpu.h"
#include "oprofilefs.h"
#include "paths/walk.h"
#include "session.h"
#include "settings.h"
#include "why.h"

static struct oprofile_session *session_of(struct file *file)
{
	return file_inode(file)->i_private;
}

static ssize_t enable_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	return oprofilefs_read_ulong(READ_ONCE(session_of(file)->sampling.started), buf, count,
				     pos);
}

static ssize_t enable_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	unsigned long on;
	int err;

	if (!count)
		return 0;
	err = oprofilefs_parse(buf, count, *pos, &on);
	if (err)
		return err;
	if (on)
		err = oprofile_session_start(session_of(file));
	else
		err = oprofile_session_stop(session_of(file));
	return err ?: count;
}

static const struct file_operations enable_fops = {
	.owner = THIS_MODULE,
	.read = enable_read,
	.write = enable_write,
	.llseek = default_llseek,
};

static ssize_t dump_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return oprofile_session_dump(session_of(file)) ?: count;
}

static const struct file_operations dump_fops = {
	.owner = THIS_MODULE,
	.write = dump_write,
	.llseek = noop_llseek,
};

static ssize_t cpus_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	char *text = kmalloc(PAGE_SIZE, GFP_KERNEL);
	ssize_t n;

	if (!text)
		return -ENOMEM;
	n = oprofile_get_cpus(&session_of(file)->sampling, text, PAGE_SIZE);
	n = simple_read_from_buffer(buf, count, pos, text, n);
	kfree(text);
	return n;
}

static ssize_t cpus_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char *text;
	int err;

	if (!count)
		return 0;
	if (*pos || count >= PAGE_SIZE)
		return -EINVAL;
	text = memdup_user_nul(buf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = oprofile_set_cpus(&session_of(file)->sampling, strim(text));
	kfree(text);
	return err ?: count;
}

static const struct file_operations cpus_fops = {
	.owner = THIS_MODULE,
	.read = cpus_read,
	.write = cpus_write,
	.llseek = default_llseek,
};

static ssize_t cpu_type_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct oprofile_sampling *s = &session_of(file)->sampling;
	const char *type = oprofile_backend_current(s)->cpu_type(s);

	return simple_read_from_buffer(buf, count, pos, type, strlen(type));
}

static const struct file_operations cpu_type_fops = {
	.owner = THIS_MODULE,
	.read = cpu_type_read,
	.llseek = default_llseek,
};

static ssize_t counters_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct oprofile_sampling *s = &session_of(file)->sampling;

	return oprofilefs_read_ulong(oprofile_backend_current(s)->nr_counters(s), buf, count, pos);
}

static const struct file_operations counters_fops = {
	.owner = THIS_MODULE,
	.read = counters_read,
	.llseek = default_llseek,
};

static ssize_t backend_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	char text[16];

	return simple_read_from_buffer(
		buf, count, pos, text,
		scnprintf(text, sizeof(text), "%s\n",
			  oprofile_backend_current(&session_of(file)->sampling)->name));
}

static ssize_t backend_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char text[16];
	int err;

	if (!count)
		return 0;
	if (*pos || count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	text[count] = 0;
	err = oprofile_backend_choose(&session_of(file)->sampling, strim(text));
	return err ?: count;
}

static const struct file_operations backend_fops = {
	.owner = THIS_MODULE,
	.read = backend_read,
	.write = backend_write,
	.llseek = default_llseek,
};

static ssize_t backend_why_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct oprofile_sampling *s = &session_of(file)->sampling;
	const char *trouble = READ_ONCE(s->hooks.trouble);
	char text[2 * sizeof(s->why)];
	size_t len;

	oprofile_why(s, text, sizeof(s->why) + 1);
	len = strcspn(text, "\n");
	if (trouble)
		scnprintf(text + len, sizeof(text) - len,
			  "%seach user sample is resolved separately, which costs more: %s\n",
			  len ? "; " : "", trouble);
	return simple_read_from_buffer(buf, count, pos, text, strlen(text));
}

static const struct file_operations backend_why_fops = {
	.owner = THIS_MODULE,
	.read = backend_why_read,
	.llseek = default_llseek,
};

static int holders_show(struct seq_file *to, void *unused)
{
	oprofile_resolver_holders(to->private, to);
	return 0;
}

static int holders_open(struct inode *inode, struct file *file)
{
	struct oprofile_session *s = inode->i_private;

	return single_open(file, holders_show, &s->sampling);
}

static const struct file_operations holders_fops = {
	.owner = THIS_MODULE,
	.open = holders_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static ssize_t pointer_size_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	return oprofilefs_read_ulong(sizeof(void *), buf, count, pos);
}

static const struct file_operations pointer_size_fops = {
	.owner = THIS_MODULE,
	.read = pointer_size_read,
	.llseek = default_llseek,
};

static int create_settings(struct oprofile_sampling *s, struct dentry *root)
{
	static const struct oprofilefs_setting settings[] = {
		{ "buffer_size", 1024, 1 << 27 },
		{ "buffer_watershed", 0, 1 << 27 },
		{ "cpu_buffer_size", 64, 1 << 20 },
		{ "task_names", 0, 1 },
		{ "cgroups", 0, IS_ENABLED(CONFIG_CGROUPS) },
		{ "governor_percent", 0, 100 },
		{ "callgraph", 0, OPROFILE_MAX_DEPTH },
		{ "path_nodes", 1 << 10, 1 << 22 },
		{ "unwind_tables_max", 0, 1UL << 32 },
	};
	unsigned long *values[ARRAY_SIZE(settings)] = {
		&s->settings.buffer_size,
		&s->settings.buffer_watershed,
		&s->settings.cpu_buffer_size,
		&s->settings.task_names,
		&s->settings.groups,
		&s->budget.percent,
		&s->paths->depth,
		&s->paths->nodes,
		&s->paths->tables_max,
	};
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(settings) && !err; i++)
		err = oprofilefs_create_setting(s, root, &settings[i], values[i]);
	return err;
}

int oprofile_create_files(void *session, struct dentry *root)
{
	const struct {
		const char *name;
		umode_t mode;
		const struct file_operations *fops;
	} files[] = {
		{ "enable", 0644, &enable_fops },
		{ "dump", 0200, &dump_fops },
		{ "buffer", 0644, &oprofile_buffer_fops },
		{ "backend", 0644, &backend_fops },
		{ "backend_why", 0444, &backend_why_fops },
		{ "counters", 0444, &counters_fops },
		{ "cpu_type", 0444, &cpu_type_fops },
		{ "holders", 0400, &holders_fops },
		{ "cpus", 0644, &cpus_fops },
		{ "pointer_size", 0444, &pointer_size_fops },
	};
	struct oprofile_session *s = session;
	struct oprofile_sampling *sampling = &s->sampling;
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(files) && !err; i++)
		err = oprofilefs_create_file(root, files[i].name, files[i].mode, files[i].fops, s);
	err = err ?: create_settings(sampling, root);
	err = err ?: oprofile_backends_create_files(sampling, root);
	err = err ?: oprofile_events_create_files(sampling, root);
	err = err ?: oprofile_offcpu_create_files(sampling, root);
	return err ?: oprofile_stats_create_files(sampling, root);
}
