/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/compat.h -- the only place that knows that kernels differ. Each block gives the newest
 * kernel's name to a kernel that lacks it; Kbuild.include finds out which do.
 */
#ifndef OPROFILE_COMPAT_H
#define OPROFILE_COMPAT_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#ifndef OPROFILE_HAVE_INODE_GET_MTIME
static inline struct timespec64 inode_get_mtime(const struct inode *inode)
{
	return inode->i_mtime;
}
#endif

#ifndef OPROFILE_HAVE_SIMPLE_INODE_INIT_TS
static inline void simple_inode_init_ts(struct inode *inode)
{
	inode->i_atime = inode->i_mtime = inode->i_ctime = current_time(inode);
}
#endif

#ifndef OPROFILE_HAVE_INODE_JUST_DROP
#define inode_just_drop	generic_delete_inode
#endif

#ifndef OPROFILE_HAVE_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#ifndef OPROFILE_HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq	system_unbound_wq
#endif

/* A file that stays until the filesystem goes: by a reference that only kill_litter_super() drops. */
#ifndef OPROFILE_HAVE_D_MAKE_PERSISTENT
static inline struct dentry *d_make_persistent(struct dentry *dentry, struct inode *inode)
{
	d_add(dentry, inode);
	return dget(dentry);
}
#define kill_anon_super	kill_litter_super
#endif

/* The path the user mapped, not the one of a stacked filesystem's lower file. */
#ifndef OPROFILE_HAVE_FILE_USER_PATH
static inline const struct path *file_user_path(const struct file *f)
{
	return &f->f_path;
}
#endif

#ifndef OPROFILE_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/* What else sched_process_exit tells: a probe's type has to be right where indirect calls are checked. */
#ifdef OPROFILE_HAVE_EXIT_GROUP_DEAD
#define OPROFILE_GROUP_DEAD	, bool group_dead
#else
#define OPROFILE_GROUP_DEAD
#endif

#ifndef OPROFILE_HAVE_PF_USER_WORKER
#define PF_USER_WORKER	PF_IO_WORKER
#endif

/* Adds to what only this CPU writes, while an NMI may come in and do the same. */
static inline void oprofile_add_local(u64 *sum, u64 n)
{
#ifdef CONFIG_X86
	asm volatile("addq %1,%0" : "+m" (*sum) : "er" (n));
#else
	atomic64_add(n, (atomic64_t *)sum);
#endif
}

/* Was what @regs interrupted ready for interrupts? If that is not known, no. */
static inline bool oprofile_irqs_enabled(const struct pt_regs *regs)
{
#if defined(CONFIG_X86)
	return regs->flags & X86_EFLAGS_IF;
#elif defined(CONFIG_ARM64)
	return interrupts_enabled(regs);
#else
	return false;
#endif
}

/* May somebody else have our CPU for a while? Where that is not known, yes. */
static inline bool oprofile_on_hypervisor(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
#else
	return true;
#endif
}

/* A number that no other address space gets while the machine runs, or 0: there is none (yet). */
static inline u64 oprofile_mm_id(const struct mm_struct *mm)
{
#if defined(CONFIG_X86)
	return mm->context.ctx_id;
#elif defined(CONFIG_ARM64)
	return atomic64_read(&mm->context.id);	/* its generation makes it so; another one is a miss */
#else
	return 0;
#endif
}

/* The program of @mm with a reference, or NULL. Kernels do not export get_mm_exe_file(). */
static inline struct file *oprofile_get_exe_file(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#ifdef OPROFILE_HAVE_GET_FILE_ACTIVE
	file = get_file_rcu(&mm->exe_file);
#else
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

#endif
