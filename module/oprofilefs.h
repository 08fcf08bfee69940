/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oprofilefs.h -- the pseudo-filesystem: helpers that know files and numbers, not profiling.
 */
#ifndef OPROFILE_FS_H
#define OPROFILE_FS_H

#include <linux/fs.h>
#include <linux/types.h>

struct dentry;
struct oprofile_session;

/* A number that may be written while nothing is sampled. */
struct oprofilefs_setting {
	const char *name;
	unsigned long min, max;
	bool fixed;		/* nor while `buffer` is open */
};

/* A number that may be read: @value is called with the file's data and index. */
struct oprofilefs_value {
	const char *name;
	u64 (*value)(struct oprofile_session *s, int cpu, unsigned long data);
};

/* NULL: no memory. The dentry is owned by the filesystem, as all that is made here. */
struct dentry *oprofilefs_mkdir(struct dentry *parent, const char *name);

/* @data becomes the inode's i_private. 0 or ENOMEM. */
int oprofilefs_create_file(struct dentry *parent, const char *name, umode_t mode,
			   const struct file_operations *fops, void *data);
/* @setting is static, @value lives as long as the module. */
int oprofilefs_create_setting(struct oprofile_session *s, struct dentry *parent,
			      const struct oprofilefs_setting *setting, unsigned long *value);
/* @value is called with (@s, @cpu, @data) at each open. */
int oprofilefs_create_value(struct oprofile_session *s, struct dentry *parent, const char *name,
			    u64 (*value)(struct oprofile_session *s, int cpu, unsigned long data),
			    int cpu, unsigned long data);

/* Parses what was written to a file as a number (decimal, 0x.., 0..). */
int oprofilefs_parse(const char __user *buf, size_t count, loff_t pos, unsigned long *ret);
/* Gives the number to the reader as decimal and newline. */
ssize_t oprofilefs_read_ulong(unsigned long value, char __user *buf, size_t count, loff_t *pos);

/* @s is what the files of the one superblock belong to. */
int oprofilefs_register(struct oprofile_session *s);
void oprofilefs_unregister(void);

/* control_files.c: fills the root. */
int oprofile_create_files(struct oprofile_session *s, struct dentry *root);

#endif
