// SPDX-License-Identifier: GPL-2.0
/* cookie.c -- tables of cookies; a cookie is a number that identifies an executed file. */
#include "cookie.h"

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/magic.h>
#include <linux/path.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "payer.h"
#include "uapi/oprofile.h"

/* maximum number of cookies, to limit their memory; a real machine executes far fewer files */
#define MAX_COOKIES	262144
/* number of cookies that are reserved for files owned by root */
#define ROOTS_OWN	(MAX_COOKIES / 4)
/* maximum number of cookies of one file that differ only in the modification time, which the file's
 * owner can set at will */
#define MAX_VERSIONS	16
/* maximum length of a hash chain; longer chains occur only if the secret hash key has been
 * guessed */
#define MAX_CHAIN	64
/* maximum size of one user's cookies, enough for 16,384 files; root has no such limit */
#define USER_BYTES	(4U << 20)
#define MIN_BYTES	256		/* minimum number of bytes charged to a user for one file */

#define TABLE_BITS	15
#define PAYER_BITS	12
#define RECENT_BITS	8

/* Allocation flags for a lookup. The sampled program waits until the lookup has finished: if memory
 * is short, fail at once and lose the sample. */
#define GFP_TRY		(GFP_NOWAIT | __GFP_NOWARN)

struct oprofile_cookie_tables {
	/* hash table: the head of a chain for each hash of a file's identity; the newest cookie
	 * of a chain comes first */
	struct hlist_head by_file[1 << TABLE_BITS];
	struct hlist_head by_value[1 << TABLE_BITS];
	/* bytes charged to each payer; payers with equal hashes share one limit */
	u32 bytes[1 << PAYER_BITS];
	siphash_key_t key;
	struct path reader_root;	/* root directory of the process that opened `buffer` */
	/* cache, indexed by a hash of a dentry: the cookie that was last found for the dentry; 0:
	 * empty */
	u64 recent[1 << RECENT_BITS];
};

/* Key of a cookie in the hash table, without the file's name. */
struct file_id {
	u64 dev, ino;
	u32 generation;
	/* the reader of `buffer` sees the file under another name, or not at all */
	bool foreign;
	/* length of the name without " (deleted)", so that unlinking a running program does not add
	 * a cookie */
	u32 name_len;
};

/* A file whose cookie is being looked up, with its name as the current task sees it. */
struct sighting {
	const struct path *path;
	struct file_id id;
	struct timespec64 mtime;
	u64 payer;		/* the user who pays for a new cookie (payer.h) */
	const char *name;
	u32 bucket;
};

struct cookie {
	struct hlist_node by_file, by_value;
	u64 value;
	struct file_id id;
	struct timespec64 mtime;
	dev_t fs_dev;
	/* user whose memory limit is charged; 0: root, because the file belongs to root */
	u64 payer;
	u32 name_size;		/* size of the file's name, including the NUL */
	/* size of the file's path within its file system; 0: not needed, because the reader sees
	 * the file under @text */
	u32 inner_size;
	char text[];		/* the name, then the path within the file system, each followed by
				 * a NUL */
};

/* Return whether @cookie belongs to the inode @seen. The file's name and modification time may
 * differ. */
static bool same_inode(const struct cookie *cookie, const struct sighting *seen)
{
	const struct file_id *a = &cookie->id, *b = &seen->id;

	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation;
}

static bool same_file(const struct cookie *cookie, const struct sighting *seen)
{
	const struct file_id *a = &cookie->id, *b = &seen->id;

	return same_inode(cookie, seen) && a->foreign == b->foreign && a->name_len == b->name_len &&
	       !memcmp(cookie->text, seen->name, a->name_len);
}

static u32 bucket_of(const struct oprofile_cookie_tables *t, const struct sighting *seen)
{
	const struct file_id *id = &seen->id;

	return siphash_4u64(id->dev, id->ino, (u64)id->generation << 1 | id->foreign,
			    siphash(seen->name, id->name_len, &t->key), &t->key) >>
	       (64 - TABLE_BITS);
}

static struct hlist_head *value_chain(struct oprofile_cookie_tables *t, u64 value)
{
	return &t->by_value[value & ((1 << TABLE_BITS) - 1)];
}

