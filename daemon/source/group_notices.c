// SPDX-License-Identifier: GPL-2.0-or-later
/* group_notices.c -- names of new control groups, from perf_events. */
#include "config.h"
#include "daemon/source/group_notices.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "daemon/image/cgroups.h"
#include "daemon/source/perf_ring.h"
#include "libop/base/reason.h"
#include "libop/cpu/list.h"
#include "libop/perf/open.h"

#define RING_SIZE	(64u << 10)	/* room for about 600 groups */

struct cpu {
	int number, fd;
	struct opd_perf_ring ring;
};

struct opd_group_notices {
	struct opd_cgroups *cgroups;
	struct op_online_cpus online;
	int epoll_fd;
	struct cpu *cpus;
	size_t nr, max;
};

/* The kernel passes no records of groups to an event that asks for these records only. So the event
 * also asks for records of new kernel symbols, which are rare. */
static int open_event(int number)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.cgroup = 1,
		.ksymbol = 1,
		.watermark = 1,
		.wakeup_watermark = RING_SIZE / 2,
	};

	return op_perf_open(&attr, -1, number);
}

static void read_ring(struct opd_group_notices *n, struct opd_perf_ring *ring)
{
	const struct opd_perf_record *r;

	opd_perf_ring_refresh(ring);
	while ((r = opd_perf_ring_peek(ring))) {
		if (r->kind == OPD_PERF_CGROUP)
			opd_cgroups_name(n->cgroups, r->cgroup.id, r->cgroup.path);
		opd_perf_ring_pop(ring);
	}
	opd_perf_ring_publish(ring);
}

/* Close the event of a CPU. Records that were not read are lost. */
static void remove_cpu(struct opd_group_notices *n, size_t i)
{
	opd_perf_ring_unmap(&n->cpus[i].ring);
	close(n->cpus[i].fd);
	n->cpus[i] = n->cpus[--n->nr];
}

/* Open the event of a CPU. Return 0 or a negative errno. */
static int add_cpu(struct opd_group_notices *n, int number)
{
	const struct opd_perf_format format = {
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
	};
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };
	struct cpu cpu = { .number = number };
	int err;

	if (n->nr == n->max)
		return -E2BIG;
	cpu.fd = open_event(number);
	if (cpu.fd < 0)
		return cpu.fd;
	err = opd_perf_ring_map(&cpu.ring, cpu.fd, RING_SIZE, &format);
	if (!err && epoll_ctl(n->epoll_fd, EPOLL_CTL_ADD, cpu.fd, &e))
		err = -errno;
	if (err) {
		opd_perf_ring_unmap(&cpu.ring);
		close(cpu.fd);
		return err;
	}
	n->cpus[n->nr++] = cpu;
	return 0;
}

static bool has_cpu(const struct opd_group_notices *n, int number)
{
	for (size_t i = 0; i < n->nr; i++) {
		if (n->cpus[i].number == number)
			return true;
	}
	return false;
}

/* If the set of online CPUs has changed, close the events of CPUs that are offline, and open those
 * of new CPUs. Return 0 or the first negative errno. */
static int follow_cpus(struct opd_group_notices *n)
{
	bool online[OP_MAX_CPUS];
	int err = op_online_cpus_changed(&n->online, online);

	if (err <= 0)
		return err;
	err = 0;
	for (size_t i = n->nr; i--;) {
		if (!online[n->cpus[i].number])
			remove_cpu(n, i);
	}
	for (int number = 0; number < OP_MAX_CPUS && !err; number++) {
		if (online[number] && !has_cpu(n, number))
			err = add_cpu(n, number);
		/* -ENODEV: the CPU went offline before its event was opened */
		if (err == -ENODEV)
			err = 0;
	}
	return err;
}

/* Return whether the controller perf_event belongs to a hierarchy of cgroup v1. A kernel without
 * cgroup v1 may have no /proc/cgroups. */
static bool perf_uses_v1(void)
{
	unsigned int hierarchy = 0;
	FILE *f = fopen("/proc/cgroups", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "perf_event %u", &hierarchy) == 1)
			break;
	}
	if (f)
		fclose(f);
	return hierarchy;
}

int opd_group_notices_create(struct opd_group_notices **ret, struct opd_cgroups *cgroups,
			     struct op_reason *error)
{
	struct opd_group_notices *n;
	int err;

	if (perf_uses_v1())
		return op_fail(error, -EOPNOTSUPP,
			       "a hierarchy of cgroup v1 has the controller perf_event");
	n = calloc(1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	n->cgroups = cgroups;
	n->online.fd = -1;
	n->max = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	n->cpus = calloc(n->max, sizeof(*n->cpus));
	n->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = !n->cpus ? -ENOMEM : n->epoll_fd < 0 ? -errno : 0;
	if (!err)
		err = op_online_cpus_open(&n->online);
	if (!err)
		err = follow_cpus(n);
	if (err) {
		opd_group_notices_destroy(n);
		return op_fail(error, err, "cannot open perf_events: %s", strerror(-err));
	}
	*ret = n;
	return 0;
}

void opd_group_notices_destroy(struct opd_group_notices *n)
{
	if (!n)
		return;
	while (n->nr)
		remove_cpu(n, n->nr - 1);
	op_online_cpus_close(&n->online);
	if (n->epoll_fd >= 0)
		close(n->epoll_fd);
	free(n->cpus);
	free(n);
}

int opd_group_notices_fd(const struct opd_group_notices *n)
{
	return n->epoll_fd;
}

void opd_group_notices_read(struct opd_group_notices *n)
{
	struct epoll_event ready[16];

	if (!n)
		return;
	/* An event stays ready until epoll_wait() has returned it. */
	epoll_wait(n->epoll_fd, ready, sizeof(ready) / sizeof(*ready), 0);
	for (size_t i = 0; i < n->nr; i++)
		read_ring(n, &n->cpus[i].ring);
	/* An event that cannot be opened leaves a CPU whose new groups have no names until a search
	 * of the file system finds them. */
	follow_cpus(n);
}
