// SPDX-License-Identifier: GPL-2.0
/*
 * task_watch.c -- executable mappings that change, modules that come and go.
 *
 * Every way to a new executable mapping passes one of two functions, with mmap_lock held for
 * writing: perf_event_mmap() (mmap, mprotect, brk, shmat, special mappings, stack growth) or
 * vm_stat_account() (mremap, which moves or grows a mapping without telling perf).
 */
#include "task_watch.h"

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/ptrace.h>

#include "session.h"

static bool watch_maps = true;
module_param(watch_maps, bool, 0644);
MODULE_PARM_DESC(watch_maps, "use kprobes to tell when an address space changes (default Y); N: look each user sample up anew");

static void mapped(struct oprofile_task_watch *w, const struct mm_struct *mm)
{
	atomic_inc(&w->generation[hash_ptr(mm, OPROFILE_GENERATION_BITS)]);
}

/* void perf_event_mmap(struct vm_area_struct *vma) */
static int on_perf_event_mmap(struct kprobe *kp, struct pt_regs *regs)
{
	struct oprofile_task_watch *w = container_of(kp, struct oprofile_task_watch, mmap);
	const struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	if (vma->vm_flags & VM_EXEC)
		mapped(w, vma->vm_mm);
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
	int err;

	memset(&w->mmap, 0, sizeof(w->mmap));
	memset(&w->account, 0, sizeof(w->account));
	w->mmap.symbol_name = "perf_event_mmap";
	w->mmap.pre_handler = on_perf_event_mmap;
	w->account.symbol_name = "vm_stat_account";
	w->account.pre_handler = on_vm_stat_account;

	err = register_kprobes(probes, ARRAY_SIZE(probes));
	w->maps_watched = !err;
	if (err)
		pr_info("oprofile: no kprobes (error %d): each user sample is looked up anew, which costs more\n",
			err);
}

static int on_module(struct notifier_block *nb, unsigned long action, void *data)
{
	struct oprofile_session *s = container_of(nb, struct oprofile_session, watch.module);

	if (action == MODULE_STATE_COMING || action == MODULE_STATE_GOING)
		oprofile_sync_modules_changed(s);
	return NOTIFY_OK;
}

int oprofile_task_watch_setup(struct oprofile_task_watch *w)
{
	int err;

	w->module.notifier_call = on_module;
	err = register_module_notifier(&w->module);
	if (err)
		return err;
	w->maps_watched = false;
	if (watch_maps)
		register_probes(w);
	return 0;
}

void oprofile_task_watch_shutdown(struct oprofile_task_watch *w)
{
	struct kprobe *probes[] = { &w->mmap, &w->account };

	if (w->maps_watched)
		unregister_kprobes(probes, ARRAY_SIZE(probes));
	w->maps_watched = false;
	unregister_module_notifier(&w->module);
}