/* Return the cookie with the number @value, or NULL. Called under RCU. */
static const struct cookie *find_value(struct oprofile_cookie_tables *t, u64 value)
{
	const struct cookie *cookie;

	hlist_for_each_entry_rcu(cookie, value_chain(t, value), by_value) {
		if (cookie->value == value)
			return cookie;
	}
	return NULL;
}

/*
 * Return the value of the cookie of the file @seen, or NO_COOKIE if a new cookie must be made. If
 * the file has too many versions, return the cookie of its newest version. Set *@newest to the
 * newest cookie of the file; INVALID_COOKIE: the file has no cookie.
 */
static u64 find(struct oprofile_cookies *c, struct oprofile_cookie_tables *t,
		const struct sighting *seen, u64 *newest)
{
	u32 versions = 0, length = 0;
	const struct cookie *cookie;

	*newest = OPROFILE_INVALID_COOKIE;
	hlist_for_each_entry_rcu(cookie, &t->by_file[seen->bucket], by_file,
				 lockdep_is_held(&c->lock)) {
		length++;
		if (!same_file(cookie, seen))
			continue;
		if (timespec64_equal(&cookie->mtime, &seen->mtime))
			return cookie->value;
		if (!versions++)
			*newest = cookie->value;
	}
	return versions < MAX_VERSIONS && length < MAX_CHAIN ? OPROFILE_NO_COOKIE : *newest;
}

/* Return the number of bytes charged to @payer. Return NULL for root, which has no limit. */
static u32 *account(struct oprofile_cookie_tables *t, u64 payer)
{
	return payer ? &t->bytes[siphash_1u64(payer, &t->key) >> (64 - PAYER_BITS)] : NULL;
}

static struct cookie *cookie_new(const struct sighting *seen)
{
	u32 name_size = strlen(seen->name) + 1, inner_size = 0;
	char *buf = NULL, *inner = NULL;
	struct cookie *cookie;

	if (seen->id.foreign) {
		buf = kmalloc(PATH_MAX, GFP_TRY);
		if (!buf)
			return NULL;
		inner = dentry_path_raw(seen->path->dentry, buf, PATH_MAX);
		inner_size = IS_ERR(inner) ? 0 : strlen(inner) + 1;
	}
	cookie =
		kmalloc(struct_size(cookie, text, name_size + inner_size), GFP_TRY | __GFP_ACCOUNT);
	if (cookie) {
		/* make() frees the cookie if insert() returns a value different from .value. So
		 * begin with a value that insert() never returns. */
		cookie->value = OPROFILE_NO_COOKIE;
		cookie->id = seen->id;
		cookie->mtime = seen->mtime;
		cookie->fs_dev = seen->path->dentry->d_sb->s_dev;
		cookie->payer = uid_eq(d_inode(seen->path->dentry)->i_uid, GLOBAL_ROOT_UID) ?
					0 :
					seen->payer;
		cookie->name_size = name_size;
		cookie->inner_size = inner_size;
		memcpy(cookie->text, seen->name, name_size);
		memcpy(cookie->text + name_size, inner, inner_size);
	}
	kfree(buf);
	return cookie;
}

/* Charge the memory of @cookie to @payer. Return false if the user's or the table's limit would be
 * exceeded. */
static bool charge(struct oprofile_cookies *c, struct oprofile_cookie_tables *t,
		   const struct cookie *cookie, u64 payer)
{
	u32 size = max_t(u32, struct_size(cookie, text, cookie->name_size + cookie->inner_size),
			 MIN_BYTES);
	u32 *bytes = account(t, payer);

	if (!bytes)
		return c->nr < MAX_COOKIES;
	if (c->nr >= MAX_COOKIES - ROOTS_OWN || *bytes + size > USER_BYTES)
		return false;
	*bytes += size;
	return true;
}

/* Note the current process, whose user is @payer, as one that has mapped the file of the new
 * cookie. If too many files wait already, the reader looks for the file at its first sample
 * only. */
