// SPDX-License-Identifier: GPL-2.0
/*
 * main.c -- module load and unload.
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

/* static, because the kernel calls the functions of module load and unload without arguments */
static struct oprofile_session *session;

/*
 * Without CONFIG_TASKS_RCU (a kernel with neither ftrace nor BPF nor optimized kprobes) the module
 * cannot wait for tasks that were preempted in its code. Such a kernel must not unload the module.
 */
static void pin_module_without_rcu_tasks(void)
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
	pin_module_without_rcu_tasks();
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
/* opcontrol compares the version of a loaded module with its own. */
MODULE_VERSION("2.0.0");
/* Do not add MODULE_ALIAS_FS(): any user could then load the module by a mount in a user
 * namespace. */
