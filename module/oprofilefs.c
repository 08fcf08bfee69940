// SPDX-License-Identifier: GPL-2.0
/*
 * oprofilefs.c -- a pseudo-filesystem with one superblock, filled when it is first mounted.
 */
#include "oprofilefs.h"

#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "compat/compat.h"
#include "settings.h"

#define OPROFILEFS_MAGIC	0x6f70726f

struct setting_file {
	struct oprofile_sampling *s;
	const struct oprofilefs_setting *setting;
	unsigned long *value;
};

struct value_file {
	struct oprofile_sampling *s;
	u64 (*value)(struct oprofile_sampling *s, int cpu, unsigned long data);
	int cpu;
	unsigned long data;
};

ssize_t oprofilefs_read_ulong(unsigned long value, char __user *buf, size_t count, loff_t *pos)
{
	char text[24];

	return simple_read_from_buffer(buf, count, pos, text,
				       scnprintf(text, sizeof(text), "%lu\n", value));
}

int oprofilefs_parse(const char __user *buf, size_t count, loff_t pos, unsigned long *ret)
{
	if (pos)
		return -EINVAL;
	return kstrtoul_from_user(buf, count, 0, ret);
}

static ssize_t setting_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	const struct setting_file *f = file_inode(file)->i_private;

	return oprofilefs_read_ulong(READ_ONCE(*f->value), buf, count, pos);
}

static ssize_t setting_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	const struct setting_file *f = file_inode(file)->i_private;
	unsigned long value;
	int err;

	if (!count)
		return 0;
	err = oprofilefs_parse(buf, count, *pos, &value);
	if (err)
		return err;
	err = oprofile_set(f->s, f->value, value, f->setting->min, f->setting->max,
				   f->setting->fixed);
	return err ?: count;
}

static const struct file_operations setting_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = setting_read,
	.write = setting_write,
	.llseek = default_llseek,
};

static ssize_t value_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	const struct value_file *f = file_inode(file)->i_private;

	return oprofilefs_read_ulong(f->value(f->s, f->cpu, f->data), buf, count, pos);
}

static const struct file_operations value_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = value_read,
	.llseek = default_llseek,
};

static void evict_inode(struct inode *inode)
{
	clear_inode(inode);
	if (inode->i_fop == &setting_fops || inode->i_fop == &value_fops)
		kfree(inode->i_private);
}

static const struct super_operations super_ops = {
	.statfs = simple_statfs,
	.drop_inode = inode_just_drop,
	.evict_inode = evict_inode,
};

static struct inode *make_inode(struct super_block *sb, umode_t mode)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	inode->i_ino = get_next_ino();
	inode->i_mode = mode;
	simple_inode_init_ts(inode);
	if (sb->s_root) {
		inode->i_uid = d_inode(sb->s_root)->i_uid;
		inode->i_gid = d_inode(sb->s_root)->i_gid;
	}
	return inode;
}

struct dentry *oprofilefs_mkdir(struct dentry *parent, const char *name)
{
	struct dentry *dentry = d_alloc_name(parent, name);
	struct inode *inode;

	if (!dentry)
		return NULL;
	inode = make_inode(parent->d_sb, S_IFDIR | 0755);
	if (!inode) {
		dput(dentry);
		return NULL;
	}
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	inc_nlink(inode);
	inc_nlink(d_inode(parent));
	d_make_persistent(dentry, inode);
	dput(dentry);
	return dentry;
}

int oprofilefs_create_file(struct dentry *parent, const char *name, umode_t mode,
			   const struct file_operations *fops, void *data)
{
	struct dentry *dentry = d_alloc_name(parent, name);
	struct inode *inode;

	if (!dentry)
		return -ENOMEM;
	inode = make_inode(parent->d_sb, S_IFREG | mode);
	if (!inode) {
		dput(dentry);
		return -ENOMEM;
	}
	inode->i_fop = fops;
	inode->i_private = data;
	d_make_persistent(dentry, inode);
	dput(dentry);
	return 0;
}

int oprofilefs_create_setting(struct oprofile_sampling *s, struct dentry *parent,
			      const struct oprofilefs_setting *setting, unsigned long *value)
{
	struct setting_file *f = kmalloc(sizeof(*f), GFP_KERNEL);
	int err;

	if (!f)
		return -ENOMEM;
	*f = (struct setting_file){ .s = s, .setting = setting, .value = value };
	err = oprofilefs_create_file(parent, setting->name, 0644, &setting_fops, f);
	if (err)
		kfree(f);
	return err;
}