static void note_foreign(struct oprofile_cookies *c, const struct cookie *cookie, u64 payer)
{
	const struct oprofile_foreign_file file = {
		.cookie = cookie->value, .payer = payer, .tgid = current->tgid,
	};

	lockdep_assert_held(&c->lock);
	if (cookie->id.foreign)
		(void)oprofile_foreign_add(&c->foreign, &file);
}

bool oprofile_cookies_take_foreign(struct oprofile_cookies *c, struct oprofile_foreign_file *to)
{
	bool found;

	spin_lock(&c->lock);
	found = oprofile_foreign_take(&c->foreign, to);
	spin_unlock(&c->lock);
	return found;
}

/*
 * Insert @cookie and return its value. If the table has an equal cookie already, return that
 * cookie's value. If a limit is reached, return the newest cookie of the file, or INVALID_COOKIE if
 * the file has no cookie. In both cases the caller frees @cookie.
 */
static u64 insert(struct oprofile_cookies *c, struct oprofile_cookie_tables *t,
		  const struct sighting *seen, struct cookie *cookie)
{
	u64 value, newest;

	lockdep_assert_held(&c->lock);
	value = find(c, t, seen, &newest);
	if (value != OPROFILE_NO_COOKIE)
		return value;
	if (!charge(c, t, cookie, seen->payer))
		return newest;
	cookie->value = ++c->last_value;
	hlist_add_head_rcu(&cookie->by_file, &t->by_file[seen->bucket]);
	hlist_add_head_rcu(&cookie->by_value, value_chain(t, cookie->value));
	c->nr++;
	note_foreign(c, cookie, seen->payer);
	return cookie->value;
}

static u64 make(struct oprofile_cookies *c, const struct sighting *seen)
{
	struct oprofile_cookie_tables *t;
	struct cookie *cookie = cookie_new(seen);
	u64 value = OPROFILE_INVALID_COOKIE;

	if (!cookie)
		return value;
	spin_lock(&c->lock);
	t = rcu_dereference_protected(c->tables, lockdep_is_held(&c->lock));
	if (t)			/* the tables have been freed if profiling has ended */
		value = insert(c, t, seen, cookie);
	spin_unlock(&c->lock);
	if (!t || value != cookie->value)
		kfree(cookie);
	return value;
}

/* Return whether the reader of `buffer` sees the file under another name, or not at all. A file
 * outside of all mounts, such as a memfd, has the same name for all tasks. */
static bool is_foreign(const struct oprofile_cookie_tables *t, const struct path *path,
		       const struct path *root)
{
	return !(path->dentry->d_sb->s_flags & SB_KERNMOUNT) &&
	       !(path_equal(root, &t->reader_root) && path_is_under(path, &t->reader_root));
}

static void name_it(struct sighting *seen, char *buf)
{
	static const char deleted[] = " (deleted)";
	u32 len;

	seen->name = d_path(seen->path, buf, PATH_MAX);
	if (IS_ERR(seen->name))
		seen->name = "(name too long)";
	len = strlen(seen->name);
	if (d_unlinked(seen->path->dentry) && len > strlen(deleted) &&
	    !strcmp(seen->name + len - strlen(deleted), deleted))
		len -= strlen(deleted);
	seen->id.name_len = len;
}

static u64 *recent_of(struct oprofile_cookie_tables *t, const struct sighting *seen)
{
	return &t->recent[hash_ptr(seen->path->dentry, RECENT_BITS)];
}

/*
 * Return whether the name of @path, as seen from the root directory @root, is @name; the file may
 * be deleted. Called under RCU. Equivalent to comparing the text of d_path(), but without
 * allocating a buffer and copying the name to it. Return false if a mount point lies between @path
 * and @root, because the module cannot walk across mounts.
 */
