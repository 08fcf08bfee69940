/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cookie.h -- a number for each file that code ran from, and its path as it was when first seen.
 *
 * A file is told by device, inode, generation and mtime; a cookie holds no reference to anything,
 * so it pins no mount and survives rename and unlink. Found without a lock (RCU), made under one,
 * freed all at once when profiling ends. Values are never used twice.
 */
#ifndef OPROFILE_COOKIE_H
#define OPROFILE_COOKIE_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct file;
struct oprofile_cookie_info;

#define OPROFILE_COOKIE_BITS	12	/* of the hash table */

struct oprofile_cookies {
	struct mutex lock;		/* making and freeing */
	struct hlist_head __rcu *hash;	/* NULL: not set up */
	struct xarray by_value;
	u64 last_value;
	u32 nr;
};

int oprofile_cookies_setup(struct oprofile_cookies *c);
/* Waits for those who are looking. */
void oprofile_cookies_shutdown(struct oprofile_cookies *c);

/* The cookie of @file, or OPROFILE_NO_COOKIE. RCU read side, any context. */
u64 oprofile_cookie_find(struct oprofile_cookies *c, const struct file *file);

/*
 * Same, and makes one when there is none; the path is as the current task sees it. Process
 * context; @file is referenced. OPROFILE_INVALID_COOKIE: too many files, or no memory.
 */
u64 oprofile_cookie_make(struct oprofile_cookies *c, struct file *file);

/* OPROFILE_IOC_COOKIE. */
int oprofile_cookie_ioctl(struct oprofile_cookies *c, struct oprofile_cookie_info __user *arg);

#endif
