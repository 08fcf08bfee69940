/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/compat.h -- compatibility with older kernels. Each block defines a name of the newest
 * kernel for kernels that lack it; Kbuild.include detects them. Other files of the module do not
 * depend on the kernel's version.
 */
#ifndef OPROFILE_COMPAT_H
#define OPROFILE_COMPAT_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/overflow.h>
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

#ifndef OPROFILE_HAVE_STRUCT_SIZE_T
#define struct_size_t(type, member, count)	struct_size((type *)NULL, member, count)
#endif

#ifndef OPROFILE_HAVE_SYSTEM_DFL_WQ
#define system_dfl_wq	system_unbound_wq
#endif

/* Create the file @dentry, which stays until the file system is unmounted: kill_litter_super() then
 * drops the last reference to @dentry. */
#ifndef OPROFILE_HAVE_D_MAKE_PERSISTENT
static inline struct dentry *d_make_persistent(struct dentry *dentry, struct inode *inode)
{
	d_add(dentry, inode);
	return dget(dentry);
}
#define kill_anon_super	kill_litter_super
#endif

/* Return the path that the user mapped. On a stacked file system, this is not the path of the
 * lower file. */
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

/*
 * Older kernels pass fewer arguments to the tracepoint sched_process_exit: this macro adds the
 * argument that newer kernels pass. The type of the probe function must match, because the kernel
 * may check indirect calls.
 */
#ifdef OPROFILE_HAVE_EXIT_GROUP_DEAD
#define OPROFILE_GROUP_DEAD	, bool group_dead
#else
#define OPROFILE_GROUP_DEAD
#endif

#ifndef OPROFILE_HAVE_PF_USER_WORKER
#define PF_USER_WORKER	PF_IO_WORKER
#endif

/* Add @n to a counter that only this CPU changes. Safe against NMIs on this CPU that add to the
 * same counter. */
static inline void oprofile_add_local(u64 *sum, u64 n)
{
#ifdef CONFIG_X86
	asm volatile("addq %1,%0" : "+m" (*sum) : "er" (n));
#else
	atomic64_add(n, (atomic64_t *)sum);
#endif
}

/* Return whether interrupts were enabled in the code interrupted at @regs; false if unknown. */
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

/* Set @regs to registers of kernel code at @pc whose stack is unknown. */
static inline void oprofile_kernel_regs(struct pt_regs *regs, unsigned long pc)
{
	memset(regs, 0, sizeof(*regs));
	instruction_pointer_set(regs, pc);
#if defined(CONFIG_X86)
	regs->cs = __KERNEL_CS;
#elif defined(CONFIG_ARM64)
	regs->pstate = PSR_MODE_EL1h;
#endif
}

/* Return whether a hypervisor may deschedule this CPU; true if unknown. */
static inline bool oprofile_on_hypervisor(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
#else
	return true;
#endif
}

/* Return a number that identifies the address space @mm until the next reboot. Return 0 if @mm has
 * no number yet. */
static inline u64 oprofile_mm_id(const struct mm_struct *mm)
{
#if defined(CONFIG_X86)
	return mm->context.ctx_id;
#elif defined(CONFIG_ARM64)
	/* The id contains the ASID's generation, so it is unique. After the kernel has begun a
	 * new generation, @mm has a new id, and data stored under the old id are not found. */
	return atomic64_read(&mm->context.id);
#else
	return 0;
#endif
}

/* Return the executable file of @mm, with a reference that the caller must drop, or NULL. The
 * kernel's own get_mm_exe_file() is not exported to modules. */
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