static bool is_called(const struct path *path, const struct path *root, const char *name, u32 len)
{
	const struct dentry *d = path->dentry;
	u32 renames;

	if (path->mnt != root->mnt)
		return false;
	renames = read_seqbegin(&rename_lock);
	while (d != root->dentry && !IS_ROOT(d)) {
		const char *part = (const char *)READ_ONCE(d->d_name.name);
		u32 part_len = READ_ONCE(d->d_name.len);

		/*
		 * If another task renames the file at the same time, the length may belong to
		 * another name than the text. The comparison stays within the text nevertheless:
		 * each name ends with a NUL, and @name contains no NUL.
		 */
		if (part_len >= len || name[len - part_len - 1] != '/' ||
		    strncmp(part, name + len - part_len, part_len))
			return false;
		len -= part_len + 1;
		d = READ_ONCE(d->d_parent);
	}
	return d == root->dentry && !len && !read_seqretry(&rename_lock, renames);
}

/*
 * Return the cookie that was last found for the file's dentry. This avoids building, hashing and
 * comparing the full name, the most expensive part of a lookup. Short-lived programs use the same
 * few files again and again. Compare the whole key and the current name. Return NO_COOKIE if the
 * cookie belongs to another file, or if the names cannot be compared.
 */
static u64 find_recent(struct oprofile_cookies *c, const struct sighting *seen,
		       const struct path *root)
{
	u64 value = OPROFILE_NO_COOKIE;
	struct oprofile_cookie_tables *t;
	const struct cookie *cookie;

	rcu_read_lock();
	t = rcu_dereference(c->tables);
	cookie = t ? find_value(t, READ_ONCE(*recent_of(t, seen))) : NULL;
	if (cookie && same_inode(cookie, seen) && timespec64_equal(&cookie->mtime, &seen->mtime) &&
	    cookie->id.foreign == !path_equal(root, &t->reader_root) &&
	    is_called(seen->path, root, cookie->text, cookie->id.name_len))
		value = cookie->value;
	rcu_read_unlock();
	return value;
}

static u64 look_up(struct oprofile_cookies *c, struct sighting *seen, const struct path *root,
		   char *buf)
{
	struct oprofile_cookie_tables *t;
	u64 value = OPROFILE_INVALID_COOKIE, newest;

	rcu_read_lock();
	t = rcu_dereference(c->tables);
	if (t) {
		seen->id.foreign = is_foreign(t, seen->path, root);
		name_it(seen, buf);
		seen->bucket = bucket_of(t, seen);
		value = find(c, t, seen, &newest);
		if (value != OPROFILE_NO_COOKIE && value != OPROFILE_INVALID_COOKIE)
			WRITE_ONCE(*recent_of(t, seen), value);
	}
	rcu_read_unlock();
	return value;
}

/*
 * Return whether only stat() reports the device of a file's subvolume, or of an overlay's layer.
 * Call stat() for these file systems only: on others, such as 9p, each stat() would be a request to
 * a server.
 */
static bool stat_knows_more(const struct super_block *sb)
{
	return sb->s_type->fs_flags & FS_REQUIRES_DEV || sb->s_magic == OVERLAYFS_SUPER_MAGIC;
}

static bool identify(struct sighting *seen)
{
	const struct inode *inode = d_inode(seen->path->dentry);
	struct kstat stat = { .dev = inode->i_sb->s_dev, .ino = inode->i_ino };

	if (stat_knows_more(inode->i_sb) &&
	    vfs_getattr_nosec(seen->path, &stat, 0, AT_STATX_DONT_SYNC))
		return false;
	seen->id.dev = new_encode_dev(stat.dev);
	seen->id.ino = stat.ino;
	seen->id.generation = inode->i_generation;
	/* Newer kernels return the time of modification only if it is requested. */
	seen->mtime = stat.result_mask & STATX_MTIME ? stat.mtime : inode_get_mtime(inode);
	return true;
}

static u64 find_by_name(struct oprofile_cookies *c, struct sighting *seen, const struct path *root)
{
	char *buf = kmalloc(PATH_MAX, GFP_TRY);
	u64 value;

	if (!buf)
		return OPROFILE_INVALID_COOKIE;
	value = look_up(c, seen, root, buf);
	if (value == OPROFILE_NO_COOKIE)
		value = make(c, seen);
	kfree(buf);
	return value;
}

