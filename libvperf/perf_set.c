// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf_set.c -- opening and closing of perf_events counters, and error messages. */
#include "config.h"
#include "libvperf/perf_set.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READ_FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static int fail_forbidden(struct vperf *v, int err)
{
	char text[16] = "unknown";
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		ssize_t n = read(fd, text, sizeof(text) - 1);

		close(fd);
		text[n > 0 ? n : 0] = '\0';
		text[strcspn(text, "\n")] = '\0';
	}
	return vperf_fail(
		v, err,
		"perf_events does not permit counting: kernel.perf_event_paranoid is %s (with 2, "
		"users may count their own code; with 1, also the kernel), or the thread belongs "
		"to another user, or a container's rules forbid it",
		text);
}

static int fail_open(struct vperf *v, int err, const struct perf_event_attr *attr)
{
	const bool software = attr->type == PERF_TYPE_SOFTWARE;

	switch (-err) {
	case EACCES:
	case EPERM:
		return fail_forbidden(v, err);
	case ENOSYS:
		return vperf_fail(v, err,
				  "perf_event_open() does not exist: the kernel lacks "
				  "CONFIG_PERF_EVENTS, or a "
				  "container hides it");
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return vperf_fail(v, err,
				  "the kernel has no counter for this event (type %u, config "
				  "0x%llx): many virtual "
				  "machines lack the CPU's counters; task-clock, page-faults and "
				  "context-switches can always be counted",
				  attr->type, (unsigned long long)attr->config);
	case EINVAL:
		return vperf_fail(v, err,
				  "the kernel does not accept this event (type %u, config 0x%llx)%s",
				  attr->type, (unsigned long long)attr->config,
				  software ? "" : ", or this CPU does not have that many counters");
	case EMFILE:
	case ENFILE:
		return vperf_fail(v, err,
				  "out of file descriptors (ulimit -n): each slot needs one, or "
				  "two with children");
	case ESRCH:
		return vperf_fail(v, err, "thread %d does not exist", v->tid);
	default:
		return vperf_fail(v, err, "perf_event_open() failed: %s", strerror(-err));
	}
}

static int open_event(struct vperf *v, struct perf_event_attr *attr, int group)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, v->tid, -1, group, PERF_FLAG_FD_CLOEXEC);

	/* The kernel refuses events that also count in virtual machines if KVM uses its mediated
	 * PMU. So retry without virtual machines. */
	if (fd < 0 && errno == EOPNOTSUPP && !attr->exclude_guest) {
		attr->exclude_guest = 1;
		fd = (int)syscall(SYS_perf_event_open, attr, v->tid, -1, group,
				  PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && errno == EOPNOTSUPP)
			attr->exclude_guest = 0;
	}
	return fd < 0 ? -errno : vperf_place(v, fd);
}

static struct perf_event_attr attr_of(const struct vperf *v, const struct vperfctr_pmc *pmc)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = pmc->type,
		.config = pmc->config,
		.config1 = pmc->config1,
		.config2 = pmc->config2,
		.read_format = READ_FORMAT | PERF_FORMAT_GROUP,
		.disabled = 1,
		.enable_on_exec = !!(v->flags & VPERF_ON_EXEC),
		.exclude_user = !(pmc->flags & VPERFCTR_USER),
		.exclude_kernel = !(pmc->flags & VPERFCTR_KERNEL),
		.exclude_hv = 1,
	};
}

int perf_set_open_clock(struct vperf *v, bool inherited)
{
	static const struct vperfctr_pmc clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.flags = VPERFCTR_USER,
	};
	struct perf_event_attr attr = attr_of(v, &clock);
	int fd;

	if (inherited) {
		attr.inherit = 1;
		attr.read_format = READ_FORMAT;
	}
	fd = open_event(v, &attr, -1);
	return fd < 0 ? fail_open(v, fd, &attr) : fd;
}

