// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * set.c -- opens, starts and reads perf_events counters.
 */
#include "config.h"
#include "utils/ocount/set.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libop/perf/filter.h"
#include "libop/perf/open.h"

/* Return the array of descriptors of one event in one row: one descriptor for each type of core. */
static int *fds_of(const struct count_set *set, size_t row, size_t event)
{
	return &set->fds[(row * set->events->nr + event) * OP_PERF_MAX_PMUS];
}

static long paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	long n = -1;

	if (!f)
		return n;
	if (fscanf(f, "%ld", &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

static int fail_forbidden(struct op_reason *error, int err, const struct count_set *set, int id)
{
	if (geteuid() == 0)
		return op_fail(error, err, "cannot count: the kernel forbids perf_event_open() "
					   "even to root, because a container has no CAP_PERFMON "
					   "or a seccomp filter forbids the call");
	if (set->by_cpu)
		return op_fail(error, err, "kernel.perf_event_paranoid is %ld: counting on whole CPUs needs root or "
			       "CAP_PERFMON, or: sysctl kernel.perf_event_paranoid=0", paranoid());
	return op_fail(error, err, "cannot count process or thread %d: it belongs to another user, "
				   "or kernel.perf_event_paranoid (%ld) is above 2; run ocount as "
				   "root or as that user", id, paranoid());
}

static int fail_open(struct op_reason *error, int err, const struct count_set *set,
		     const struct count_event *event, int id)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return fail_forbidden(error, err, set, id);
	case ENOSYS:
		return op_fail(error, err, "cannot count: the kernel was built without "
					   "CONFIG_PERF_EVENTS, or a container's seccomp profile "
					   "hides perf_event_open()");
	case EMFILE:
	case ENFILE:
		return op_fail(error, err, "cannot open more file descriptors: each event needs "
					   "one for each thread or CPU; raise the limit with "
					   "ulimit -n, or count fewer events");
	case ENOENT:
	case EOPNOTSUPP:
	case EINVAL:
		return op_fail(error, err, "cannot count event %s on this machine: many virtual "
					   "machines have no counters; task-clock, page-faults and "
					   "context-switches can be counted on every machine", event->name);
	case ESRCH:
		return op_fail(error, err, "process or thread %d does not exist", id);
	case ENODEV:
		return op_fail(error, err, "CPU %d is not online", id);
	default:
		return op_fail(error, err, "cannot count %s: %s", event->name, strerror(-err));
	}
}

static struct perf_event_attr attr_of(const struct count_event *event,
				      const struct op_perf_code *code, bool user_only,
				      enum count_inherit inherit)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = code->type,
		.config = code->config,
		.config1 = code->config1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = inherit != COUNT_ALONE,
		.enable_on_exec = inherit == COUNT_AT_EXEC,
		.exclude_user = !event->user,
		.exclude_kernel = !event->kernel || user_only,
		.exclude_hv = 1,
	};
}

/* Open the perf_events counter of one event. Return its descriptor, or a negative errno. */
static int open_one(struct count_set *set, const struct count_event *event,
		    const struct op_perf_code *code, int id, enum count_inherit inherit)
{
	pid_t pid = set->by_cpu ? -1 : id;
	int cpu = set->by_cpu ? id : -1, fd;
	struct perf_event_attr attr = attr_of(event, code, set->user_only, inherit);

	fd = op_perf_open(&attr, pid, cpu);
	if ((fd != -EACCES && fd != -EPERM) || attr.exclude_kernel || !event->user) {
		set->outside_guests |= fd >= 0 && attr.exclude_guest;
		return fd;
	}
	attr.exclude_kernel = 1;
	fd = op_perf_open(&attr, pid, cpu);
	set->user_only |= fd >= 0;
	set->outside_guests |= fd >= 0 && attr.exclude_guest;
	return fd;
}

static int check_kernel(const struct count_set *set, const struct count_event *event,
			struct op_reason *error)
{
	if (!set->user_only || !event->in_kernel)
		return 0;
	return op_fail(error, -EACCES, "cannot count %s: they happen in the kernel, where "
				       "kernel.perf_event_paranoid (%ld) lets only root count",
		       event->name, paranoid());
}

/*
 * Return whether the codes of an event on two types of cores are equal. If an event does not belong
 * to a PMU of cores, its codes are equal, and a single counter counts it on all cores.
 */
static bool same_code(const struct op_perf_code *a, const struct op_perf_code *b)
{
	return a->counted && b->counted && a->type == b->type && a->config == b->config &&
	       a->config1 == b->config1;
}

/* Open the counters of all events for a new row (thread or CPU). On failure, count_set_close()
 * closes the opened counters. */
static int open_row(struct count_set *set, int id, enum count_inherit inherit,
		    struct op_reason *error)
{
	size_t first = set->by_cpu ? op_perf_kind_of_cpu(&set->events->kinds, id) : 0;
	size_t end = set->by_cpu ? first + 1 : set->events->kinds.nr;
	int err = 0;

