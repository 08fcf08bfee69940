// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/allowed.c -- checks of controls, and of the caller's right to count.
 *
 * perf does not check the sysctl perf_event_paranoid for counters that the kernel creates, so this
 * file checks it. The kernel does not export the sysctl to modules, so this file reads its value
 * from a private mount of /proc, over which users cannot mount other files.
 */
#include "vperfctr/allowed.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <linux/signal.h>

/* value of @level: the sysctl perf_event_paranoid has not been read yet */
#define NOT_READ	INT_MIN

static bool software;
module_param(software, bool, 0644);
MODULE_PARM_DESC(software, "allow all users to count software events in user mode at any "
			   "kernel.perf_event_paranoid (default N)");
static bool hardware;
module_param(hardware, bool, 0644);
MODULE_PARM_DESC(hardware, "allow all users to count hardware events in user mode at any "
			   "kernel.perf_event_paranoid (default N)");

/* the module's private mount of /proc, from module load to unload */
static struct vfsmount *proc;

/* Return the value of the sysctl perf_event_paranoid. If it cannot be read, return the strictest
 * value. */
static int paranoid(void)
{
	struct path root = { .mnt = proc, .dentry = proc->mnt_root };
	char text[16] = "";
	loff_t at = 0;
	int value = INT_MAX;
	struct file *f = file_open_root(&root, "sys/kernel/perf_event_paranoid", O_RDONLY, 0);

	if (IS_ERR(f))
		return value;
	if (kernel_read(f, text, sizeof(text) - 1, &at) <= 0 || kstrtoint(strim(text), 10, &value))
		value = INT_MAX;
	fput(f);
	return value;
}

/*
 * Return whether the caller may count, by perf's rules: up to level 2 of the sysctl
 * perf_event_paranoid, a user may count the user mode of the user's own threads; at higher levels
 * (Debian's default is 3) only privileged users may count. *@level: the sysctl's value, or
 * NOT_READ.
 */
static bool may_count(bool everybody, int *level)
{
	if (everybody || perfmon_capable())
		return true;
	if (*level == NOT_READ)
		*level = paranoid();
	return *level <= 2;
}

static int check_software(const struct vperfctr_pmc *p, int *level)
{
	switch (p->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		if (p->config1 || p->config2)
			return -EINVAL;
		return may_count(READ_ONCE(software), level) ? 0 : -EACCES;
	}
	return -EINVAL;
}

static int check_slot(const struct vperfctr_pmc *p, int *level)
{
	const u32 known = VPERFCTR_USER | VPERFCTR_KERNEL | VPERFCTR_SHARE;

	if ((p->flags & ~known) || !(p->flags & (VPERFCTR_USER | VPERFCTR_KERNEL)))
		return -EINVAL;
	if ((p->flags & VPERFCTR_KERNEL) && !perfmon_capable())
		return -EACCES;
	/* The interrupts of clock events come from a timer, which perf does not throttle while the
	 * thread is in the kernel. */
	if (p->ireset && p->ireset < VPERFCTR_MIN_IRESET_NS && p->type == PERF_TYPE_SOFTWARE &&
	    !perfmon_capable() &&
	    (p->config == PERF_COUNT_SW_CPU_CLOCK || p->config == PERF_COUNT_SW_TASK_CLOCK))
		return -EINVAL;
	/*
	 * perf uses the highest bit of a period as a sign, so refuse periods with this bit. Also
	 * refuse a period that would end during its own interrupt: the thread would never continue.
	 */
	if (p->ireset >> 63 ||
	    (p->ireset && p->type != PERF_TYPE_SOFTWARE && p->ireset < VPERFCTR_MIN_IRESET))
		return -EINVAL;
	switch (p->type) {
	case PERF_TYPE_SOFTWARE:
		return check_software(p, level);
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return may_count(READ_ONCE(hardware), level) ? 0 : -EACCES;
	default:
		return -EACCES;
	}
}

int vperfctr_check_control(const struct vperfctr_control *c)
{
	int err = 0, level = NOT_READ;
	u32 i;

	if (c->flags & ~(VPERFCTR_CLOEXEC | VPERFCTR_ANY_CPU))
		return -EINVAL;
	if (c->tsc_on > 1 || c->nrctrs > VPERFCTR_MAX_PMCS || c->preserve >> VPERFCTR_MAX_PMCS)
		return -EINVAL;
	if (c->si_signo > _NSIG || c->ring_pages > VPERFCTR_MAX_RING_PAGES)
		return -EINVAL;
	for (i = 0; i < c->nrctrs && !err; i++)
		err = c->pmc[i].ireset && !c->si_signo && !c->ring_pages ?
			      -EINVAL :
			      check_slot(&c->pmc[i], &level);
	return err;
}

bool vperfctr_may_count_hardware(void)
{
	int level = NOT_READ;

	return may_count(READ_ONCE(hardware), &level);
}

int vperfctr_allowed_init(void)
{
	struct file_system_type *type = get_fs_type("proc");

	if (!type)
		return -ENODEV;
	proc = kern_mount(type);
	return PTR_ERR_OR_ZERO(proc);
}

void vperfctr_allowed_exit(void)
{
	kern_unmount(proc);
}
