// SPDX-License-Identifier: GPL-2.0
/*
 * hooks.c -- detection of changed executable mappings.
 *
 * Whenever the kernel creates an executable mapping, it holds mmap_lock for writing and calls one
 * of two functions: perf_event_mmap() (for mmap, mprotect, brk, shmat, special mappings, stack
 * growth) or vm_stat_account() (for mremap, which does not call the former when it moves or grows a
 * mapping). Both have kprobes.
 */
#include "hooks.h"

#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "compat/compat.h"

/* a parameter of the module, which root may also change in sysfs */
static bool watch_maps = true;
module_param(watch_maps, bool, 0644);
MODULE_PARM_DESC(
	watch_maps,
	"use kprobes to detect changes of address spaces (default Y); N: resolve each user sample");

u64 oprofile_generation_make(struct oprofile_hooks *h, const struct mm_struct *mm)
{
	struct oprofile_space *space = h->space[hash_ptr(mm, OPROFILE_SPACE_BITS)];
	u64 generation = oprofile_generation(h, mm);
	int i;

	if (generation)
		return generation;
	spin_lock(&h->space_lock);
	generation = oprofile_generation(h, mm);
	if (generation)
		goto unlock;
	for (i = 0; i < OPROFILE_SPACE_WAYS && space[i].mm; i++)
		;
	if (i == OPROFILE_SPACE_WAYS)
		i = h->turn++ % OPROFILE_SPACE_WAYS;
	generation = atomic64_inc_return(&h->last_generation);
	/* Clear .mm before writing the new generation, so that no reader finds the old mm with the
	 * new generation. */
	WRITE_ONCE(space[i].mm, NULL);
	smp_wmb();
	WRITE_ONCE(space[i].generation, generation);
	smp_wmb();
	WRITE_ONCE(space[i].mm, mm);
unlock:
	spin_unlock(&h->space_lock);
	return generation;
}

static void mapped(struct oprofile_hooks *h, const struct mm_struct *mm)
{
	struct oprofile_space *space = h->space[hash_ptr(mm, OPROFILE_SPACE_BITS)];
	int i;

	for (i = 0; i < OPROFILE_SPACE_WAYS; i++) {
		if (READ_ONCE(space[i].mm) == mm)
			WRITE_ONCE(space[i].generation, atomic64_inc_return(&h->last_generation));
	}
}

static void forget_all(struct oprofile_hooks *h)
{
	spin_lock(&h->space_lock);
	memset(h->space, 0, sizeof(h->space));
	spin_unlock(&h->space_lock);
}

/* kprobe handler of: void perf_event_mmap(struct vm_area_struct *vma) */
static int on_perf_event_mmap(struct kprobe *kp, struct pt_regs *regs)
{
	struct oprofile_hooks *h = container_of(kp, struct oprofile_hooks, mmap);
	const struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if (!(vma->vm_flags & VM_EXEC))
		return 0;
	mapped(h, vma->vm_mm);
	if (unlikely(vma->vm_mm == READ_ONCE(h->tried)))
		WRITE_ONCE(h->seen, true);
	return 0;
}

/* kprobe handler of: void vm_stat_account(struct mm_struct *mm, vm_flags_t flags, long npages) */
static int on_vm_stat_account(struct kprobe *kp, struct pt_regs *regs)
{
	struct oprofile_hooks *h = container_of(kp, struct oprofile_hooks, account);

	if ((regs_get_kernel_argument(regs, 1) & VM_EXEC) &&
	    (long)regs_get_kernel_argument(regs, 2) > 0)
		mapped(h, (void *)regs_get_kernel_argument(regs, 0));
	return 0;
}

static void register_probes(struct oprofile_hooks *h)
{
	struct kprobe *probes[] = { &h->mmap, &h->account };

	memset(&h->mmap, 0, sizeof(h->mmap));
	memset(&h->account, 0, sizeof(h->account));
	h->mmap.symbol_name = "perf_event_mmap";
	h->mmap.pre_handler = on_perf_event_mmap;
	h->account.symbol_name = "vm_stat_account";
	h->account.pre_handler = on_vm_stat_account;

	h->registered = !register_kprobes(probes, ARRAY_SIZE(probes));
}

/*
 * Map a page of the current process's program, to test whether the kprobes fire. Return 1 if a
 * kprobe fired, 0 if not, or a negative errno. Test only perf_event_mmap(), because the compiler
 * may have inlined vm_stat_account() into mmap(); both kprobes stop firing together.
 */
