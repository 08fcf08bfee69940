// SPDX-License-Identifier: GPL-2.0
/*
 * x86/machine.c -- notifiers that stop all counters of the module before suspend, reboot and kexec,
 * and at a panic.
 *
 * If panic notifiers are not called before a crash kernel starts (kdump's default), the counters
 * continue to run. They do not interrupt the crash kernel, because the crashed kernel masks the
 * local APIC first.
 */
#include "backend.h"

#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/suspend.h>

#include "sampling.h"
#include "x86/native.h"

static void pause_here(void *data)
{
	oprofile_native_stop_here(data);
}

/* Restart the counters of this CPU after a suspend, if this CPU is being sampled. */
static void go_on_here(void *data)
{
	struct oprofile_sampling *s = data;

	if (this_cpu_read(s->cpu->slice.since))
		oprofile_native_start_here(s);
}

/*
 * Suspend notifier. During a suspend the kernel unplugs all CPUs except the first, so only the
 * first CPU needs to be stopped here. Counting continues after the resume.
 *
 * Each CPU changes only its own state. A concurrent start of sampling either sees `asleep`, or the
 * IPI stops its counters. The notifier is registered while the module is loaded, not only during
 * sessions, because programs continue to run for a while after the notification, and may set up and
 * start sampling.
 */
static int on_pm(struct notifier_block *nb, unsigned long action, void *data)
{
	struct native_backend *b = container_of(nb, struct native_backend, pm);
	struct oprofile_sampling *s = b->s;
	bool sleeps = action == PM_SUSPEND_PREPARE || action == PM_HIBERNATION_PREPARE;

	if (!sleeps && action != PM_POST_SUSPEND && action != PM_POST_HIBERNATION)
		return NOTIFY_DONE;
	WRITE_ONCE(b->asleep, sleeps);
	on_each_cpu_mask(&s->cpus, sleeps ? pause_here : go_on_here, s, true);
	return NOTIFY_OK;
}

static void end_here(void *data)
{
	struct native_backend *b = data;
	struct native_cpu *nc = this_cpu_ptr(b->cpu);

	oprofile_native_stop_here(b->s);
	oprofile_ibs_restore(&nc->ibs);
	oprofile_pmu_restore(&nc->pmu);
}

static int on_reboot(struct notifier_block *nb, unsigned long action, void *data)
{
	struct native_backend *b = container_of(nb, struct native_backend, reboot);

	WRITE_ONCE(b->dead, true);
	on_each_cpu_mask(&b->s->cpus, end_here, b, true);
	return NOTIFY_OK;
}

/* Panic notifier. Other CPUs may be in any state, so this function makes each of them stop its
 * counters in its next interrupt. */
static int on_panic(struct notifier_block *nb, unsigned long action, void *data)
{
	struct native_backend *b = container_of(nb, struct native_backend, panic);

	WRITE_ONCE(b->dead, true);
	oprofile_pmu_kill(&this_cpu_ptr(b->cpu)->pmu);
	oprofile_ibs_kill(&this_cpu_ptr(b->cpu)->ibs);
	return NOTIFY_OK;
}

int oprofile_watch_machine(struct native_backend *b)
{
	int err;

	b->reboot.notifier_call = on_reboot;
	b->panic.notifier_call = on_panic;
	err = register_reboot_notifier(&b->reboot);
	if (err)
		return err;
	err = atomic_notifier_chain_register(&panic_notifier_list, &b->panic);
	if (err)
		unregister_reboot_notifier(&b->reboot);
	return err;
}

void oprofile_unwatch_machine(struct native_backend *b)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &b->panic);
	unregister_reboot_notifier(&b->reboot);
}

int oprofile_watch_sleep(struct native_backend *b)
{
	b->pm.notifier_call = on_pm;
	return register_pm_notifier(&b->pm);
}

void oprofile_unwatch_sleep(struct native_backend *b)
{
	unregister_pm_notifier(&b->pm);
}
