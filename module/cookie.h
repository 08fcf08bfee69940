/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cookie.h -- cookies: a number for each executed file, with the name that the file had when it was
 * first sampled.
 *
 * A cookie identifies a file by the results of stat() (device, inode, modification time), its
 * generation, and its name in the sampled task's view. The name belongs to the key, because a user
 * may execute a file under another name, in a mount namespace or with another root directory, and
 * this must not change the name that other users see. If the task has the same root directory as
 * the process that opened `buffer`, and the file is below that directory, the name is valid for
 * that process (the reader). Otherwise the name is foreign, and the cookie stores the file's path
 * in its file system as well.
 *
 * A cookie holds no reference, so it pins no mount and survives rename and unlink. Lookups use RCU,
 * insertions a lock; all cookies are freed together when profiling ends. Values are never reused.
 * The memory is limited for each file and each user, and is charged to users.
 */
#ifndef OPROFILE_COOKIE_H
#define OPROFILE_COOKIE_H

#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "foreign.h"

struct file;
struct oprofile_cookie_info;
struct oprofile_cookie_tables;

struct oprofile_cookies {
	/* protects insertions into the tables, the freeing of tables, and .foreign */
	spinlock_t lock;
	/* the tables of cookies; NULL: oprofile_cookies_setup() was not called yet */
	struct oprofile_cookie_tables __rcu *tables;
	u64 last_value;
	u32 nr;
	/* new files with foreign names, which the reader should open while a process has them
	 * mapped */
	struct oprofile_foreign foreign;
};

void oprofile_cookies_init(struct oprofile_cookies *c);
/* Set up the tables. The current task becomes the reader: a name is valid if it is valid in the
 * reader's mount namespace and root directory. */
int oprofile_cookies_setup(struct oprofile_cookies *c);
/* Free the tables of cookies after all lookups have finished. */
void oprofile_cookies_shutdown(struct oprofile_cookies *c);

/*
 * Return the cookie of @file in the current task's view; add a cookie if the file has none. Process
 * context; the caller holds a reference to @file. Does not wait for memory. Return
 * OPROFILE_INVALID_COOKIE if there are too many files, or memory is short.
 */
u64 oprofile_cookie_of(struct oprofile_cookies *c, struct file *file);
/* Like oprofile_cookie_of(), for a file of another task, whose root directory is the current
 * task's. @payer: the user who pays for a new cookie (payer.h). */
u64 oprofile_cookie_paid_by(struct oprofile_cookies *c, struct file *file, u64 payer);

/* Return whether oprofile_cookies_take_foreign() would return true. */
static inline bool oprofile_cookies_has_foreign(const struct oprofile_cookies *c)
{
	return oprofile_foreign_any(&c->foreign);
}

/* Move one of the new files with foreign names to *@to. Return false if no file waits. */
bool oprofile_cookies_take_foreign(struct oprofile_cookies *c, struct oprofile_foreign_file *to);

/* The identity of a file, without its name. The members never change. */
struct oprofile_file_id {
	u64 dev, ino;
	s64 mtime_sec;
	u32 mtime_nsec;
	u32 generation;
	/* the user who first executed the file, and is charged for its memory; 0: root, because
	 * the file belongs to root. Not part of the identity. */
	u64 payer;
};

static inline bool oprofile_same_file(const struct oprofile_file_id *a,
				      const struct oprofile_file_id *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation &&
	       a->mtime_sec == b->mtime_sec && a->mtime_nsec == b->mtime_nsec;
}

/* Hash all members that oprofile_same_file() compares. The key is secret: the owner of a file
 * can choose some of the members, but must not be able to choose the hash. */
static inline u64 oprofile_hash_file(const struct oprofile_file_id *id, const siphash_key_t *key)
{
	return siphash_4u64(id->dev, id->ino, id->mtime_sec,
			    (u64)id->mtime_nsec << 32 | id->generation, key);
}

/* Copy the identity of @cookie's file to *@id. Return false if the cookie does not exist. */
bool oprofile_cookie_file(struct oprofile_cookies *c, u64 cookie, struct oprofile_file_id *id);

/* Handle the ioctl OPROFILE_IOC_COOKIE, by which the reader looks up a cookie's file. */
int oprofile_cookie_ioctl(struct oprofile_cookies *c, struct oprofile_cookie_info __user *arg);

#endif
