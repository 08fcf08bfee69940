/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cookie.h -- a number for each file that code ran from, and its name as it was when first seen.
 *
 * A file is told by what stat() says of it (device, inode, time of change), its generation, and the
 * name by which the task that ran it saw it: who runs a file by another name, in a mount namespace or
 * root of its own, names it for nobody else. A name is the reader's own when the task has the same
 * root directory as whoever opened `buffer` and the file is below it; else it is foreign, and the
 * file's path in its file system is kept as well.
 *
 * A cookie holds no reference to anything, so it pins no mount and survives rename and unlink. Found
 * without a lock (RCU), made under one, freed all at once when profiling ends. Values are never used
 * twice. What users can make the table hold is bounded by file and by user, and is charged to them.
 */
#ifndef OPROFILE_COOKIE_H
#define OPROFILE_COOKIE_H

#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct file;
struct oprofile_cookie_info;
struct oprofile_cookie_tables;

struct oprofile_cookies {
	spinlock_t lock;		/* making and freeing */
	struct oprofile_cookie_tables __rcu *tables;	/* NULL: not set up */
	u64 last_value;
	u32 nr;
};

void oprofile_cookies_init(struct oprofile_cookies *c);
/* The current task is the reader, whose names are ours. */
int oprofile_cookies_setup(struct oprofile_cookies *c);
/* Waits for those who are looking. */
void oprofile_cookies_shutdown(struct oprofile_cookies *c);

/*
 * The cookie of @file as the current task sees it, a new one when there is none. Process context; @file
 * is referenced. Waits for no memory. OPROFILE_INVALID_COOKIE: too many files, or no memory.
 */
u64 oprofile_cookie_of(struct oprofile_cookies *c, struct file *file);

/* What a file is told by, whatever its name: as it was when the cookie was made. */
struct oprofile_file_id {
	u64 dev, ino;
	s64 mtime_sec;
	u32 mtime_nsec;
	u32 generation;
	u64 payer;		/* who had it run first, if it is not root's: no part of what it is told by */
};

static inline bool oprofile_same_file(const struct oprofile_file_id *a, const struct oprofile_file_id *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation &&
	       a->mtime_sec == b->mtime_sec && a->mtime_nsec == b->mtime_nsec;
}

/* Hash all members that oprofile_same_file() compares, with a secret key: a file's owner can choose some of them, and
 * must not be able to choose the chain. */
static inline u64 oprofile_hash_file(const struct oprofile_file_id *id, const siphash_key_t *key)
{
	return siphash_4u64(id->dev, id->ino, id->mtime_sec, (u64)id->mtime_nsec << 32 | id->generation, key);
}

/* Of @cookie's file. False: no such cookie. */
bool oprofile_cookie_file(struct oprofile_cookies *c, u64 cookie, struct oprofile_file_id *id);

/* OPROFILE_IOC_COOKIE. */
int oprofile_cookie_ioctl(struct oprofile_cookies *c, struct oprofile_cookie_info __user *arg);

#endif
