// SPDX-License-Identifier: GPL-2.0
/*
 * task_watch.c -- executable mappings that change, modules that come and go.
 *
 * Every way to a new executable mapping passes one of two functions, with mmap_lock held for
 * writing: perf_event_mmap() (mmap, mprotect, brk, shmat, special mappings, stack growth) or
 * vm_stat_account() (mremap, which moves or grows a mapping without telling perf).
 */
#include "task_watch.h"

#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "compat/compat.h"
#include "session.h"

static bool watch_maps = true;
module_param(watch_maps, bool, 0644);
MODULE_PARM_DESC(watch_maps, "use kprobes to tell when an address space changes (default Y); N: look each user sample up anew");

u64 oprofile_generation_make(struct oprofile_task_watch *w, const struct mm_struct *mm)
{
	struct oprofile_space *space = w->space[hash_ptr(mm, OPROFILE_SPACE_BITS)];
	u64 generation = oprofile_generation(w, mm);
	int i;

	if (generation)
		return generation;
	spin_lock(&w->space_lock);
	generation = oprofile_generation(w, mm);
	if (generation)
		goto unlock;
	for (i = 0; i < OPROFILE_SPACE_WAYS && space[i].mm; i++)
		;
	if (i == OPROFILE_SPACE_WAYS)
		i = w->turn++ % OPROFILE_SPACE_WAYS;
	generation = atomic64_inc_return(&w->last_generation);
	/* Whoever takes one mm's generation for another's finds no address with it. */
	WRITE_ONCE(space[i].mm, NULL);
	smp_wmb();
	WRITE_ONCE(space[i].generation, generation);
	smp_wmb();
	WRITE_ONCE(space[i].mm, mm);
unlock:
	spin_unlock(&w->space_lock);
	return generation;
}

static void mapped(struct oprofile_task_watch *w, const struct mm_struct *mm)
{
	struct oprofile_space *space = w->space[hash_ptr(mm, OPROFILE_SPACE_BITS)];
	int i;

	for (i = 0; i < OPROFILE_SPACE_WAYS; i++) {
		if (READ_ONCE(space[i].mm) == mm)
			WRITE_ONCE(space[i].generation, atomic64_inc_return(&w->last_generation));
	}
}

static void forget_all(struct oprofile_task_watch *w)
{
	spin_lock(&w->space_lock);
	memset(w->space, 0, sizeof(w->space));
	spin_unlock(&w->space_lock);
}

/* void perf_event_mmap(struct vm_area_struct *vma) */
static int on_perf_event_mmap(struct kprobe *kp, struct pt_regs *regs)
{
	struct oprofile_task_watch *w = container_of(kp, struct oprofile_task_watch, mmap);
	const struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if (!(vma->vm_flags & VM_EXEC))
		return 0;
	mapped(w, vma->vm_mm);
	if (unlikely(vma->vm_mm == READ_ONCE(w->tried)))
		WRITE_ONCE(w->seen, true);
	return 0;
}

/* void vm_stat_account(struct mm_struct *mm, vm_flags_t flags, long npages) */
static int on_vm_stat_account(struct kprobe *kp, struct pt_regs *regs)
{
	struct oprofile_task_watch *w = container_of(kp, struct oprofile_task_watch, account);

	if ((regs_get_kernel_argument(regs, 1) & VM_EXEC) &&
	    (long)regs_get_kernel_argument(regs, 2) > 0)
		mapped(w, (void *)regs_get_kernel_argument(regs, 0));
	return 0;
}

static void register_probes(struct oprofile_task_watch *w)
{
	struct kprobe *probes[] = { &w->mmap, &w->account };

	memset(&w->mmap, 0, sizeof(w->mmap));
	memset(&w->account, 0, sizeof(w->account));
	w->mmap.symbol_name = "perf_event_mmap";
	w->mmap.pre_handler = on_perf_event_mmap;
	w->account.symbol_name = "vm_stat_account";
	w->account.pre_handler = on_vm_stat_account;

	w->registered = !register_kprobes(probes, ARRAY_SIZE(probes));
}

/*
 * Maps a page of the current process's program: 1, that was seen; 0, it was not; or an error. mmap()
 * may have vm_stat_account() inlined, so this tries but one of the two; they are silent together.
 */
