// SPDX-License-Identifier: GPL-2.0
/*
 * main.c -- module load and unload, nothing else.
 */
#ifndef CONFIG_64BIT
#error oprofile: no 32-bit kernels: there use perf_events, opcontrol --source=perf
#endif

#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "control_files.h"
#include "oprofilefs.h"
#include "session.h"

static struct oprofile_session *session;

/*
 * Of a task that was preempted on its way out of our code such a kernel can say nothing: it has neither
 * ftrace nor BPF nor kprobes that jump, which are what others wait for tasks for. So the module stays.
 */
static void stay_where_nobody_can_wait(void)
{
	if (IS_ENABLED(CONFIG_PREEMPTION) && !IS_ENABLED(CONFIG_TASKS_RCU))
		__module_get(THIS_MODULE);
}

static int __init oprofile_init(void)
{
	int err;

	session = kvzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return -ENOMEM;
	err = oprofile_session_init(session);
	if (err)
		goto err_free;
	err = oprofilefs_register(oprofile_create_files, session);
	if (err)
		goto err_exit_session;
	stay_where_nobody_can_wait();
	return 0;

err_exit_session:
	oprofile_session_exit(session);
err_free:
	kvfree(session);
	return err;
}

static void __exit oprofile_exit(void)
{
	oprofilefs_unregister();
	oprofile_session_exit(session);
	kvfree(session);
}

module_init(oprofile_init);
module_exit(oprofile_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("System-wide profiler: kernel part");
/* No MODULE_ALIAS_FS(): anybody could have it loaded, by a mount in a user namespace of their own. */
