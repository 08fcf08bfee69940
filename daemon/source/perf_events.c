// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_events.c -- the perf_events of one CPU: opens the samplers and the events for notices
 * (fork, exec, mmap, exit records), and maps their rings.
 */
#include "config.h"
#include "daemon/source/perf_events.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/source/perf_regs.h"
#include "libop/base/reason.h"
#include "libop/event/spec.h"
#include "libop/perf/filter.h"
#include "libop/perf/open.h"
#include "libop/perf/opener.h"
#include "libop/perf/pmus.h"

/* wake up the daemon when a ring contains this number of samples with stacks */
#define STACKS_WATERMARK	32
#define NOTICES_WATERMARK	(128u << 10)
/* number of bytes of the program's stack in the record of a context switch. The daemon reads the
 * rest of the stack from the program's memory (perf_stacks.h). */
#define SWITCH_COPY		2048
/* The period of a timer is too long or too short by 1/DRIFT of its value. */
#define DRIFT			256

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST	(1U << 4)
#endif

/* The functions below set the attributes of events. */

static void attr_common(struct perf_event_attr *attr, const struct opd_perf_setup *setup)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.inherit = setup->nr_pids > 0,
		.exclude_hv = 1,
		/* Use one clock for all CPUs, which the daemon can read, too. perf_events' default
		 * clock differs between CPUs, and programs cannot read it. */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
	};
}

static uint64_t sample_type(const struct opd_perf_setup *setup)
{
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

	if (setup->nr_events > 1)
		type |= PERF_SAMPLE_IDENTIFIER;
	if (setup->units)
		type |= PERF_SAMPLE_CGROUP;
	if (setup->stack)
		type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	return type;
}

/*
 * Return true if the period of this event must be changed from time to time (opd_perf_cpu_turn()).
 * Only timers of whole CPUs need this change. The timer of a task stops while another task runs, so
 * its samples are spread evenly over the task's time anyway.
 */
static bool drifts(const struct opd_perf_setup *setup, const struct op_perf_code *code)
{
	return code->timer && !setup->nr_pids;
}

static uint64_t drifting_period(uint64_t period, bool slow)
{
	return slow ? period + period / DRIFT : period - period / DRIFT;
}

static void attr_sampler(struct perf_event_attr *attr, const struct opd_perf_setup *setup,
			 const struct op_event_spec *spec, const struct op_perf_code *code)
{
	attr_common(attr, setup);
	attr->type = code->type;
	attr->config = code->config;
	attr->config1 = code->config1;
	attr->sample_period = spec->count;
	attr->sample_type = sample_type(setup);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			    (setup->has_lost_format ? PERF_FORMAT_LOST : 0);
	attr->disabled = 1;
	attr->exclude_user = !spec->user;
	attr->exclude_kernel = !spec->kernel || setup->exclude_kernel;
	/* Do not sample the idle task: the daemon records the idle time of the machine in another
	 * way. */
	attr->exclude_idle = drifts(setup, code);
	attr->wakeup_watermark = (uint32_t)(setup->sample_ring / 2);
	if (!setup->stack)
		return;
	attr->sample_regs_user = OPD_PERF_REGS;
	attr->sample_stack_user = setup->stack;
	/* Do not record user frames in the call chain: the kernel can find user frames by frame
	 * pointers only. */
	attr->exclude_callchain_user = 1;
	/* Wake up the daemon early: it requests unwind tables when it reads the first samples. */
	if (attr->wakeup_watermark > STACKS_WATERMARK * setup->stack)
		attr->wakeup_watermark = STACKS_WATERMARK * setup->stack;
}

static void attr_notices(struct perf_event_attr *attr, const struct opd_perf_setup *setup)
{
	attr_common(attr, setup);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_type = PERF_SAMPLE_TIME;
	attr->sample_id_all = 1;
	attr->exclude_kernel = 1;
	attr->mmap = 1;
	/*
	 * Record device and inode of the mapped file, which identify the file. The kernel can
	 * record either these or the build-id. The daemon reads the build-ids of files with samples
	 * itself.
	 */
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->cgroup = setup->units;
	attr->ksymbol = setup->has_ksymbol;	/* KSYMBOL records report BPF programs, too */
	attr->wakeup_watermark =
		(uint32_t)(setup->notice_ring / 4 < NOTICES_WATERMARK ? setup->notice_ring / 4 :
									NOTICES_WATERMARK);
}

