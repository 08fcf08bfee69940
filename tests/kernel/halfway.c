// SPDX-License-Identifier: GPL-2.0
/*
 * halfway.c -- a module that leaves a CPU between online and offline, like a driver whose hotplug
 * callbacks fail: after a write to the parameter `park`, the teardown of one hotplug state fails,
 * and then also the rollback at another state. If it is loaded before another module, its hotplug
 * states are below that module's.
 */
#include <linux/cpuhotplug.h>
#include <linux/module.h>

static bool park;
module_param(park, bool, 0644);

static enum cpuhp_state lower, upper;

static int fail(unsigned int cpu)
{
	return park ? -EBUSY : 0;
}

static int __init halfway_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "halfway:lower", NULL, fail);

	if (state < 0)
		return state;
	lower = state;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "halfway:upper", fail, NULL);
	if (state < 0) {
		cpuhp_remove_state_nocalls(lower);
		return state;
	}
	upper = state;
	return 0;
}

static void __exit halfway_exit(void)
{
	cpuhp_remove_state_nocalls(upper);
	cpuhp_remove_state_nocalls(lower);
}

module_init(halfway_init);
module_exit(halfway_exit);
MODULE_DESCRIPTION("leaves CPUs half way between online and offline, for tests of oprofile");
MODULE_LICENSE("GPL");
