// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c -- samples a process from outside by perf_events. The process is not changed, and
 * opattach keeps running.
 *
 * Each thread of the process and of its children has an event on each CPU, because only events of
 * the same CPU can share a ring buffer. Threads and processes that start later inherit the events.
 */
#include "config.h"
#include "utils/opattach/method.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/perf/open.h"
#include "libop/perf/tasks.h"
#include "utils/opattach/processes.h"

/* Reader of the perf_events ring buffer of one CPU. */

struct attach_ring {
	struct perf_event_mmap_page *page;	/* the mapped ring buffer; NULL: not mapped */
	/* size of the data area after the first page, in bytes */
	size_t size;
};

/* Called for each new record of the ring buffer. @record is a complete copy, which does not change
 * during the call. */
typedef void (*attach_record_fn)(void *arg, const struct perf_event_header *record);

/* maximum size of a ring buffer in bytes. By default the kernel permits a user 512 KiB per CPU */
#define MAX_DATA	(8u << 20)
#define MIN_DATA	(16u << 10)

/* Map the ring buffer of the event @fd. Return 0 or a negative errno. */
static int attach_ring_map(struct attach_ring *ring, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at = MAP_FAILED;

	for (size_t size = MAX_DATA; size >= MIN_DATA && at == MAP_FAILED; size /= 2) {
		at = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED)
			*ring = (struct attach_ring){ at, size };
	}
	return at == MAP_FAILED ? -errno : 0;
}

static void attach_ring_unmap(struct attach_ring *ring)
{
	if (ring->page)
		munmap(ring->page, sysconf(_SC_PAGESIZE) + ring->size);
	ring->page = NULL;
}

static void copy(const struct attach_ring *ring, uint64_t at, void *to, size_t len)
{
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	size_t from = at & (ring->size - 1),
	       first = len < ring->size - from ? len : ring->size - from;

	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, len - first);
}

static void attach_ring_read(struct attach_ring *ring, attach_record_fn take, void *arg)
{
	/* Static because of its size: a record may have 64 KiB. The function is not reentrant. */
	static _Alignas(8) unsigned char record[65536];
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE),
		 tail = ring->page->data_tail;
	struct perf_event_header *header = (struct perf_event_header *)record;

	while (tail < head) {
		copy(ring, tail, header, sizeof(*header));
		if (header->size < sizeof(*header) || header->size > head - tail)
			break;
		copy(ring, tail, record, header->size);
		tail += header->size;
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
		take(arg, header);
	}
}

/* size in bytes of the part of the stack that the kernel copies into each sample */
#define STACK_COPY	16384
#define LOOK_MS		50

struct events {
	struct attach_watch watch;
	bool stack;
	int nr_cpus;
	struct attach_ring *rings;
	/* for each CPU: descriptor of the event that owns the ring buffer; -1: no event yet */
	int *firsts;
	int *fds;
	size_t nr_fds;
	pid_t *tids;			/* ids of the threads that have events */
	size_t nr_tids;
};

static struct perf_event_attr make_attr(const struct events *e, const struct raw_probe_event *event)
{
	const bool is_time = event->kind->by != RAW_PROBE_BY_PERF;
	struct perf_event_attr attr = {
		.type = is_time ? PERF_TYPE_SOFTWARE : event->perf.type,
		.size = sizeof(attr),
		.config = is_time ? PERF_COUNT_SW_CPU_CLOCK : event->perf.config,
		.config1 = is_time ? 0 : event->perf.config1,
		.sample_period = event->period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = 65536,
	};

	if (e->stack) {
		attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = ATTACH_ARCH_PERF_REGS;
		attr.sample_stack_user = STACK_COPY;
	}
	return attr;
}

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t rest[];
};