	for (size_t e = 0; e < set->events->nr && !err; e++) {
		const struct count_event *event = &set->events->list[e];
		int *fds = fds_of(set, set->nr_rows, e);

		for (size_t k = first; k < end && !err; k++) {
			const struct op_perf_code *code = &event->codes[k];

			if (!code->counted || (k > first && same_code(code, &event->codes[first])))
				continue;
			fds[k] = open_one(set, event, code, id, inherit);
			err = fds[k] < 0 ? fail_open(error, fds[k], set, event, id) :
					   check_kernel(set, event, error);
			if (!err && event->filter)
				err = op_perf_filter_set(fds[k], event->name, event->filter, error);
		}
	}
	return err;
}

static void close_row(struct count_set *set, size_t row)
{
	for (size_t i = 0; i < set->events->nr * OP_PERF_MAX_PMUS; i++) {
		int *fd = &fds_of(set, row, 0)[i];

		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
}

static int make_room(struct count_set *set, const struct count_events *events, size_t nr)
{
	size_t nr_fds = nr * events->nr * OP_PERF_MAX_PMUS;

	set->events = events;
	set->room = nr;
	set->ids = calloc(nr, sizeof(*set->ids));
	set->fds = calloc(nr_fds, sizeof(*set->fds));
	set->last = calloc(nr * events->nr, sizeof(*set->last));
	if (!set->ids || !set->fds || !set->last)
		return -ENOMEM;
	/* mark all descriptors as not open (-1) */
	memset(set->fds, 0xff, nr_fds * sizeof(*set->fds));
	op_perf_raise_file_limit(nr_fds + 64);
	return 0;
}

int count_set_open_tasks(struct count_set *ret, const struct count_events *events, const pid_t *ids,
			 size_t nr, size_t named, enum count_inherit inherit,
			 struct op_reason *error)
{
	struct count_set set = { .by_cpu = false };
	struct op_reason gone = { "" };
	int err = make_room(&set, events, nr);

	for (size_t i = 0; i < nr && !err; i++) {
		err = open_row(&set, ids[i], inherit, i < named ? error : &gone);
		if (!err) {
			set.ids[set.nr_rows++] = ids[i];
		} else {
			close_row(&set, set.nr_rows);
			if (err == -ESRCH && i >= named)
				err = 0;
			else if (i >= named)
				*error = gone;
		}
	}
	if (err)
		count_set_close(&set);
	else
		*ret = set;
	return err;
}

int count_set_open_cpus(struct count_set *ret, const struct count_events *events, const bool *cpus,
			struct op_reason *error)
{
	struct count_set set = { .by_cpu = true };
	size_t nr = 0;
	int err;

	for (int cpu = 0; cpu < OP_MAX_CPUS; cpu++)
		nr += cpus[cpu];
	err = make_room(&set, events, nr);
	for (int cpu = 0; cpu < OP_MAX_CPUS && !err; cpu++) {
		if (!cpus[cpu])
			continue;
		err = open_row(&set, cpu, COUNT_ALONE, error);
		set.ids[set.nr_rows++] = cpu;
	}
	if (err)
		count_set_close(&set);
	else
		*ret = set;
	return err;
}

int count_set_open_empty(struct count_set *ret, const struct count_events *events)
{
	struct count_set set = { .by_cpu = false };
	int err = make_room(&set, events, 1);

	if (err) {
		count_set_close(&set);
		return err;
	}
	set.nr_rows = 1;
	*ret = set;
	return 0;
}

void count_set_close(struct count_set *set)
{
	for (size_t row = 0; set->fds && row < set->room; row++)
		close_row(set, row);
	free(set->ids);
	free(set->fds);
	free(set->last);
	*set = (struct count_set){ .nr_rows = 0 };
}

int count_set_start(struct count_set *set)
{
	size_t nr = set->nr_rows * set->events->nr * OP_PERF_MAX_PMUS;

	for (size_t i = 0; i < nr; i++)
		if (set->fds[i] >= 0 && ioctl(set->fds[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return 0;
}

/*
 * Read the counters of one event for all types of cores, and sum them. All counters are enabled for
 * the whole time, but a counter runs only while the thread is on a core of its type. So the enabled
 * time is that of any one counter, and the running time is the sum.
 */
static int read_sum(struct count_value *sum, const int *fds)
{
	*sum = (struct count_value){ 0 };
	for (size_t k = 0; k < OP_PERF_MAX_PMUS; k++) {
		struct count_value v;
		ssize_t n;

		if (fds[k] < 0)
			continue;
		n = read(fds[k], &v, sizeof(v));
		/* If the kernel could not reschedule a counter, the counter is in an error state
		 * and read() returns 0. */
		if (n < 0)
			return -errno;
		if (n != sizeof(v))
			continue;
		sum->count += v.count;
		if (sum->enabled < v.enabled)
			sum->enabled = v.enabled;
		sum->running += v.running;
	}
	return 0;
}

int count_set_read(struct count_set *set, struct count_value *values)
{
	for (size_t row = 0; row < set->nr_rows; row++) {
		for (size_t e = 0; e < set->events->nr; e++) {
			size_t i = row * set->events->nr + e;
			struct count_value now;
			int err = read_sum(&now, fds_of(set, row, e));

			if (err)
				return err;
			values[i] = (struct count_value){
				.count = now.count - set->last[i].count,
				.enabled = now.enabled - set->last[i].enabled,
				.running = now.running - set->last[i].running,
			};
			set->last[i] = now;
		}
	}
	return 0;
}
