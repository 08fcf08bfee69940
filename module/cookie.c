// SPDX-License-Identifier: GPL-2.0
/*
 * cookie.c -- numbers for files.
 */
#include "cookie.h"

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "uapi/oprofile.h"

#define MAX_COOKIES	65536	/* files at once; a bound on memory, far above what machines run */

struct file_id {
	dev_t dev;
	u32 generation;
	u64 ino;
	struct timespec64 mtime;
};

struct cookie {
	struct hlist_node node;
	struct file_id id;
	u64 value;
	u32 path_len;		/* with the NUL */
	char path[];
};

static bool file_id_of(struct file_id *id, const struct file *file)
{
	/*
	 * The file that the user named: below an overlay, a mapping has another inode than the
	 * program it is of. An exe_file looked at without a reference may be on its way out.
	 */
	const struct dentry *dentry = READ_ONCE(file_user_path(file)->dentry);
	const struct inode *inode = dentry ? READ_ONCE(dentry->d_inode) : NULL;

	if (!inode)
		return false;
	id->dev = inode->i_sb->s_dev;
	id->generation = inode->i_generation;
	id->ino = inode->i_ino;
	id->mtime = inode_get_mtime(inode);
	return true;
}

static bool same_file(const struct file_id *a, const struct file_id *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation &&
	       timespec64_equal(&a->mtime, &b->mtime);
}

static u32 bucket(const struct file_id *id)
{
	return hash_64(id->ino ^ (u64)id->dev << 32, OPROFILE_COOKIE_BITS);
}

static u64 find(struct oprofile_cookies *c, const struct file_id *id)
{
	struct hlist_head *hash = rcu_dereference_check(c->hash, lockdep_is_held(&c->lock) ||
							rcu_read_lock_any_held());
	const struct cookie *cookie;

	if (!hash)
		return OPROFILE_NO_COOKIE;
	hlist_for_each_entry_rcu(cookie, &hash[bucket(id)], node, lockdep_is_held(&c->lock)) {
		if (same_file(&cookie->id, id))
			return cookie->value;
	}
	return OPROFILE_NO_COOKIE;
}

u64 oprofile_cookie_find(struct oprofile_cookies *c, const struct file *file)
{
	struct file_id id;

	return file_id_of(&id, file) ? find(c, &id) : OPROFILE_NO_COOKIE;
}

static struct cookie *cookie_new(struct file *file, const struct file_id *id)
{
	struct cookie *cookie = NULL;
	size_t len;
	char *buf, *path;

	buf = (char *)__get_free_page(GFP_KERNEL);
	if (!buf)
		return NULL;
	path = d_path(file_user_path(file), buf, PAGE_SIZE);
	if (IS_ERR(path))
		path = strcpy(buf, "(name too long)");
	len = strlen(path) + 1;
	cookie = kmalloc(struct_size(cookie, path, len), GFP_KERNEL);
	if (cookie) {
		cookie->id = *id;
		cookie->path_len = len;
		memcpy(cookie->path, path, len);
	}
	free_page((unsigned long)buf);
	return cookie;
}

u64 oprofile_cookie_make(struct oprofile_cookies *c, struct file *file)
{
	u64 value = OPROFILE_INVALID_COOKIE;
	struct hlist_head *hash;
	struct cookie *cookie;
	struct file_id id;

	if (!file_id_of(&id, file))
		return value;
	cookie = cookie_new(file, &id);
	if (!cookie)
		return value;

	mutex_lock(&c->lock);
	hash = rcu_dereference_protected(c->hash, lockdep_is_held(&c->lock));
	if (!hash)		/* profiling ended meanwhile */
		goto unlock;
	value = find(c, &id);
	if (value != OPROFILE_NO_COOKIE)
		goto unlock;
	value = OPROFILE_INVALID_COOKIE;
	if (c->nr >= MAX_COOKIES)
		goto unlock;
	cookie->value = c->last_value + 1;
	if (xa_err(xa_store(&c->by_value, cookie->value, cookie, GFP_KERNEL)))
		goto unlock;
	hlist_add_head_rcu(&cookie->node, &hash[bucket(&id)]);
	value = ++c->last_value;
	c->nr++;
	cookie = NULL;
unlock:
	mutex_unlock(&c->lock);
	kfree(cookie);
	return value;
}

int oprofile_cookie_ioctl(struct oprofile_cookies *c, struct oprofile_cookie_info __user *arg)
{
	struct oprofile_cookie_info info;
	const struct cookie *cookie;
	u64 path;
	u32 size;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	cookie = xa_load(&c->by_value, info.cookie);
	if (!cookie)
		return -ENOENT;

	path = info.path;
	size = info.path_size;
	info.path_len = cookie->path_len;
	info.dev = new_encode_dev(cookie->id.dev);
	info.ino = cookie->id.ino;
	info.mtime_sec = cookie->id.mtime.tv_sec;
	info.mtime_nsec = cookie->id.mtime.tv_nsec;
	info.pad = 0;
	if (copy_to_user(arg, &info, sizeof(info)))
		return -EFAULT;
	if (size < cookie->path_len)
		return -ENAMETOOLONG;
	if (copy_to_user(u64_to_user_ptr(path), cookie->path, cookie->path_len))
		return -EFAULT;
	return 0;
}

int oprofile_cookies_setup(struct oprofile_cookies *c)
{
	struct hlist_head *hash;

	hash = kvcalloc(1 << OPROFILE_COOKIE_BITS, sizeof(*hash), GFP_KERNEL);
	if (!hash)
		return -ENOMEM;
	xa_init(&c->by_value);
	mutex_lock(&c->lock);
	rcu_assign_pointer(c->hash, hash);
	c->nr = 0;
	mutex_unlock(&c->lock);
	return 0;
}

void oprofile_cookies_shutdown(struct oprofile_cookies *c)
{
	struct hlist_head *hash;
	struct cookie *cookie;
	unsigned long index;

	mutex_lock(&c->lock);
	hash = rcu_dereference_protected(c->hash, lockdep_is_held(&c->lock));
	RCU_INIT_POINTER(c->hash, NULL);
	synchronize_rcu();
	xa_for_each(&c->by_value, index, cookie)
		kfree(cookie);
	xa_destroy(&c->by_value);
	mutex_unlock(&c->lock);
	kvfree(hash);
}
