/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oprofilefs.h -- the pseudo-filesystem: helpers that know files and numbers, not profiling.
 */
#ifndef OPROFILE_FS_H
#define OPROFILE_FS_H

#include <linux/fs.h>
#include <linux/types.h>

struct dentry;
struct oprofile_sampling;

/* A number that may be written while nothing is sampled. */
struct oprofilefs_setting {
	const char *name;
	unsigned long min, max;
	bool fixed;		/* nor while `buffer` is open */
};

/* NULL: no memory. The dentry is owned by the filesystem, as all that is made here. */
struct dentry *oprofilefs_mkdir(struct dentry *parent, const char *name);

/* @data becomes the inode's i_private. 0 or ENOMEM. */
int oprofilefs_create_file(struct dentry *parent, const char *name, umode_t mode,
			   const struct file_operations *fops, void *data);
/* @setting is static, @value lives as long as the module. */
int oprofilefs_create_setting(struct oprofile_sampling *s, struct dentry *parent,
			      const struct oprofilefs_setting *setting, unsigned long *value);
/* @value is called with (@s, @cpu, @data) at each open. */
int oprofilefs_create_value(struct oprofile_sampling *s, struct dentry *parent, const char *name,
			    u64 (*value)(struct oprofile_sampling *s, int cpu, unsigned long data),
			    int cpu, unsigned long data);

/* Parses what was written to a file as a number (decimal, 0x.., 0..). */
int oprofilefs_parse(const char __user *buf, size_t count, loff_t pos, unsigned long *ret);
/* Gives the number to the reader as decimal and newline. */
ssize_t oprofilefs_read_ulong(unsigned long value, char __user *buf, size_t count, loff_t *pos);

/* @fill makes the files of the one superblock, with @data. 0 or a negative errno. */
int oprofilefs_register(int (*fill)(void *data, struct dentry *root), void *data);
void oprofilefs_unregister(void);

#endif
