// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/fs.c -- vperfctrfs, the file system of objects' files.
 */
#include "vperfctr/fs.h"

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "vperfctr/args.h"
#include "vperfctr/control.h"
#include "vperfctr/object.h"
#include "vperfctr/page.h"
#include "vperfctr/ring.h"

/*
 * The mount exists while files exist. An O_PATH descriptor, or a reader of /proc/PID/fd, may use
 * the mount longer than the last file exists. In this case the superblock's reference to the module
 * (fs_type.owner) prevents the unloading of the module.
 */
static struct vfsmount *mount;
static int mount_users;

static long call_control(struct file *file, void __user *arg)
{
	struct vperfctr_control control;
	int err = vperfctr_get_args(&control, arg, sizeof(control));

	return err ?: vperfctr_control(file->private_data, file->f_cred, &control);
}

/* Copy the sums to user memory word by word, which is faster than copy_to_user() with its string
 * instruction. */
static int put_sums(struct vperfctr_sum_ctrs __user *to, const struct vperfctr_sum_ctrs *sums)
{
	if (!user_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_copy_to_user((void __user *)to, (const void *)sums, sizeof(*sums), fault);
	user_access_end();
	return 0;

fault:
	user_access_end();
	return -EFAULT;
}

static long call_read(struct vperfctr *v, struct vperfctr_read __user *arg)
{
	/* Not zeroed, because READ fills and copies only the requested parts. */
	struct vperfctr_read r __uninitialized;
	u32 want;
	int err = vperfctr_check_size(arg, sizeof(r));

	if (err)
		return err;
	if (get_user(want, &arg->want))
		return -EFAULT;
	if (want & ~(VPERFCTR_READ_SUM | VPERFCTR_READ_CHILDREN | VPERFCTR_READ_CONTROL))
		return -EINVAL;
	if (want == VPERFCTR_READ_SUM) {
		err = vperfctr_read_own(v, &arg->sum);
		if (err != -EFAULT)
			return err;
	}
	err = vperfctr_read(v, want, &r);
	if (err)
		return err;
	if ((want & VPERFCTR_READ_SUM) && put_sums(&arg->sum, &r.sum))
		return -EFAULT;
	if ((want & VPERFCTR_READ_CHILDREN) && put_sums(&arg->children, &r.children))
		return -EFAULT;
	if ((want & VPERFCTR_READ_CONTROL) &&
	    copy_to_user(&arg->control, &r.control, sizeof(r.control)))
		return -EFAULT;
	return 0;
}

static long fs_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct vperfctr *v = file->private_data;

	switch (cmd) {
	case VPERFCTR_IOC_CONTROL:
		return call_control(file, (void __user *)arg);
	case VPERFCTR_IOC_READ:
		return call_read(v, (void __user *)arg);
	case VPERFCTR_IOC_UNLINK:
		return vperfctr_unlink(v);
	case VPERFCTR_IOC_IRESUME:
		return vperfctr_iresume(v);
	}
	return -ENOTTY;
}

/*
 * A mapping holds a reference to the file, and so to the object and its page. The page is mapped by
 * page frame number, without a reference to its struct page: otherwise a program could put the page
 * into a pipe, close its descriptors, and later read from the pipe the counts of a tracer with more
 * rights.
 */
static int fs_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vperfctr *v = file->private_data;
	struct vperfctr_ring *ring;
	int err = -EINVAL;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	ring = vma_pages(vma) > 1 ? vperfctr_get_ring(v) : NULL;
	if (vma->vm_pgoff || vma_pages(vma) != 1 + (ring ? ring->nr_pages : 0))
		goto put;
	vm_flags_mod(vma, VM_DONTEXPAND, VM_MAYWRITE | VM_MAYEXEC);
	err = remap_pfn_range(vma, vma->vm_start, page_to_pfn(virt_to_page(v->page)), PAGE_SIZE,
			      vma->vm_page_prot);
	if (!err && ring)
		err = vperfctr_ring_map(ring, vma);
	/* On an error, the kernel removes the whole mapping, including the pages that are already
	 * mapped. */
put:
	vperfctr_ring_put(ring);
	return err;
}

static int fs_release(struct inode *inode, struct file *file)
{
	struct vperfctr *v = file->private_data;

	atomic_dec(&v->files);
	vperfctr_put(v);
	simple_release_fs(&mount, &mount_users);
	return 0;
}

static const struct file_operations fs_file_operations = {
	.owner = THIS_MODULE,
	.mmap = fs_mmap,
	.release = fs_release,
	.unlocked_ioctl = fs_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* Forward declaration; defined below. Not const, because the kernel links the superblocks in
 * this struct. */
static struct file_system_type fs_type;

static struct file *new_file(struct vperfctr *v)
{
	struct inode *inode;
	struct file *file;
	int err = simple_pin_fs(&fs_type, &mount, &mount_users);

	if (err)
		return ERR_PTR(err);
	inode = alloc_anon_inode(mount->mnt_sb);
	if (IS_ERR(inode)) {
		simple_release_fs(&mount, &mount_users);
		return ERR_CAST(inode);
	}
	inode->i_ino = v->number;
	__module_get(THIS_MODULE);	/* reference to the module, released with the file */
	file = alloc_file_pseudo(inode, mount, "", O_RDONLY, &fs_file_operations);
	if (IS_ERR(file)) {
		module_put(THIS_MODULE);
		iput(inode);
		simple_release_fs(&mount, &mount_users);
		return file;
	}
	vperfctr_get(v);
	atomic_inc(&v->files);
	file->private_data = v;
	return file;
}

int vperfctr_make_file(struct vperfctr *v, bool cloexec, struct file **ret_file)
{
	int fd, err = vperfctr_make_page(v);
	struct file *file;

	if (err)
		return err;
	fd = get_unused_fd_flags(cloexec ? O_CLOEXEC : 0);
	if (fd < 0)
		return fd;
	file = new_file(v);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	*ret_file = file;
	return fd;
}

int vperfctr_open_file(struct vperfctr *v, bool cloexec)
{
	struct file *file;
	int fd = vperfctr_make_file(v, cloexec, &file);

	if (fd >= 0)
		fd_install(fd, file);
	return fd;
}

/* Format a file's name for /proc/PID/fd. Replaces dynamic_dname(), which the kernel does not
 * export. */
static char *fs_dname(struct dentry *dentry, char *buffer, int size)
{
	char name[40];
	int length =
		scnprintf(name, sizeof(name), "vperfctrfs:[%llu]", (u64)d_inode(dentry)->i_ino) + 1;

	if (length > size)
		return ERR_PTR(-ENAMETOOLONG);
	return memcpy(buffer + size - length, name, length);
}

static const struct dentry_operations fs_dentry_operations = {
	.d_dname = fs_dname,
};

static const struct super_operations fs_super_operations = {
	.statfs = simple_statfs,
};

static int fs_init_context(struct fs_context *fc)
{
	struct pseudo_fs_context *ctx = init_pseudo(fc, VPERFCTRFS_MAGIC);

	if (!ctx)
		return -ENOMEM;
	ctx->ops = &fs_super_operations;
	ctx->dops = &fs_dentry_operations;
	fc->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	return 0;
}

/* The file system is not registered, so that users cannot mount it. */
static struct file_system_type fs_type = {
	.owner = THIS_MODULE,
	.name = "vperfctrfs",
	.init_fs_context = fs_init_context,
	.kill_sb = kill_anon_super,
};
