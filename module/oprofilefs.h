/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oprofilefs.h -- helpers for files of the pseudo-filesystem, independent of profiling.
 */
#ifndef OPROFILE_FS_H
#define OPROFILE_FS_H

#include <linux/fs.h>
#include <linux/types.h>

struct dentry;
struct oprofile_sampling;

/* A number in a file of oprofilefs that can be written only while sampling is stopped. */
struct oprofilefs_setting {
	const char *name;
	unsigned long min, max;
	/* users cannot write the number while `buffer` is open, even if sampling is stopped */
	bool fixed;
};

/* Create a directory. Return its dentry, which the file system owns, or NULL if memory is short. */
struct dentry *oprofilefs_mkdir(struct dentry *parent, const char *name);

/* Create a file. @data: stored in the inode's i_private, for @fops. Return 0 or -ENOMEM. */
int oprofilefs_create_file(struct dentry *parent, const char *name, umode_t mode,
			   const struct file_operations *fops, void *data);
/* Create a file by which users read and write the number *@value. @setting is static; @value
 * must live as long as the module. Return 0 or -ENOMEM. */
int oprofilefs_create_setting(struct oprofile_sampling *s, struct dentry *parent,
			      const struct oprofilefs_setting *setting, unsigned long *value);
/* Create a read-only file that contains the number returned by @value(@s, @cpu, @data), which is
 * called at each open. Return 0 or -ENOMEM. */
int oprofilefs_create_value(struct oprofile_sampling *s, struct dentry *parent, const char *name,
			    u64 (*value)(struct oprofile_sampling *s, int cpu, unsigned long data),
			    int cpu, unsigned long data);

/* Parse text written to a file as a number (decimal, 0x... or octal). Return 0 or a negative
 * errno. */
int oprofilefs_parse(const char __user *buf, size_t count, loff_t pos, unsigned long *ret);
/* Copy @value to the reader's buffer in decimal with a newline. Return the number of bytes or a
 * negative errno. */
ssize_t oprofilefs_read_ulong(unsigned long value, char __user *buf, size_t count, loff_t *pos);

/* Register the file system. @fill(@data, root) creates all files at the first mount. Return 0 or
 * a negative errno. */
int oprofilefs_register(int (*fill)(void *data, struct dentry *root), void *data);
void oprofilefs_unregister(void);

#endif