u64 oprofile_cookie_paid_by(struct oprofile_cookies *c, struct file *file, u64 payer)
{
	/* On an overlay file system, the inode of a mapping is not the inode of the file that the
	 * user opened. */
	struct sighting seen = { .path = file_user_path(file), .payer = payer };
	struct path root;
	u64 value;

	if (!identify(&seen))
		return OPROFILE_INVALID_COOKIE;
	get_fs_root(current->fs, &root);
	value = find_recent(c, &seen, &root);
	if (value == OPROFILE_NO_COOKIE)
		value = find_by_name(c, &seen, &root);
	path_put(&root);
	return value;
}

u64 oprofile_cookie_of(struct oprofile_cookies *c, struct file *file)
{
	return oprofile_cookie_paid_by(c, file, oprofile_payer());
}

bool oprofile_cookie_file(struct oprofile_cookies *c, u64 value, struct oprofile_file_id *id)
{
	struct oprofile_cookie_tables *t;
	const struct cookie *cookie;

	rcu_read_lock();
	t = rcu_dereference(c->tables);
	cookie = t ? find_value(t, value) : NULL;
	if (cookie)
		*id = (struct oprofile_file_id){
			.dev = cookie->id.dev,
			.ino = cookie->id.ino,
			.generation = cookie->id.generation,
			.mtime_sec = cookie->mtime.tv_sec,
			.mtime_nsec = cookie->mtime.tv_nsec,
			.payer = cookie->payer,
		};
	rcu_read_unlock();
	return cookie;
}

/* The caller has `buffer` open, so cookies are not freed during the call. */
int oprofile_cookie_ioctl(struct oprofile_cookies *c, struct oprofile_cookie_info __user *arg)
{
	struct oprofile_cookie_info info;
	struct oprofile_cookie_tables *t;
	const struct cookie *cookie;
	const char *text;
	u64 path;
	u32 size;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	if (info.flags & ~OPROFILE_COOKIE_INNER)
		return -EINVAL;
	rcu_read_lock();
	t = rcu_dereference(c->tables);
	cookie = t ? find_value(t, info.cookie) : NULL;
	rcu_read_unlock();
	if (!cookie)
		return -ENOENT;

	path = info.path;
	size = info.path_size;
	text = cookie->text;
	info.path_len = cookie->name_size;
	if (info.flags & OPROFILE_COOKIE_INNER) {
		if (!cookie->inner_size)
			return -ENOENT;
		text += cookie->name_size;
		info.path_len = cookie->inner_size;
	}
	info.dev = cookie->id.dev;
	info.ino = cookie->id.ino;
	info.mtime_sec = cookie->mtime.tv_sec;
	info.mtime_nsec = cookie->mtime.tv_nsec;
	info.flags = cookie->id.foreign ? OPROFILE_COOKIE_FOREIGN : 0;
	info.fs_dev = new_encode_dev(cookie->fs_dev);
	if (copy_to_user(arg, &info, sizeof(info)))
		return -EFAULT;
	if (size < info.path_len)
		return -ENAMETOOLONG;
	if (copy_to_user(u64_to_user_ptr(path), text, info.path_len))
		return -EFAULT;
	return 0;
}

void oprofile_cookies_init(struct oprofile_cookies *c)
{
	spin_lock_init(&c->lock);
}

int oprofile_cookies_setup(struct oprofile_cookies *c)
{
	struct oprofile_cookie_tables *t = kvzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	get_random_bytes(&t->key, sizeof(t->key));
	get_fs_root(current->fs, &t->reader_root);
	c->nr = c->foreign.nr = 0;
	rcu_assign_pointer(c->tables, t);
	return 0;
}

void oprofile_cookies_shutdown(struct oprofile_cookies *c)
{
	struct oprofile_cookie_tables *t;
	struct hlist_node *next;
	struct cookie *cookie;
	int i;

	spin_lock(&c->lock);
	t = rcu_dereference_protected(c->tables, lockdep_is_held(&c->lock));
	RCU_INIT_POINTER(c->tables, NULL);
	spin_unlock(&c->lock);
	synchronize_rcu();
	for (i = 0; i < ARRAY_SIZE(t->by_file); i++) {
		hlist_for_each_entry_safe(cookie, next, &t->by_file[i], by_file)
			kfree(cookie);
	}
	path_put(&t->reader_root);
	kvfree(t);
}