static uint64_t switch_type(const struct opd_perf_setup *setup)
{
	return PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
	       (setup->stack ? PERF_SAMPLE_STACK_USER : 0) |
	       (setup->units ? PERF_SAMPLE_CGROUP : 0);
}

/* The event that records context switches: a sample with the task's stack each time that a task
 * leaves a CPU, and SWITCH records. */
static void attr_switches(struct perf_event_attr *attr, const struct opd_perf_setup *setup)
{
	attr_common(attr, setup);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	attr->sample_period = 1;
	attr->sample_type = switch_type(setup);
	attr->sample_id_all = 1;
	attr->context_switch = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			    (setup->has_lost_format ? PERF_FORMAT_LOST : 0);
	attr->disabled = 1;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = OPD_PERF_REGS;
	attr->sample_stack_user = setup->stack ? SWITCH_COPY : 0;
	attr->wakeup_watermark = (uint32_t)(setup->switch_ring / 4);
}

/* The functions from here to report_open_failed() find out why an event cannot be opened. */

static int read_number(const char *path, long *ret)
{
	FILE *f = fopen(path, "re");
	int ok;

	if (!f)
		return -errno;
	ok = fscanf(f, "%ld", ret) == 1;
	fclose(f);
	return ok ? 0 : -EINVAL;
}

/* Find a task that the user may not inspect. Return the name of the task's owner, and set *@ret_pid
 * to the task. A setuid task belongs to root. Return NULL if the user may inspect all tasks. */
static const char *foreign_task(const struct opd_perf_setup *setup, pid_t *ret_pid)
{
	for (size_t i = 0; i < setup->nr_pids; i++) {
		const struct passwd *user;
		char path[32];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d", (int)setup->pids[i]);
		if (stat(path, &st) || st.st_uid == geteuid())
			continue;
		*ret_pid = setup->pids[i];
		user = getpwuid(st.st_uid);
		return user ? user->pw_name : "another user";
	}
	return NULL;
}

static int report_forbidden(struct op_reason *error, const struct opd_perf_setup *setup, int err)
{
	const char *owner;
	long paranoid = 0;
	pid_t pid;

	if (read_number("/proc/sys/kernel/perf_event_paranoid", &paranoid))
		return op_fail(error, err,
			       "this kernel has no perf_events (CONFIG_PERF_EVENTS): use "
			       "--source=module");
	if (geteuid() == 0)
		return op_fail(
			error, err,
			"the system call perf_event_open is forbidden even for root: this "
			"container has no CAP_PERFMON, or a seccomp filter forbids the call. Run "
			"outside the container, or give the container --cap-add=PERFMON and a "
			"seccomp profile that allows perf_event_open");
	if ((owner = foreign_task(setup, &pid)))
		return op_fail(error, err,
			       "process %d belongs to %s: only its owner or root may profile it. "
			       "Run this as %s%s",
			       (int)pid, owner, owner, strcmp(owner, "root") ? ", or as root" : "");
	if (setup->nr_pids)
		return op_fail(
			error, err,
			"kernel.perf_event_paranoid is %ld: users may not profile even their own "
			"programs. Run as root, or: sysctl kernel.perf_event_paranoid=2",
			paranoid);
	/* Debian's kernels have a level 3, at which opening events needs CAP_SYS_ADMIN. */
	if (paranoid > 2 && getenv(OP_PERF_OPENER_ENV))
		return op_fail(error, err,
			       "kernel.perf_event_paranoid is %ld, and oprofile-perf.service opens no "
			       "perf_events for this user: see journalctl -u oprofile-perf.socket -u "
			       "oprofile-perf.service, or load the kernel module",
			       paranoid);
	if (paranoid > 2)
		return op_fail(error, err,
			       "kernel.perf_event_paranoid is %ld: only root may open perf_events. Run "
			       "as root, load the kernel module, or let CAP_PERFMON suffice: sysctl "
			       "kernel.perf_event_paranoid=2",
			       paranoid);
	return op_fail(error, err,
		       "kernel.perf_event_paranoid is %ld: profiling the whole machine needs root "
		       "or CAP_PERFMON, or: sysctl kernel.perf_event_paranoid=-1",
		       paranoid);
}