static void handle_sample(struct events *e, const struct sample *s)
{
	const uint64_t *rest = s->rest, *end = (const uint64_t *)((const char *)s + s->header.size);
	struct attach_regs regs;
	uint64_t size, used;

	if (!e->stack) {
		attach_watch_address(&e->watch, s->pid, s->ip, 1);
		return;
	}
	/* Layout of the record: a word with the ABI of the registers, the registers, a word with
	 * the size of the stack copy, the copy, and a word with the number of valid bytes in the
	 * copy. */
	if (end - rest < 1 + ATTACH_ARCH_NR_PERF_REGS + 1 || *rest != PERF_SAMPLE_REGS_ABI_64) {
		attach_watch_address(&e->watch, s->pid, s->ip, 1);
		return;
	}
	regs = attach_arch_from_perf(rest + 1);
	rest += 1 + ATTACH_ARCH_NR_PERF_REGS;
	size = *rest++;
	used = size && size <= (uint64_t)((const char *)end - (const char *)rest) - 8 ?
		       rest[size / 8] :
		       0;
	attach_watch_sample(&e->watch, s->pid, &regs, (const unsigned char *)rest,
			    used <= size ? used : 0, 1);
}

static void handle_record(void *arg, const struct perf_event_header *record)
{
	const struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} *lost = (const void *)record;
	const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} *comm = (const void *)record;
	const struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
	} *exit = (const void *)record;
	struct events *e = arg;

	if (record->type == PERF_RECORD_SAMPLE && record->size >= sizeof(struct sample))
		handle_sample(e, (const struct sample *)record);
	else if (record->type == PERF_RECORD_LOST && record->size >= sizeof(*lost))
		attach_watch_lost(&e->watch, lost->lost);
	else if (record->type == PERF_RECORD_COMM && record->misc & PERF_RECORD_MISC_COMM_EXEC &&
		 record->size >= sizeof(*comm))
		attach_watch_exec(&e->watch, comm->pid);
	else if (record->type == PERF_RECORD_EXIT && record->size >= sizeof(*exit) &&
		 exit->pid == exit->tid)
		attach_watch_exit(&e->watch, exit->pid);
}

static int add_fd(struct events *e, int fd)
{
	int *more = realloc(e->fds, (e->nr_fds + 1) * sizeof(*more));

	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	e->fds = more;
	e->fds[e->nr_fds++] = fd;
	return 0;
}

static int open_on(struct events *e, struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = op_perf_open(attr, tid, cpu), err;

	/* Skip a thread that has ended or a CPU that is offline. */
	if (fd == -ESRCH || fd == -ENODEV)
		return 0;
	if (fd < 0)
		return fd;
	err = add_fd(e, fd);
	if (err)
		return err;
	if (e->firsts[cpu] >= 0)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, e->firsts[cpu]) ? -errno : 0;
	err = attach_ring_map(&e->rings[cpu], fd);
	if (!err)
		e->firsts[cpu] = fd;
	return err;
}

static bool is_open(const struct events *e, pid_t tid)
{
	for (size_t i = 0; i < e->nr_tids; i++)
		if (e->tids[i] == tid)
			return true;
	return false;
}

/* Open events for all threads of the process and of its children. Repeat until no new threads are
 * found, because a thread may have been created by a thread that had no events yet. */
static int open_all(struct events *e, struct perf_event_attr *attr)
{
	bool found = true;
	int err = 0;

	while (found && !err) {
		pid_t *tids, *more;
		size_t nr;

		err = op_perf_tasks(&tids, &nr, &e->watch.attach->target.pid, 1, true, "/proc");
		if (err)
			return err;
		found = false;
		op_perf_raise_file_limit((e->nr_tids + nr) * e->nr_cpus + 64);
		more = realloc(e->tids, (e->nr_tids + nr) * sizeof(*more));
		if (more)
			e->tids = more;
		for (size_t i = 0; i < nr && more && !err; i++) {
			if (is_open(e, tids[i]))
				continue;
			found = true;
			e->tids[e->nr_tids++] = tids[i];
			for (int cpu = 0; cpu < e->nr_cpus && !err; cpu++)
				err = open_on(e, attr, tids[i], cpu);
		}
		free(tids);
		if (!more)
			return -ENOMEM;
	}
	return err;
}