static int try_probes(struct oprofile_hooks *h)
{
	struct file *exe = oprofile_get_exe_file(current->mm);
	unsigned long at;

	lockdep_assert_held(&h->lock);
	if (!exe)
		return -ENOENT;
	h->seen = false;
	WRITE_ONCE(h->tried, current->mm);
	at = vm_mmap(exe, 0, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, 0);
	WRITE_ONCE(h->tried, NULL);
	fput(exe);
	if (IS_ERR_VALUE(at))
		return at;
	vm_munmap(at, PAGE_SIZE);
	return READ_ONCE(h->seen);
}

/* Call try_probes() from a kernel thread, which temporarily uses the memory map @mm. */
static int try_probes_in(struct oprofile_hooks *h, struct mm_struct *mm)
{
	int works;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	kthread_use_mm(mm);
	works = try_probes(h);
	kthread_unuse_mm(mm);
	mmput(mm);
	return works;
}

/* Call try_probes() in the memory map of a process that uses the hooks. Access to the memory or
 * files of any other process could block. */
static int try_probes_somewhere(struct oprofile_hooks *h)
{
	struct oprofile_hooks_user *user;
	int works = -ESRCH;

	list_for_each_entry(user, &h->users, list) {
		if (current->flags & PF_KTHREAD)
			works = try_probes_in(h, user->mm);
		else if (user->mm == current->mm)
			works = try_probes(h);
		if (works >= 0)
			break;
	}
	return works;
}

static void watch(struct oprofile_hooks *h)
{
	/* Executable mappings may have changed while the kprobes did not fire, so discard all
	 * generations (hooks.h). Then wait for running handlers, which may still use an old
	 * generation. */
	forget_all(h);
	synchronize_rcu();
	WRITE_ONCE(h->trouble, NULL);
	WRITE_ONCE(h->maps_watched, true);
}

static void do_not_watch(struct oprofile_hooks *h, const char *trouble)
{
	WRITE_ONCE(h->maps_watched, false);
	WRITE_ONCE(h->trouble, trouble);
	pr_info("oprofile: each user sample is resolved separately, which costs more: %s\n",
		trouble);
}

void oprofile_hooks_check(struct oprofile_hooks *h)
{
	int works;

	mutex_lock(&h->lock);
	works = h->registered ? try_probes_somewhere(h) : -ESRCH;
	if (works == 1 && !h->maps_watched)
		watch(h);
	else if (works == 0 && h->maps_watched)
		do_not_watch(h, "the kernel's probes have stopped firing (kernel.ftrace_enabled=0 "
				"does that)");
	mutex_unlock(&h->lock);
}

void oprofile_hooks_init(struct oprofile_hooks *h)
{
	mutex_init(&h->lock);
	spin_lock_init(&h->space_lock);
	INIT_LIST_HEAD(&h->users);
}

static void begin(struct oprofile_hooks *h)
{
	int works = -ENOENT;

	lockdep_assert_held(&h->lock);
	if (watch_maps)
		register_probes(h);
	if (h->registered)
		works = try_probes(h);
	if (works == 1)
		watch(h);
	else if (!watch_maps)
		do_not_watch(h, "the module was loaded with watch_maps=N");
	else if (!h->registered)
		do_not_watch(h, "this kernel has no kprobes");
	else if (!works)
		do_not_watch(h,
			     "the kernel's probes do not fire (kernel.ftrace_enabled=0 does that)");
	else
		do_not_watch(h, "the kernel's probes could not be tested");
}

static void end(struct oprofile_hooks *h)
{
	struct kprobe *probes[] = { &h->mmap, &h->account };

	lockdep_assert_held(&h->lock);
	if (h->registered)
		unregister_kprobes(probes, ARRAY_SIZE(probes));
	h->registered = h->maps_watched = false;
	h->trouble = NULL;
}

void oprofile_hooks_get(struct oprofile_hooks *h, struct oprofile_hooks_user *user)
{
	user->mm = current->mm;
	mmgrab(user->mm);
	mutex_lock(&h->lock);
	if (list_empty(&h->users))
		begin(h);
	list_add(&user->list, &h->users);
	mutex_unlock(&h->lock);
}

void oprofile_hooks_put(struct oprofile_hooks *h, struct oprofile_hooks_user *user)
{
	mutex_lock(&h->lock);
	list_del(&user->list);
	if (list_empty(&h->users))
		end(h);
	mutex_unlock(&h->lock);
	mmdrop(user->mm);
}