static int report_open_failed(struct op_reason *error, const struct opd_perf_setup *setup,
			    const char *name, int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return report_forbidden(error, setup, err);
	case ENOSYS:
		return op_fail(
			error, err,
			"the system call perf_event_open does not exist: the kernel was built "
			"without CONFIG_PERF_EVENTS, or the container's seccomp profile hides "
			"the call. Use --source=module");
	case EMFILE:
	case ENFILE:
		return op_fail(
			error, err,
			"cannot open more file descriptors: each event needs one on every CPU. "
			"Raise the limit with ulimit -n, or with LimitNOFILE= of the service");
	case ENOENT:
	case EOPNOTSUPP:
		return op_fail(
			error, err,
			"event %s is not supported by this machine (no performance counters, as "
			"in many virtual machines): use --event=" OP_EVENT_TIMER,
			name);
	case EBUSY:
		return op_fail(error, err,
			       "cannot sample event %s: other programs use all performance "
			       "counters; end other profilers", name);
	case ESRCH:
		return op_fail(error, err, "cannot sample the process: it does not exist or has "
					   "ended");
	case EINVAL:
		if (setup->units)
			return op_fail(error, err,
				       "this kernel does not record the control groups of samples "
				       "(it has no CONFIG_CGROUP_PERF): omit unit from --separate");
		/* fall through */
	default:
		return op_fail(error, err, "cannot open event %s: %s", name, strerror(-err));
	}
}

/* Set @error to a message: the event happens only in the kernel, but only user code was requested
 * or may be sampled. */
static int report_in_kernel(struct op_reason *error, const struct op_event_spec *spec)
{
	if (!spec->kernel)
		return op_fail(error, -EINVAL,
			       "event %s happens in the kernel only: use --event=%s:%" PRIu64,
			       spec->name, spec->name, spec->count);
	return op_fail(error, -EACCES,
		       "event %s happens in the kernel only, and kernel.perf_event_paranoid does "
		       "not let users see "
		       "the kernel's events. Run as root, or: sysctl kernel.perf_event_paranoid=1",
		       spec->name);
}

/* Set @error to a message: context switches cannot be recorded. */
static int report_waits_failed(struct op_reason *error, const struct opd_perf_setup *setup, int err)
{
	if ((err == -EACCES || err == -EPERM) && setup->nr_pids && geteuid())
		return op_fail(error, err,
			       "cannot sample " OP_EVENT_OFFCPU ": threads wait in the kernel, and "
			       "kernel.perf_event_paranoid does not let users see the kernel's "
			       "events. Run as root, or: sysctl kernel.perf_event_paranoid=1");
	return report_open_failed(error, setup, OP_EVENT_OFFCPU, err);
}

static int map_ring(struct opd_perf_ring *ring, int fd, size_t size,
		    const struct opd_perf_format *format, struct op_reason *error)
{
	int err = opd_perf_ring_map(ring, fd, size, format);
	long kb = 0;

	if (!err)
		return 0;
	if (err == -EPERM && read_number("/proc/sys/kernel/perf_event_mlock_kb", &kb) == 0)
		return op_fail(
			error, err,
			"cannot map perf buffers: they exceed the limit of locked memory (%ld kB "
			"for each CPU): raise the limit with sysctl kernel.perf_event_mlock_kb, "
			"or end other profilers",
			kb);
	return op_fail(error, err, "cannot map a buffer of perf_events: %s", strerror(-err));
}

/* Let the kernel write the records of event @fd to the ring of event @owner. */
static int share_ring(int owner, int fd, const char *what, const char *name,
		      struct op_reason *error)
{
	int err = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner) ? -errno : 0;

	return err ? op_fail(error, err, "cannot add the records of event %s%s to a shared "
					 "buffer: %s", what, name,
			     strerror(-err)) :
		     0;
}

/* If the configuration of the event has a filter, set this filter for the open event @fd. Return 0,
 * or a negative errno with a message in @error. */
static int set_filter(int fd, const struct op_event_spec *spec, struct op_reason *error)
{
	return spec->filter ? op_perf_filter_set(fd, spec->name, spec->filter, error) : 0;
}

/* Return true if the kernel can open an event with attributes @attr; set *@err to the error or
 * 0. */
static bool try_open(struct perf_event_attr *attr, const struct opd_perf_setup *setup, int *err)
{
	int fd = setup->nr_pids ? op_perf_open(attr, setup->pids[0], -1) :
				  op_perf_open(attr, -1, 0);

	/* Ignore -ENODEV, because CPU 0 may be offline. */
	*err = fd < 0 && fd != -ENODEV ? fd : 0;
	if (fd >= 0)
		close(fd);
	return *err == 0;
}