int oprofilefs_create_value(struct oprofile_sampling *s, struct dentry *parent, const char *name,
			    u64 (*value)(struct oprofile_sampling *s, int cpu, unsigned long data),
			    int cpu, unsigned long data)
{
	struct value_file *f = kmalloc(sizeof(*f), GFP_KERNEL);
	int err;

	if (!f)
		return -ENOMEM;
	*f = (struct value_file){ .s = s, .value = value, .cpu = cpu, .data = data };
	err = oprofilefs_create_file(parent, name, 0444, &value_fops, f);
	if (err)
		kfree(f);
	return err;
}

/* Mount options: the user and group that may read the files, besides root. */
struct mount_options {
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
	bool uid_given, gid_given, mode_given;
};

enum { OPT_UID, OPT_GID, OPT_MODE };

static const struct fs_parameter_spec mount_parameters[] = {
	fsparam_u32("uid", OPT_UID),
	fsparam_u32("gid", OPT_GID),
	fsparam_u32oct("mode", OPT_MODE),
	{ }
};

static int parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct mount_options *o = fc->fs_private;
	struct fs_parse_result result;
	int opt = fs_parse(fc, mount_parameters, param, &result);

	switch (opt) {
	case OPT_UID:
		o->uid = make_kuid(fc->user_ns, result.uint_32);
		o->uid_given = true;
		return uid_valid(o->uid) ? 0 : invalf(fc, "bad uid");
	case OPT_GID:
		o->gid = make_kgid(fc->user_ns, result.uint_32);
		o->gid_given = true;
		return gid_valid(o->gid) ? 0 : invalf(fc, "bad gid");
	case OPT_MODE:
		if (result.uint_32 & ~0777)
			return invalf(fc, "bad mode");
		o->mode = result.uint_32;
		o->mode_given = true;
		return 0;
	default:
		return opt;
	}
}

struct oprofilefs_type {
	struct file_system_type type;
	int (*fill)(void *data, struct dentry *root);
	void *data;
};

static int fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct oprofilefs_type *t = container_of(fc->fs_type, struct oprofilefs_type, type);
	const struct mount_options *o = fc->fs_private;
	struct inode *inode;

	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = OPROFILEFS_MAGIC;
	sb->s_op = &super_ops;
	sb->s_time_gran = 1;

	inode = make_inode(sb, S_IFDIR | o->mode);
	if (!inode)
		return -ENOMEM;
	inode->i_uid = o->uid;
	inode->i_gid = o->gid;
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	inc_nlink(inode);
	sb->s_root = d_make_root(inode);
	if (!sb->s_root)
		return -ENOMEM;
	return t->fill(t->data, sb->s_root);
}

/* All mounts share one superblock, so refuse options that differ from those of an existing
 * mount. */
static int check_options(struct fs_context *fc)
{
	const struct inode *root = d_inode(fc->root);
	const struct mount_options *o = fc->fs_private;

	if ((!o->uid_given || uid_eq(o->uid, root->i_uid)) &&
	    (!o->gid_given || gid_eq(o->gid, root->i_gid)) &&
	    (!o->mode_given || o->mode == (root->i_mode & 0777)))
		return 0;
	return invalf(fc, "oprofilefs is mounted with other options: unmount it everywhere first");
}

static int get_tree(struct fs_context *fc)
{
	struct super_block *sb;
	int err = get_tree_single(fc, fill_super);

	if (err)
		return err;
	err = check_options(fc);
	if (err) {
		sb = fc->root->d_sb;
		dput(fc->root);
		fc->root = NULL;
		deactivate_locked_super(sb);
	}
	return err;
}

static void free_context(struct fs_context *fc)
{
	kfree(fc->fs_private);
}

static const struct fs_context_operations context_ops = {
	.parse_param = parse_param,
	.get_tree = get_tree,
	.reconfigure = check_options,
	.free = free_context,
};

static int init_context(struct fs_context *fc)
{
	struct mount_options *o = kmalloc(sizeof(*o), GFP_KERNEL);

	if (!o)
		return -ENOMEM;
	*o = (struct mount_options){ .uid = GLOBAL_ROOT_UID, .gid = GLOBAL_ROOT_GID, .mode = 0700 };
	fc->fs_private = o;
	fc->ops = &context_ops;
	return 0;
}

/* Not const, because the kernel links registered file systems in a list. */
static struct oprofilefs_type oprofilefs = {
	.type = {
		.owner = THIS_MODULE,
		.name = "oprofilefs",
		.init_fs_context = init_context,
		.parameters = mount_parameters,
		.kill_sb = kill_anon_super,
	},
};

int oprofilefs_register(int (*fill)(void *data, struct dentry *root), void *data)
{
	oprofilefs.fill = fill;
	oprofilefs.data = data;
	return register_filesystem(&oprofilefs.type);
}

void oprofilefs_unregister(void)
{
	unregister_filesystem(&oprofilefs.type);
}