static void release(struct events *e)
{
	for (int i = 0; i < e->nr_cpus; i++)
		if (e->rings)
			attach_ring_unmap(&e->rings[i]);
	for (size_t i = 0; i < e->nr_fds; i++)
		close(e->fds[i]);
	free(e->rings);
	free(e->firsts);
	free(e->fds);
	free(e->tids);
}

static int refused(struct attach *a, int err, struct op_reason *error)
{
	if (err == -EMFILE)
		return op_fail(error, err,
			       "an event for each thread on each CPU needs more open files than "
			       "the limit allows (ulimit -n)");
	if (err == -EACCES || err == -EPERM)
		return op_fail(error, err,
			       "perf_event_open() is refused: the process is another user's, "
			       "/proc/sys/kernel/perf_event_paranoid "
			       "is above 2, or seccomp forbids it, as in containers");
	return err == -ESRCH ? attach_target_refused(&a->target, err, error) :
	       op_fail(error, err, "perf_event_open(): %s", strerror(-err));
}

static int open_events(struct events *e, struct attach *a, struct op_reason *error)
{
	struct perf_event_attr attr = make_attr(e, &a->options->probe.events[0]);
	int err;

	e->nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	e->rings = calloc(e->nr_cpus, sizeof(*e->rings));
	e->firsts = malloc(e->nr_cpus * sizeof(*e->firsts));
	if (!e->rings || !e->firsts)
		return op_fail(error, -ENOMEM, "out of memory");
	memset(e->firsts, -1, e->nr_cpus * sizeof(*e->firsts));
	err = open_all(e, &attr);
	return err ? refused(a, err, error) : 0;
}

static void read_all(struct events *e)
{
	for (int i = 0; i < e->nr_cpus; i++)
		if (e->rings[i].page)
			attach_ring_read(&e->rings[i], handle_record, e);
}

static int check(const struct attach *a, struct op_reason *error)
{
	if (a->options->probe.nr_events > 1)
		return op_fail(error, -EINVAL,
			       "opattach samples only one event at a time from outside the "
			       "process");
	if (!raw_probe_by_signal(a->options->probe.events[0].kind))
		return op_fail(
			error, -EINVAL,
			"%s is counted only inside a process: start the program with opprobe",
			a->options->probe.events[0].name);
	if (a->options->probe.events[0].kind->by == RAW_PROBE_BY_WALL)
		return op_fail(error, -EINVAL, "threads that wait cannot be sampled with "
					       "perf_events");
	if (a->options->stack && !ATTACH_ARCH_MACHINE)
		return op_fail(
			error, -ENOTSUP,
			"opattach cannot walk the stacks of another process on this architecture");
	if (a->options->stack && a->target.is_foreign)
		return op_fail(error, -ENOTSUP,
			       "the program has another word size or machine type than opattach");
	return 0;
}

static int begin(struct attach *a, struct op_reason *error)
{
	struct events e = {.stack =
				   ATTACH_ARCH_MACHINE && !a->options->pc && !a->target.is_foreign};
	int err = check(a, error);

	if (!err)
		err = attach_make_dir(a, error);
	if (!err)
		err = attach_watch_begin(&e.watch, a, error);
	if (err)
		return err;
	err = open_events(&e, a, error);
	if (!err) {
		attach_has_begun(a);
		op_clean_printf(stderr,
				"opattach: process %d is sampled from outside (events); end that "
				"with Ctrl-C\n",
				(int)a->target.pid);
		while (attach_watch_wait(&e.watch, e.firsts, e.nr_cpus, LOOK_MS)) {
			read_all(&e);
			attach_watch_round(&e.watch);
		}
		read_all(&e);
		err = attach_watch_end(&e.watch, error);
	} else {
		attach_watch_forget(&e.watch);
	}
	release(&e);
	return err;
}

const struct attach_method attach_events = { .name = "events", .begin = begin };
