// SPDX-License-Identifier: GPL-2.0
/*
 * vperfctr/device.c -- the device /dev/vperfctr.
 */
#include "vperfctr/device.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#ifdef CONFIG_X86
#include <asm/processor.h>
#include <asm/tsc.h>
#endif
#ifdef CONFIG_ARM64
#include <asm/sysreg.h>
#endif

#include "compat/compat.h"
#include "vperfctr/allowed.h"
#include "vperfctr/args.h"
#include "vperfctr/cpus.h"
#include "vperfctr/fs.h"
#include "vperfctr/object.h"
#include "vperfctr/owners.h"
#include "vperfctr/pmu.h"
#include "vperfctr/rights.h"
#include "vperfctr/state.h"
#include "vperfctr/tasks.h"

static ushort mode = 0666;
module_param(mode, ushort, 0444);
MODULE_PARM_DESC(mode, "permissions of /dev/vperfctr (default 0666)");

static long open_existing(struct task_struct *task, bool cloexec)
{
	struct vperfctr *v = vperfctr_of(task);
	long fd;

	if (!v)
		return -ENOENT;
	fd = vperfctr_may_see(v) ?: vperfctr_open_file(v, cloexec);
	vperfctr_put(v);
	return fd;
}

/* Create an object and attach it to @task. Attaching must be the last step: only the thread itself
 * can detach its object, so a failure after this step could not be undone at once. */
static long open_new(struct task_struct *task, bool cloexec)
{
	struct vperfctr *v = vperfctr_new(task);
	struct file *file;
	long fd;
	int err;

	if (IS_ERR(v))
		return PTR_ERR(v);
	fd = vperfctr_make_file(v, cloexec, &file);
	if (fd < 0)
		goto put;
	err = vperfctr_install(v, task);
	if (!err) {
		fd_install(fd, file);
	} else {
		put_unused_fd(fd);
		fput(file);
		fd = err;
	}
put:
	vperfctr_put(v);
	return fd;
}

static struct task_struct *find_task(pid_t tid)
{
	struct task_struct *task;
	struct pid *pid;
	int err;

	if (!tid) {
		get_task_struct(current);
		return current;
	}
	pid = find_get_pid(tid);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return ERR_PTR(-ESRCH);
	err = task->flags & (PF_KTHREAD | PF_USER_WORKER) ? -EACCES :
	      task == current				  ? 0 :
							    vperfctr_check_stopped(task);
	if (!err)
		return task;
	put_task_struct(task);
	return ERR_PTR(err);
}

static long call_open(const void __user *arg)
{
	struct vperfctr_open o;
	struct task_struct *task;
	bool cloexec;
	long fd;
	int err = vperfctr_get_args(&o, arg, sizeof(o));

	if (err)
		return err;
	if (o.version != VPERFCTR_ABI_VERSION)
		return -EPROTO;
	if ((o.flags & ~(VPERFCTR_OPEN_CREAT | VPERFCTR_OPEN_CLOEXEC)) || o.tid < 0)
		return -EINVAL;
	task = find_task(o.tid);
	if (IS_ERR(task))
		return PTR_ERR(task);
	cloexec = o.flags & VPERFCTR_OPEN_CLOEXEC;
	fd = o.flags & VPERFCTR_OPEN_CREAT ? open_new(task, cloexec) : open_existing(task, cloexec);
	put_task_struct(task);
	return fd;
}

static u32 cpu_type(void)
{
#if defined(CONFIG_X86)
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		return VPERFCTR_CPU_X86_INTEL;
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return VPERFCTR_CPU_X86_AMD;
	}
	return VPERFCTR_CPU_X86_OTHER;
#elif defined(CONFIG_ARM64)
	return VPERFCTR_CPU_ARM64;
#else
	return VPERFCTR_CPU_GENERIC;
#endif
}

