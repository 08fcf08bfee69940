// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/main.c -- module load and unload.
 */
#ifndef CONFIG_64BIT
#error vperfctr: no 32-bit kernels
#endif

#include <linux/init.h>
#include <linux/module.h>

#include "vperfctr/allowed.h"
#include "vperfctr/cpus.h"
#include "vperfctr/device.h"
#include "vperfctr/fs.h"
#include "vperfctr/held.h"
#include "vperfctr/object.h"
#include "vperfctr/state.h"
#include "vperfctr/switch.h"
#include "vperfctr/tasks.h"

/* Without CONFIG_TASKS_RCU the module cannot wait for tasks that were preempted in its code, so it
 * must not be unloaded. */
static void pin_module_without_rcu_tasks(void)
{
	if (IS_ENABLED(CONFIG_PREEMPTION) && !IS_ENABLED(CONFIG_TASKS_RCU))
		__module_get(THIS_MODULE);
}

static int __init vperfctr_init(void)
{
	int err = vperfctr_cpus_init() ?: vperfctr_objects_init();

	if (err)
		return err;
	err = vperfctr_allowed_init();
	if (err)
		goto err_objects;
	vperfctr_held_init(vperfctr_moved);
	vperfctr_switch_init();
	err = vperfctr_tasks_init();
	if (err)
		goto err_switch;
	err = vperfctr_device_init();
	if (err)
		goto err_tasks;
	pin_module_without_rcu_tasks();
	return 0;

err_tasks:
	vperfctr_tasks_exit();
err_switch:
	vperfctr_switch_exit();
	vperfctr_allowed_exit();
err_objects:
	vperfctr_objects_exit();
	return err;
}

static void __exit vperfctr_exit(void)
{
	vperfctr_device_exit();
	vperfctr_tasks_exit();
	vperfctr_switch_exit();
	vperfctr_allowed_exit();
	vperfctr_objects_exit();
	vperfctr_held_exit();
}

module_init(vperfctr_init);
module_exit(vperfctr_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Virtual per-thread performance counters");
MODULE_VERSION(VPERFCTR_DRIVER_VERSION);