int opd_perf_setup_probe(struct opd_perf_setup *setup, struct op_reason *error)
{
	struct perf_event_attr attr;
	int err;

	/* Each possible CPU needs descriptors for its events, in addition to the descriptors of
	 * sample files. */
	op_perf_raise_file_limit((size_t)sysconf(_SC_NPROCESSORS_CONF) *
			 ((setup->nr_pids + 1) * (setup->nr_events + 1)) + 1024);
	setup->has_lost_format = true;
	setup->has_ksymbol = true;
	for (size_t i = 0; i < setup->nr_events; i++) {
		const struct op_event_spec *spec = &setup->events[i];
		const struct op_perf_code *event = op_perf_code(setup->pmus, 0, i);

		/* Skip an event that CPU 0 does not count: if it cannot be opened, opening it on
		 * another CPU reports the error. */
		if (!event->counted)
			continue;
		attr_sampler(&attr, setup, spec, event);
		if (!try_open(&attr, setup, &err) && err == -EINVAL && setup->has_lost_format) {
			setup->has_lost_format = false;
			attr_sampler(&attr, setup, spec, event);
			try_open(&attr, setup, &err);
		}
		if ((err == -EACCES || err == -EPERM) && setup->nr_pids && !setup->exclude_kernel) {
			setup->exclude_kernel = true;
			attr_sampler(&attr, setup, spec, event);
			try_open(&attr, setup, &err);
		}
		if (err)
			return report_open_failed(error, setup, spec->name, err);
		if (event->in_kernel && attr.exclude_kernel)
			return report_in_kernel(error, spec);
		setup->outside_guests |= attr.exclude_guest;
	}

	if (setup->switch_ring) {
		attr_switches(&attr, setup);
		if (!try_open(&attr, setup, &err) && err == -EINVAL && setup->has_lost_format) {
			setup->has_lost_format = false;
			attr_switches(&attr, setup);
			try_open(&attr, setup, &err);
		}
		if (err)
			return report_waits_failed(error, setup, err);
	}

	attr_notices(&attr, setup);
	if (!try_open(&attr, setup, &err)) {
		setup->has_ksymbol = false;
		attr_notices(&attr, setup);
		if (!try_open(&attr, setup, &err)) {
			return report_open_failed(error, setup, "(notices of fork, exec and mmap)",
						  err);
		}
	}
	return 0;
}

/* The functions below open, close and read the events of one CPU. */

static pid_t target(const struct opd_perf_setup *setup, size_t i)
{
	return setup->nr_pids ? setup->pids[i] : -1;
}

/* Open the event for notices (fork, exec, mmap, exit records) of target @i: a task, or the whole
 * machine. @c owns the descriptor even after an error. */
static int open_notices(struct opd_perf_cpu *c, const struct opd_perf_setup *setup, size_t i,
			struct op_reason *error)
{
	const struct opd_perf_format format = {
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
	};
	struct perf_event_attr attr;
	int fd;

	attr_notices(&attr, setup);
	fd = op_perf_open(&attr, target(setup, i), c->cpu);
	if (fd < 0) {
		return report_open_failed(error, setup, "(notices of fork, exec and mmap)", fd);
	}
	c->notice_fds[c->nr_notice_fds++] = fd;
	if (c->nr_notice_fds > 1)
		return share_ring(c->notice_fds[0], fd, "notices", "", error);
	return map_ring(&c->notices, fd, setup->notice_ring, &format, error);
}

/* Open the sampler of event @event for target @i: a task, or the whole machine. With @event -1,
 * open a dummy event that only owns the ring. @c owns the descriptor even after an error. */
static int open_sampler(struct opd_perf_cpu *c, const struct opd_perf_setup *setup, size_t i,
			int event, struct op_reason *error)
{
	static const struct op_perf_code nothing = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	const struct opd_perf_format format = {
		.sample_type = sample_type(setup),
		.nr_regs = (unsigned int)__builtin_popcountll(OPD_PERF_REGS),
	};
	const struct op_event_spec *spec = &setup->events[event < 0 ? 0 : event];
	struct perf_event_attr attr;
	int fd, err;

	attr_sampler(&attr, setup, spec,
		     event < 0 ? &nothing : op_perf_code(setup->pmus, c->cpu, (size_t)event));
	fd = op_perf_open(&attr, target(setup, i), c->cpu);
	if (fd < 0) {
		return report_open_failed(error, setup, spec->name, fd);
	}
	c->events[c->nr_fds] = event;
	c->fds[c->nr_fds++] = fd;
	err = c->nr_fds > 1 ? share_ring(c->fds[0], fd, "event ", spec->name, error) :
			      map_ring(&c->samples, fd, setup->sample_ring, &format, error);
	if (!err && event >= 0)
		err = set_filter(fd, spec, error);
	if (!err && ioctl(fd, PERF_EVENT_IOC_ID, &c->ids[c->nr_fds - 1])) {
		err = -errno;
		op_fail(error, err, "cannot read the id of event %s: "
			"%s", spec->name, strerror(errno));
	}
	return err;
}