static int try_probes(struct oprofile_task_watch *w)
{
	struct file *exe = oprofile_get_exe_file(current->mm);
	unsigned long at;

	lockdep_assert_held(&w->lock);
	if (!exe)
		return -ENOENT;
	w->seen = false;
	WRITE_ONCE(w->tried, current->mm);
	at = vm_mmap(exe, 0, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, 0);
	WRITE_ONCE(w->tried, NULL);
	fput(exe);
	if (IS_ERR_VALUE(at))
		return at;
	vm_munmap(at, PAGE_SIZE);
	return READ_ONCE(w->seen);
}

/* The same in a kernel thread, which borrows the reader's memory. */
static int try_probes_in_reader(struct oprofile_task_watch *w)
{
	int works;

	if (!w->reader || !mmget_not_zero(w->reader))
		return -ESRCH;
	kthread_use_mm(w->reader);
	works = try_probes(w);
	kthread_unuse_mm(w->reader);
	mmput(w->reader);
	return works;
}

static void watch(struct oprofile_task_watch *w)
{
	/* What was looked up while nobody watched is forgotten, also by handlers that run now. */
	forget_all(w);
	synchronize_rcu();
	WRITE_ONCE(w->trouble, NULL);
	WRITE_ONCE(w->maps_watched, true);
}

static void do_not_watch(struct oprofile_task_watch *w, const char *trouble)
{
	WRITE_ONCE(w->maps_watched, false);
	WRITE_ONCE(w->trouble, trouble);
	pr_info("oprofile: each user sample is looked up anew, which costs more: %s\n", trouble);
}

void oprofile_task_watch_check(struct oprofile_task_watch *w)
{
	int works = -ESRCH;

	mutex_lock(&w->lock);
	/* In no other process: its memory and its program's file may make us wait. */
	if (w->registered && current->mm && current->mm == w->reader)
		works = try_probes(w);
	else if (w->registered && (current->flags & PF_KTHREAD))
		works = try_probes_in_reader(w);
	if (works == 1 && !w->maps_watched)
		watch(w);
	else if (works == 0 && w->maps_watched)
		do_not_watch(w, "the kernel's probes have stopped firing (kernel.ftrace_enabled=0 does that)");
	mutex_unlock(&w->lock);
}

static void setup_maps(struct oprofile_task_watch *w)
{
	int works = -ENOENT;

	mutex_lock(&w->lock);
	w->registered = w->maps_watched = false;
	w->trouble = NULL;
	if (watch_maps)
		register_probes(w);
	if (w->registered)
		works = try_probes(w);
	if (works == 1)
		watch(w);
	else if (!watch_maps)
		do_not_watch(w, "the module was loaded with watch_maps=N");
	else if (!w->registered)
		do_not_watch(w, "this kernel has no kprobes");
	else if (!works)
		do_not_watch(w, "the kernel's probes do not fire (kernel.ftrace_enabled=0 does that)");
	else
		do_not_watch(w, "the kernel's probes could not be tried");
	w->reader = current->mm;
	mmgrab(w->reader);
	mutex_unlock(&w->lock);
}

static int on_module(struct notifier_block *nb, unsigned long action, void *data)
{
	struct oprofile_session *s = container_of(nb, struct oprofile_session, watch.module);

	if (action == MODULE_STATE_COMING || action == MODULE_STATE_GOING)
		oprofile_sync_modules_changed(s);
	return NOTIFY_OK;
}

void oprofile_task_watch_init(struct oprofile_task_watch *w)
{
	mutex_init(&w->lock);
	spin_lock_init(&w->space_lock);
}

int oprofile_task_watch_setup(struct oprofile_task_watch *w)
{
	int err;

	w->module.notifier_call = on_module;
	err = register_module_notifier(&w->module);
	if (err)
		return err;
	setup_maps(w);
	return 0;
}

void oprofile_task_watch_shutdown(struct oprofile_task_watch *w)
{
	struct kprobe *probes[] = { &w->mmap, &w->account };

	mutex_lock(&w->lock);
	if (w->registered)
		unregister_kprobes(probes, ARRAY_SIZE(probes));
	w->registered = w->maps_watched = false;
	w->trouble = NULL;
	mmdrop(w->reader);
	w->reader = NULL;
	mutex_unlock(&w->lock);
	unregister_module_notifier(&w->module);
}