static long call_info(void __user *arg)
{
	struct vperfctr_info info = {
		.size = sizeof(info),
		.abi_version = VPERFCTR_ABI_VERSION,
		.driver_version = VPERFCTR_DRIVER_VERSION,
		.cpu_type = cpu_type(),
		.nrctrs = VPERFCTR_MAX_PMCS,
	};
	int err = vperfctr_check_size(arg, sizeof(info));

	if (err)
		return err;
	info.features = vperfctr_features(vperfctr_may_count_hardware());
#if defined(CONFIG_X86)
	info.cpu_khz = cpu_khz;
	info.tsc_khz = tsc_khz;
	info.tsc_to_cpu_mult = tsc_khz ? DIV_ROUND_CLOSEST(cpu_khz, tsc_khz) : 0;
#elif defined(CONFIG_ARM64)
	info.tsc_khz = read_sysreg(cntfrq_el0) / 1000;
#endif
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long call_cpus(struct vperfctr_cpus __user *arg)
{
	int err = vperfctr_check_size(arg, sizeof(*arg));
	unsigned int i;

	if (err)
		return err;
	if (put_user((u32)min_t(u32, nr_cpu_ids, VPERFCTR_MAX_CPUS), &arg->nr_cpus))
		return -EFAULT;
	for (i = 0; i < ARRAY_SIZE(arg->usable); i++) {
		u64 usable = 0, forbidden = 0;
		unsigned int cpu;

		for (cpu = i * 64; cpu < i * 64 + 64 && cpu < nr_cpu_ids; cpu++) {
			if (cpumask_test_cpu(cpu, vperfctr_forbidden_cpus()))
				forbidden |= BIT_ULL(cpu % 64);
			else if (cpu_possible(cpu))
				usable |= BIT_ULL(cpu % 64);
		}
		if (put_user(usable, &arg->usable[i]) || put_user(forbidden, &arg->forbidden[i]))
			return -EFAULT;
	}
	return 0;
}

struct who {
	struct vperfctr_who entries;
	kuid_t uid;
	bool all;
};

/* Add an entry for the thread @owner to the result of WHO. Return false if the result has no
 * room. Called under RCU. */
static bool add_owner(struct vperfctr *v, struct task_struct *owner, void *data)
{
	struct who *who = data;
	struct vperfctr_who_entry *e = &who->entries.entry[who->entries.nr];
	kuid_t uid = task_uid(owner);
	u64 tsc;

	if (who->entries.nr == VPERFCTR_WHO_MAX)
		return false;
	if (!who->all && !uid_eq(uid, who->uid))
		return true;
	e->tid = task_pid_vnr(owner);
	if (!e->tid)
		/* skip this thread, because it is not visible in the caller's pid namespace */
		return true;
	e->tgid = task_tgid_vnr(owner);
	e->uid = from_kuid_munged(current_user_ns(), uid);
	vperfctr_read_last(v, &tsc, &e->cstatus);
	e->nrctrs = VPERFCTR_CSTATUS_NRCTRS(e->cstatus);
	get_task_comm(e->comm, owner);
	who->entries.nr++;
	return true;
}

static long ioctl_who(struct vperfctr_who __user *arg)
{
	int err = vperfctr_check_size(arg, sizeof(*arg));
	struct who *who;
	u64 cursor;

	if (err)
		return err;
	if (get_user(cursor, &arg->cursor))
		return -EFAULT;
	who = kzalloc(sizeof(*who), GFP_KERNEL);
	if (!who)
		return -ENOMEM;
	who->uid = current_uid();
	who->all = perfmon_capable();
	who->entries.size = sizeof(who->entries);
	who->entries.cursor = vperfctr_for_each(cursor, add_owner, who);
	err = copy_to_user(arg, &who->entries, sizeof(who->entries)) ? -EFAULT : 0;
	kfree(who);
	return err;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case VPERFCTR_IOC_OPEN:
		return call_open((void __user *)arg);
	case VPERFCTR_IOC_INFO:
		return call_info((void __user *)arg);
	case VPERFCTR_IOC_CPUS:
		return call_cpus((void __user *)arg);
	case VPERFCTR_IOC_WHO:
		return ioctl_who((void __user *)arg);
	}
	return -ENOTTY;
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* Not const, because the kernel stores the minor number in this struct, and links registered
 * devices in a list. */
static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vperfctr",
	.fops = &device_operations,
};

int vperfctr_device_init(void)
{
	device.mode = mode & 0777;
	return misc_register(&device);
}

void vperfctr_device_exit(void)
{
	misc_deregister(&device);
}