/* Open the event that records context switches for target @i: a task, or the whole machine. @c owns
 * the descriptor even after an error. */
static int open_switches(struct opd_perf_cpu *c, const struct opd_perf_setup *setup, size_t i,
			 struct op_reason *error)
{
	const struct opd_perf_format format = {
		.sample_type = switch_type(setup),
		.sample_id_all = 1,
		.nr_regs = (unsigned int)__builtin_popcountll(OPD_PERF_REGS),
	};
	struct perf_event_attr attr;
	int fd;

	attr_switches(&attr, setup);
	fd = op_perf_open(&attr, target(setup, i), c->cpu);
	if (fd < 0)
		return report_waits_failed(error, setup, fd);
	c->switch_fds[c->nr_switch_fds++] = fd;
	if (c->nr_switch_fds > 1)
		return share_ring(c->switch_fds[0], fd, "event ", OP_EVENT_OFFCPU, error);
	return map_ring(&c->switches, fd, setup->switch_ring, &format, error);
}

/* Open the events for target @i: the samplers, and the events that record fork, exec, mmap, exit
 * and context switches. */
static int open_target(struct opd_perf_cpu *c, const struct opd_perf_setup *setup, size_t i,
		       struct op_reason *error)
{
	int err = open_notices(c, setup, i, error);

	for (size_t event = 0; event < setup->nr_events && !err; event++)
		if (op_perf_code(setup->pmus, c->cpu, event)->counted)
			err = open_sampler(c, setup, i, (int)event, error);
	if (!c->nr_fds && !err)
		err = open_sampler(c, setup, i, -1, error);
	if (setup->switch_ring && !err)
		err = open_switches(c, setup, i, error);
	/* Ignore -ESRCH for a child or a thread that was found in /proc: it may have ended since. A
	 * task that the user named must exist. */
	return err == -ESRCH && i >= setup->nr_named ? 0 : err;
}

int opd_perf_cpu_open(struct opd_perf_cpu **ret, const struct opd_perf_setup *setup, int cpu,
		      struct op_reason *error)
{
	size_t nr_targets = setup->nr_pids ? setup->nr_pids : 1;
	/* maximum number of samplers: each target has one sampler for each event */
	size_t nr_samplers = nr_targets * setup->nr_events;
	struct opd_perf_cpu *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	if (!c)
		return err;
	c->cpu = cpu;
	c->by_task = setup->nr_pids > 0;
	c->nr_events = setup->nr_events;
	c->fds = calloc(nr_samplers, sizeof(*c->fds));
	c->ids = calloc(nr_samplers, sizeof(*c->ids));
	c->lost = calloc(nr_samplers, sizeof(*c->lost));
	c->times = calloc(nr_samplers, sizeof(*c->times));
	c->events = calloc(nr_samplers, sizeof(*c->events));
	c->notice_fds = calloc(nr_targets, sizeof(*c->notice_fds));
	c->switch_fds = calloc(nr_targets, sizeof(*c->switch_fds));
	c->lost_switches = calloc(nr_targets, sizeof(*c->lost_switches));
	if (!c->fds || !c->ids || !c->lost || !c->times || !c->events || !c->notice_fds ||
	    !c->switch_fds || !c->lost_switches)
		goto close_cpu;

	for (size_t i = 0; i < nr_targets; i++) {
		err = open_target(c, setup, i, error);
		if (err)
			goto close_cpu;
	}
	/* Half of the CPUs start with periods that are too long, so that the number of samples on
	 * all CPUs is right from the start. */
	c->slow = cpu & 1;
	err = opd_perf_cpu_turn(c, setup);
	if (err) {
		op_fail(error, err, "cannot set the period of a timer: %s", strerror(-err));
		goto close_cpu;
	}
	*ret = c;
	return 0;

close_cpu:
	opd_perf_cpu_close(c);
	return err;
}