/* Return whether the event happens only in the kernel: its count in user mode would always be 0. */
static bool is_kernels(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/*
 * Return whether the slot counts page faults with overflows, for which it needs two events. The
 * kernel counts the event page-faults before it handles the fault. If the overflow signal aborts
 * the handling, the same fault repeats forever. But the kernel counts the events minor-faults and
 * major-faults after it has handled a fault. So open these two events instead.
 */
static bool is_two(const struct vperfctr_pmc *pmc)
{
	return pmc->ireset && pmc->type == PERF_TYPE_SOFTWARE &&
	       pmc->config == PERF_COUNT_SW_PAGE_FAULTS;
}

static int open_slot(struct perf_set *set, struct vperf *v, const struct vperfctr_pmc *pmc,
		     int group, bool inherited)
{
	struct perf_event_attr attr = attr_of(v, pmc);
	int fd;

	if (inherited) {
		attr.inherit = 1;
		attr.read_format = READ_FORMAT;
	} else if (group >= 0) {
		/* The leader of a group starts the members. But a slot with overflows starts only
		 * when it is armed, so open it disabled. */
		attr.disabled = pmc->ireset != 0;
		attr.enable_on_exec = 0;
	}
	if (!inherited && pmc->ireset) {
		attr.sample_period = pmc->ireset;
		attr.wakeup_events = 1;
	}
	if (set->user_only && !attr.exclude_user && !is_kernels(&attr))
		attr.exclude_kernel = 1;
	fd = open_event(v, &attr, group);
	if ((fd == -EACCES || fd == -EPERM) && !attr.exclude_kernel && !attr.exclude_user &&
	    !is_kernels(&attr)) {
		attr.exclude_kernel = 1;
		fd = open_event(v, &attr, group);
		set->user_only |= fd >= 0;
	}
	return fd < 0 ? fail_open(v, fd, &attr) : fd;
}

/* Open the event of a slot, and the second event if the slot needs two. */
static int open_parts(struct perf_set *set, struct vperf *v, const struct vperfctr_pmc *pmc,
		      struct perf_slot *slot, int group)
{
	struct vperfctr_pmc part = *pmc;

	if (is_two(pmc))
		part.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	slot->fd = open_slot(set, v, &part, group, false);
	if (slot->fd < 0 || !is_two(pmc))
		return slot->fd < 0 ? slot->fd : 0;
	part.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	slot->second = open_slot(set, v, &part, -1, false);
	return slot->second < 0 ? slot->second : 0;
}

static int set_overflow_signal(int fd, int signo)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid) };
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETSIG, signo) || fcntl(fd, F_SETOWN_EX, &owner) ||
	    fcntl(fd, F_SETFL, flags | O_ASYNC))
		return -errno;
	return 0;
}

/* Map the page of a hardware event, from which user mode can read the event's count. Software
 * events have no such page. */
static void map_page(struct perf_slot *slot, const struct vperf *v, const struct vperfctr_pmc *pmc)
{
	void *page;

	if (v->tid || pmc->type == PERF_TYPE_SOFTWARE || !VPERF_HAVE_PMC)
		return;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, slot->fd, 0);
	slot->page = page == MAP_FAILED ? NULL : page;
}

int perf_set_open(struct perf_set *ret, struct vperf *v, const struct vperfctr_pmc *pmc,
		  unsigned int nr, int signo)
{
	struct perf_set set = { .nr = nr };
	int group = -1, err = 0;

	for (unsigned int i = 0; i < nr; i++)
		set.slots[i] = (struct perf_slot){ .fd = -1, .second = -1, .inherited = -1 };
	for (unsigned int i = 0; i < nr && !err; i++) {
		struct perf_slot *slot = &set.slots[i];
		const bool alone = pmc[i].flags & VPERFCTR_SHARE || group < 0;

		slot->leader = alone ? (int)i : group;
		err = open_parts(&set, v, &pmc[i], slot, alone ? -1 : set.slots[group].fd);
		if (err)
			break;
		if (group < 0 && !(pmc[i].flags & VPERFCTR_SHARE))
			group = (int)i;
		map_page(slot, v, &pmc[i]);
		if (pmc[i].ireset)
			err = set_overflow_signal(slot->fd, signo);
		if (!err && slot->second >= 0)
			err = set_overflow_signal(slot->second, signo);
		if (!err && v->flags & VPERF_CHILDREN) {
			slot->inherited = open_slot(&set, v, &pmc[i], -1, true);
			err = slot->inherited < 0 ? slot->inherited : 0;
		}
	}
	if (err)
		perf_set_close(&set);
	else
		*ret = set;
	return err;
}

void perf_set_forget(struct perf_set *set)
{
	/* Close members before their leader: otherwise the kernel would make a member the new
	 * leader. */
	for (unsigned int i = set->nr; i-- > 0;) {
		if (set->slots[i].inherited >= 0)
			close(set->slots[i].inherited);
		if (set->slots[i].second >= 0)
			close(set->slots[i].second);
		if (set->slots[i].fd >= 0)
			close(set->slots[i].fd);
	}
	*set = (struct perf_set){ .nr = 0 };
}

void perf_set_close(struct perf_set *set)
{
	for (unsigned int i = 0; i < set->nr; i++)
		if (set->slots[i].page)
			munmap((void *)(uintptr_t)set->slots[i].page,
			       (size_t)sysconf(_SC_PAGESIZE));
	perf_set_forget(set);
}
