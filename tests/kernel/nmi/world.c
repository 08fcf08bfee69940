// SPDX-License-Identifier: GPL-2.0
/*
 * world.c -- for virtual machines, in addition to nmipmu: simulates other users of counters, and a
 * machine that suspends or shuts down while a program reads the counters.
 *
 * /proc/world: "suspending 1" from the last suspend notifier to the first wakeup notifier;
 * "counting_asleep N": maximum number of CPUs that were counting when no program was running any
 * more.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/panic_notifier.h>
#include <linux/proc_fs.h>
#include <linux/reboot.h>
#include <linux/seq_file.h>
#include <linux/suspend.h>

#include <asm/nmi.h>

#include "nmipmu.h"

static uint hold[16], nr_hold;
module_param_array(hold, uint, &nr_hold, 0444);
MODULE_PARM_DESC(hold, "event select registers that are ours: as the kernel's perf takes them with its first event");

static bool hold_suspend;
module_param(hold_suspend, bool, 0644);
MODULE_PARM_DESC(hold_suspend, "a suspend gets no further than telling everybody, while programs go on");

static bool trace_end;
module_param(trace_end, bool, 0644);
MODULE_PARM_DESC(trace_end, "when the machine ends and everybody knows, what the kernel has traced goes to the console");

/*
 * Run the panic notifiers on one CPU, as the kernel does in a panic, but let the machine continue.
 */
static int run_panic_notifiers(const char *value, const struct kernel_param *kp)
{
	return atomic_notifier_call_chain(&panic_notifier_list, 0, "world") & NOTIFY_STOP_MASK ? -EIO : 0;
}

static const struct kernel_param_ops panic_ops = { .set = run_panic_notifiers };
module_param_cb(panic, &panic_ops, NULL, 0200);
MODULE_PARM_DESC(panic, "written: everybody is told that the kernel panics");

static struct task_struct *watcher;
static bool suspending;
/* time, in jiffies, at which all suspend notifiers had run */
static unsigned long told;
static int counting_asleep;

static int watch(void *unused)
{
	while (!kthread_should_stop()) {
		msleep(20);
		/*
		 * All programs count as frozen, except programs inside the kernel, which count as
		 * frozen after a second.
		 */
		if (READ_ONCE(suspending) && !READ_ONCE(hold_suspend) && time_after(jiffies, READ_ONCE(told) + HZ))
			counting_asleep = max(counting_asleep, nmipmu_counting());
	}
	return 0;
}

static int on_wakeup(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == PM_POST_SUSPEND)
		WRITE_ONCE(suspending, false);
	return NOTIFY_OK;
}

static int on_sleep(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action != PM_SUSPEND_PREPARE)
		return NOTIFY_OK;
	do {
		WRITE_ONCE(told, jiffies);
		WRITE_ONCE(suspending, true);
		msleep(20);
	} while (READ_ONCE(hold_suspend));
	return NOTIFY_OK;
}

static int on_end(struct notifier_block *nb, unsigned long action, void *data)
{
	pr_emerg("world: the machine ends: %d CPUs count\n", nmipmu_counting());
	if (trace_end)
		ftrace_dump(DUMP_ALL);
	return NOTIFY_OK;
}

/*
 * On wakeup the first notifier runs before all others; on suspend and shutdown the other two run
 * after all others.
 */
static struct notifier_block wakeup_notifier = { .notifier_call = on_wakeup, .priority = INT_MAX };
static struct notifier_block sleep_notifier = { .notifier_call = on_sleep, .priority = INT_MIN };
static struct notifier_block end_notifier = { .notifier_call = on_end, .priority = INT_MIN };

static int show(struct seq_file *file, void *data)
{
	seq_printf(file, "suspending %d\ncounting_asleep %d\n", READ_ONCE(suspending), READ_ONCE(counting_asleep));
	return 0;
}

static void release_registers(uint nr)
{
	while (nr--)
		release_evntsel_nmi(hold[nr]);
}

static int __init world_init(void)
{
	uint i;

	for (i = 0; i < nr_hold; i++) {
		if (!reserve_evntsel_nmi(hold[i])) {
			release_registers(i);
			return -EBUSY;
		}
	}
	watcher = kthread_run(watch, NULL, "world");
	if (IS_ERR(watcher) || !proc_create_single("world", 0444, NULL, show)) {
		if (!IS_ERR(watcher))
			kthread_stop(watcher);
		release_registers(nr_hold);
		return -ENOMEM;
	}
	register_pm_notifier(&wakeup_notifier);
	register_pm_notifier(&sleep_notifier);
	register_reboot_notifier(&end_notifier);
	return 0;
}

static void __exit world_exit(void)
{
	unregister_reboot_notifier(&end_notifier);
	unregister_pm_notifier(&sleep_notifier);
	unregister_pm_notifier(&wakeup_notifier);
	remove_proc_entry("world", NULL);
	kthread_stop(watcher);
	release_registers(nr_hold);
}

module_init(world_init);
module_exit(world_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For oprofile's tests: what else goes on in a machine");