void opd_perf_cpu_close(struct opd_perf_cpu *c)
{
	if (!c)
		return;
	opd_perf_ring_unmap(&c->samples);
	opd_perf_ring_unmap(&c->notices);
	opd_perf_ring_unmap(&c->switches);
	while (c->nr_fds)
		close(c->fds[--c->nr_fds]);
	while (c->nr_notice_fds)
		close(c->notice_fds[--c->nr_notice_fds]);
	while (c->nr_switch_fds)
		close(c->switch_fds[--c->nr_switch_fds]);
	free(c->fds);
	free(c->ids);
	free(c->lost);
	free(c->times);
	free(c->events);
	free(c->notice_fds);
	free(c->switch_fds);
	free(c->lost_switches);
	free(c);
}

int opd_perf_cpu_turn(struct opd_perf_cpu *c, const struct opd_perf_setup *setup)
{
	c->slow = !c->slow;
	for (size_t i = 0; i < c->nr_fds; i++) {
		const int event = c->events[i];
		uint64_t period;

		if (event < 0 || !drifts(setup, op_perf_code(setup->pmus, c->cpu, (size_t)event)))
			continue;
		period = drifting_period(setup->events[event].count, c->slow);
		if (ioctl(c->fds[i], PERF_EVENT_IOC_PERIOD, &period))
			return -errno;
	}
	return 0;
}

int opd_perf_cpu_enable(struct opd_perf_cpu *c, bool on)
{
	const unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t i = 0; i < c->nr_fds; i++)
		if (ioctl(c->fds[i], request, 0))
			return -errno;
	for (size_t i = 0; i < c->nr_switch_fds; i++)
		if (ioctl(c->switch_fds[i], request, 0))
			return -errno;
	return 0;
}

/* The data that read() of an event returns, in the order that attr.read_format defines. */
struct counted {
	uint64_t value, enabled, running, lost;
};

static bool read_event(int fd, struct counted *v)
{
	v->lost = 0;
	return read(fd, v, sizeof(*v)) >= (ssize_t)offsetof(struct counted, lost);
}

static bool read_sampler(const struct opd_perf_cpu *c, size_t i, struct counted *v)
{
	return read_event(c->fds[i], v);
}

uint64_t opd_perf_cpu_read_switches(struct opd_perf_cpu *c, const struct opd_perf_setup *setup)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->nr_switch_fds; i++) {
		struct counted v;

		if (!read_event(c->switch_fds[i], &v) || !setup->has_lost_format)
			continue;
		sum += v.lost - c->lost_switches[i];
		c->lost_switches[i] = v.lost;
	}
	return sum;
}

uint64_t opd_perf_cpu_read(struct opd_perf_cpu *c, const struct opd_perf_setup *setup,
			   size_t nr_cpus, struct opd_perf_times *times)
{
	size_t nr_repeated = c->by_task ? nr_cpus : 1;
	uint64_t sum = 0, lost, count;

	for (size_t i = 0; i < c->nr_fds; i++) {
		struct counted v;

		if (!read_sampler(c, i, &v))
			continue;
		lost = setup->has_lost_format ? v.lost - c->lost[i] : 0;
		sum += lost;
		c->lost[i] += lost;
		if (c->events[i] < 0)
			continue;
		times[c->events[i]].lost += lost;
		count = setup->events[c->events[i]].count;
		times[c->events[i]].due += v.value / count - c->times[i].happened / count;
		times[c->events[i]].enabled += (v.enabled - c->times[i].enabled) / nr_repeated;
		times[c->events[i]].running += v.running - c->times[i].running;
		c->times[i] = (struct opd_perf_times){
			.enabled = v.enabled, .running = v.running, .happened = v.value,
		};
	}
	return sum;
}

bool opd_perf_cpu_is_alive(struct opd_perf_cpu *c)
{
	struct counted v[2];

	/* The enabled time of a running event increases between the two reads, even if the CPU is
	 * idle. */
	return read_sampler(c, 0, &v[0]) && read_sampler(c, 0, &v[1]) &&
	       v[0].enabled != v[1].enabled;
}

int opd_perf_cpu_event(const struct opd_perf_cpu *c, uint64_t id)
{
	if (c->nr_events == 1)
		return c->events[0];
	for (size_t i = 0; i < c->nr_fds; i++)
		if (c->ids[i] == id)
			return c->events[i];
	return -1;
}
