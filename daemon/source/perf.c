// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.c -- samples from perf_events: what is open on which CPU, and when it is drained.
 *
 * The rings wake us by watermark, the kernel when CPUs or modules come or go, and a timer once a
 * second, which bounds how much a crash can lose and finds CPUs that nobody told of. Everything else
 * is in perf_events.c (opening), perf_order.c (order), perf_attribute.c and process.c (meaning).
 */
#include "config.h"
#include "daemon/source/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/cpu_list.h"
#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/source/perf_attribute.h"
#include "daemon/source/perf_events.h"
#include "daemon/source/perf_order.h"
#include "daemon/source/perf_pmus.h"
#include "daemon/source/perf_regs.h"
#include "daemon/source/perf_targets.h"
#include "daemon/source/perf_walk.h"
#include "libop/event/spec.h"
#include "daemon/image/process.h"
#include "daemon/image/process_proc.h"
#include "daemon/source/uevents.h"
#include "libop/session/stats.h"

#define SAMPLE_SIZE		32		/* bytes in the ring, with one event */
#define MIN_SAMPLE_RING		(64u << 10)
#define MAX_SAMPLE_RING		(64u << 20)
#define SAMPLE_RING		(512u << 10)	/* 16 s at 1 kHz */
#define STACK_EXTRA		1280		/* registers and the kernel's part of a path */
#define STACK_RING		(8u << 20)	/* 0.5 s at 1 kHz */
#define NOTICE_RING		(512u << 10)
/* Without CAP_IPC_LOCK, both have to fit into kernel.perf_event_mlock_kb: 516 a CPU. */
#define USER_SAMPLE_RING	(256u << 10)
#define USER_NOTICE_RING	(128u << 10)

#define TICK_MS			1000
/* A few processes: what they run is looked at sooner, for it may be deleted as soon as it has run. */
#define TICKS_OF_FEW		10		/* in that time */
/* A record is written well within this time after its time was taken. */
#define WRITE_NS		1000000
#define RESCAN_NS		1000000000ull

struct opd_source {
	struct opd_perf_setup setup;
	pid_t *targets;				/* setup.pids */
	/*
	 * Where we may, a few processes are sampled by events of whole CPUs too, and the samples of others passed
	 * over: an event of a task begins anew with each task, so that of short-lived ones hardly a sample is taken.
	 */
	bool whole;
	struct opd_perf_setup wide;		/* of these events */
	bool quiet[OPD_MAX_CPUS];		/* not there: isolated, nohz_full */
	const pid_t *named;			/* of the configuration */
	size_t nr_named;
	struct opd_perf_pmus pmus;
	struct opd_perf_times *times;		/* of each event */
	struct opd_sink *sink;
	struct opd_mapped_files *files;
	struct opd_processes *processes;
	struct opd_perf_attributor attributor;

	struct opd_perf_cpu **cpus;		/* those open, in no order */
	struct opd_perf_ring **samples, **notices;	/* of the same CPU at the same index */
	size_t nr_cpus, max_cpus;
	struct opd_online_cpus online;
	bool wanted[OPD_MAX_CPUS];		/* others are left alone */
	int epoll_fd, timer_fd;
	uint64_t ticks;
	int uevent_fd;				/* -1: nobody tells, the timer has to do */
	bool running;

	uint64_t lost_ring, lost_pmu, lost_notices, throttled, bad;
	bool rescan_wanted;			/* notices were lost */
	uint64_t rescan_after;
	uint64_t idle_start, idle_ns;		/* idle_start: of the current run */
};

/* Idle time of the machine since boot, in ns; 0 when it does not say. */
static uint64_t read_idle(void)
{
	unsigned long long idle = 0, iowait = 0;
	FILE *f = fopen("/proc/stat", "re");
	long hz = sysconf(_SC_CLK_TCK);

	if (!f || hz <= 0 || fscanf(f, "cpu %*u %*u %*u %llu %llu", &idle, &iowait) != 2)
		idle = iowait = 0;
	if (f)
		fclose(f);
	return hz > 0 ? (idle + iowait) * (1000000000ull / (uint64_t)hz) : 0;
}

static uint64_t idle_since_start(const struct opd_source *s)
{
	uint64_t now = read_idle();

	/* The machine's idle time says nothing about a few processes. */
	return s->setup.nr_pids || now < s->idle_start ? 0 : now - s->idle_start;
}

/* CPUs. */

static int watch(struct opd_source *s, int fd)
{
	/* By edge: a process that is gone says so for ever. */
	struct epoll_event e = { .events = EPOLLIN | EPOLLET, .data.fd = fd };

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static int add_cpu(struct opd_source *s, int cpu, struct op_reason *why)
{
	struct opd_perf_cpu *c;
	int err;

	if (s->nr_cpus == s->max_cpus)
		return -E2BIG;
	err = opd_perf_cpu_open(&c, s->whole && !s->quiet[cpu] ? &s->wide : &s->setup, cpu, why);
	if (err)
		return err;
	err = watch(s, c->fds[0]);
	if (!err)
		err = watch(s, c->notice_fds[0]);
	if (!err && s->running)
		err = opd_perf_cpu_enable(c, true);
	if (err) {
		op_fail(why, err, "cannot watch a perf buffer");
		opd_perf_cpu_close(c);
		return err;
	}
	s->cpus[s->nr_cpus] = c;
	s->samples[s->nr_cpus] = &c->samples;
	s->notices[s->nr_cpus] = &c->notices;
	s->nr_cpus++;
	return 0;
}

/* Its rings have been drained. */
static void remove_cpu(struct opd_source *s, size_t i)
{
	struct opd_perf_cpu *c = s->cpus[i];

	s->lost_ring += opd_perf_cpu_read(c, &s->setup, s->times);
	s->bad += c->samples.bad + c->notices.bad;
	opd_perf_cpu_close(c);
	s->nr_cpus--;
	s->cpus[i] = s->cpus[s->nr_cpus];
	s->samples[i] = s->samples[s->nr_cpus];
	s->notices[i] = s->notices[s->nr_cpus];
}

/* Draining. */

static void on_sample_ring(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct opd_source *s = arg;
	struct opd_perf_cpu *c = s->cpus[ring];
	struct opd_perf_task exited = { c->last_exit_pid, c->last_exit_tid };

	switch (r->kind) {
	case OPD_PERF_SAMPLE:
		opd_perf_attribute_sample(&s->attributor, (uint32_t)c->cpu,
					  opd_perf_cpu_event(c, r->sample.id), r,
					  c->last_exit_known ? &exited : NULL);
		break;
	case OPD_PERF_LOST:
		/* Else the kernel tells the total, when asked, at any time. */
		if (!s->setup.has_lost_format)
			s->lost_ring += r->lost.nr;
		break;
	case OPD_PERF_LOST_SAMPLES:
		s->lost_pmu += r->lost.nr;
		break;
	case OPD_PERF_THROTTLE:
		s->throttled++;
		break;
	default:
		break;
	}
}

static void on_notice_ring(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct opd_source *s = arg;
	struct opd_perf_cpu *c = s->cpus[ring];

	if (r->kind == OPD_PERF_LOST) {
		s->lost_notices += r->lost.nr;
		return;
	}
	if (r->kind == OPD_PERF_EXIT) {
		c->last_exit_known = true;
		c->last_exit_pid = r->pid;
		c->last_exit_tid = r->tid;
	}
	opd_perf_attribute_notice(&s->attributor, r);
}

/* Those that are known, and at first those that are named, with what they have started. */
static int scan_family(struct opd_source *s)
{
	pid_t *known, *family;
	size_t nr;
	int err = opd_processes_list(s->processes, &known, &nr);

	if (err)
		return err;
	err = nr ? opd_perf_targets(&family, &nr, known, nr, false, "/proc") :
		   opd_perf_targets(&family, &nr, s->named, s->nr_named, false, "/proc");
	free(known);
	if (err)
		return err;
	for (size_t i = 0; i < nr; i++)
		opd_processes_scan(s->processes, family[i], opd_perf_now());
	free(family);
	return 0;
}

static int scan(struct opd_source *s)
{
	return s->whole ? scan_family(s) : opd_processes_scan_all(s->processes);
}

/*
 * Not at once after every loss: reading /proc makes the next loss more likely, and somebody with
 * many mappings must not keep us busy with it.
 */
static void rescan_after_loss(struct opd_source *s, uint64_t now, uint64_t lost_before)
{
	if (s->lost_notices != lost_before)
		s->rescan_wanted = true;
	if (!s->rescan_wanted || now < s->rescan_after)
		return;
	s->rescan_wanted = false;
	scan(s);
	s->rescan_after = now + RESCAN_NS + 10 * (opd_perf_now() - now);
}

static void drain(struct opd_source *s, uint64_t limit)
{
	static const struct opd_perf_order_ops ops = {
		.sample = on_sample_ring,
		.notice = on_notice_ring,
	};
	uint64_t lost_before = s->lost_notices, now = opd_perf_now();

	opd_perf_order_refresh(s->samples, s->notices, s->nr_cpus);
	opd_perf_order_drain(s->samples, s->notices, s->nr_cpus, limit, &ops, s);
	for (size_t i = 0; i < s->nr_cpus; i++) {
		opd_perf_ring_publish(s->samples[i]);
		opd_perf_ring_publish(s->notices[i]);
	}
	opd_perf_attribute_end(&s->attributor);
	rescan_after_loss(s, now, lost_before);
	opd_processes_reap(s->processes, limit < now ? limit : now);
	if (s->attributor.modules_changed) {
		s->attributor.modules_changed = false;
		s->sink->modules_changed(s->sink);
	}
}

/* A CPU is there for the first time, or again. */
static void meet_cpu(struct opd_source *s, int cpu)
{
	if (add_cpu(s, cpu, NULL) == 0)
		/* What happened on it before we watched was not told. */
		scan(s);
	else
		opd_online_cpus_forget(&s->online);	/* the next second, perhaps */
}

/* What was sampled on a CPU that went is all there still. */
static void part_with_cpu(struct opd_source *s, size_t i)
{
	drain(s, UINT64_MAX);
	remove_cpu(s, i);
}

/* CPUs that came or went, or both since the last time. @all: not only CPUs without new samples. */
static void follow_hotplug(struct opd_source *s, bool all)
{
	bool online[OPD_MAX_CPUS];

	if (opd_online_cpus_changed(&s->online, online) > 0) {
		for (size_t i = s->nr_cpus; i-- > 0;) {
			int cpu = s->cpus[i]->cpu;

			if (online[cpu])
				online[cpu] = false;	/* open already */
			else
				part_with_cpu(s, i);
		}
		for (int cpu = 0; cpu < OPD_MAX_CPUS; cpu++)
			if (online[cpu] && s->wanted[cpu])
				meet_cpu(s, cpu);
	}
	for (size_t i = s->nr_cpus; i-- > 0 && s->running;) {
		struct opd_perf_cpu *c = s->cpus[i];
		bool look = !c->by_task && (all || c->samples.head == c->seen_head);
		int cpu = c->cpu;

		c->seen_head = c->samples.head;
		if (!look || opd_perf_cpu_is_alive(c))
			continue;
		part_with_cpu(s, i);
		meet_cpu(s, cpu);
	}
}

static void perf_destroy(struct opd_source *s)
{
	if (!s)
		return;
	while (s->nr_cpus)
		remove_cpu(s, s->nr_cpus - 1);
	opd_perf_walker_destroy(s->attributor.walker);
	opd_processes_destroy(s->processes);
	opd_mapped_files_destroy(s->files);
	opd_online_cpus_close(&s->online);
	if (s->uevent_fd >= 0)
		close(s->uevent_fd);
	if (s->timer_fd >= 0)
		close(s->timer_fd);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	free(s->targets);
	free(s->times);
	free(s->cpus);
	free(s->samples);
	free(s->notices);
	free(s);
}

static size_t ring_size(const struct opd_config *cfg)
{
	size_t size = MIN_SAMPLE_RING;

	size_t sample = SAMPLE_SIZE + (cfg->paths.depth ? cfg->paths.stack + STACK_EXTRA : 0);

	if (!cfg->set.cpu_buffer_size && geteuid())
		return USER_SAMPLE_RING;
	if (!cfg->set.cpu_buffer_size)
		return cfg->paths.depth ? STACK_RING : SAMPLE_RING;
	while (size < MAX_SAMPLE_RING && size / sample < cfg->set.cpu_buffer_size)
		size *= 2;
	return size;
}

static int open_polling(struct opd_source *s)
{
	const long ms = TICK_MS / (s->setup.nr_pids ? TICKS_OF_FEW : 1);
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	const struct itimerspec tick = { .it_value = time, .it_interval = time };

	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->epoll_fd < 0 || s->timer_fd < 0 || timerfd_settime(s->timer_fd, 0, &tick, NULL))
		return -errno;
	s->uevent_fd = opd_uevents_open();
	if (s->uevent_fd >= 0 && watch(s, s->uevent_fd)) {
		close(s->uevent_fd);
		s->uevent_fd = -1;
	}
	return watch(s, s->timer_fd);
}

static int open_cpus(struct opd_source *s, struct op_reason *why)
{
	bool online[OPD_MAX_CPUS];
	int err;

	opd_online_cpus_close(&s->online);
	err = opd_online_cpus_open(&s->online);
	if (!err)
		err = opd_online_cpus_changed(&s->online, online);
	if (err < 0)
		return op_fail(why, err, "cannot read /sys/devices/system/cpu/online: is /sys mounted?");
	for (int cpu = 0; cpu < OPD_MAX_CPUS; cpu++) {
		if (!online[cpu] || !s->wanted[cpu])
			continue;
		err = add_cpu(s, cpu, why);
		if (err && err != -ENODEV)	/* it went offline just now */
			return err;
	}
	if (s->nr_cpus)
		return 0;
	return op_fail(why, -ENODEV, "none of the CPUs that --cpus asks for is online");
}

/* Events of single processes disturb nobody but these. */
static int find_wanted(struct opd_source *s, const struct opd_config *cfg)
{
	const char *list = cfg->set.cpus ? cfg->set.cpus : cfg->nr_pids ? "all" : "auto";

	return opd_cpus_wanted(s->wanted, list, OPD_CPU_SYSFS);
}

/* The tasks to sample: nothing to do for the whole machine. */
static int find_targets(struct opd_source *s, const struct opd_config *cfg)
{
	int err;

	if (!cfg->nr_pids)
		return 0;
	err = opd_perf_targets(&s->targets, &s->setup.nr_pids, cfg->pids, cfg->nr_pids, true, "/proc");
	s->setup.pids = s->targets;
	s->setup.nr_named = s->nr_named = cfg->nr_pids;
	s->named = cfg->pids;
	return err;
}

/* CPUs that are to be left alone have events of the tasks alone, unless they were asked for. */
static void try_whole_cpus(struct opd_source *s, const struct opd_config *cfg)
{
	struct op_reason unheard = { "" };

	s->wide = s->setup;
	s->wide.pids = NULL;
	s->wide.nr_pids = s->wide.nr_named = 0;
	if (s->setup.exclude_kernel || opd_perf_setup_probe(&s->wide, &unheard))
		return;
	s->whole = true;
	if (cfg->set.cpus || opd_cpus_wanted(s->quiet, "auto", OPD_CPU_SYSFS))
		return;
	for (int cpu = 0; cpu < OPD_MAX_CPUS; cpu++)
		s->quiet[cpu] = !s->quiet[cpu];
}

/* What is not seen here, and why: the text of @why, empty when there is nothing. */
static void tell_limits(const struct opd_source *s, struct op_reason *why)
{
	bool user = s->setup.exclude_kernel, tasks = s->setup.nr_pids && !s->whole;

	if (!user && !tasks)
		op_fail(why, 0, "%s", s->pmus.note);
	else
		op_fail(why, 0, "%s%s%s", user ? "user code only: kernel.perf_event_paranoid does not let users see the "
			"kernel's (as root, or with paranoid 1, there would be more)" : "", user && tasks ? "; " : "",
			tasks ? "little of programs that run for less than the time between two samples (as root, or "
			"with paranoid 0: all)" : "");
}

static int perf_create(struct opd_source **ret, const struct opd_config *cfg,
		       struct opd_images *images, struct opd_sink *sink, struct op_reason *why)
{
	struct opd_source *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		return err;
	s->epoll_fd = s->timer_fd = s->uevent_fd = s->online.fd = -1;
	s->sink = sink;
	s->setup = (struct opd_perf_setup){
		.events = cfg->events,
		.nr_events = cfg->nr_events,
		.pmus = &s->pmus,
		.sample_ring = ring_size(cfg),
		.notice_ring = geteuid() == 0 ? NOTICE_RING : USER_NOTICE_RING,
		.stack = OPD_PERF_REGS && opd_images_unwind(images) ? cfg->paths.stack : 0,
	};
	s->max_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	s->cpus = calloc(s->max_cpus, sizeof(*s->cpus));
	s->samples = calloc(s->max_cpus, sizeof(*s->samples));
	s->notices = calloc(s->max_cpus, sizeof(*s->notices));
	s->times = calloc(cfg->nr_events, sizeof(*s->times));
	if (!s->cpus || !s->samples || !s->notices || !s->times)
		goto destroy_source;

	err = opd_perf_pmus_init(&s->pmus, cfg, "/sys", why);
	if (err)
		goto destroy_source;
	err = find_targets(s, cfg);
	if (err) {
		op_fail(why, err, "cannot read /proc: is it mounted?");
		goto destroy_source;
	}
	err = find_wanted(s, cfg);
	if (err)
		goto destroy_source;
	err = opd_perf_setup_probe(&s->setup, why);
	if (err)
		goto destroy_source;
	if (s->setup.nr_pids)
		try_whole_cpus(s, cfg);
	err = opd_mapped_files_create(&s->files, images);
	if (err)
		goto destroy_source;
	err = opd_processes_create(&s->processes, s->files, "/proc");
	if (err) {
		op_fail(why, err, "cannot read /proc: is it mounted?");
		goto destroy_source;
	}
	opd_perf_attributor_init(&s->attributor, s->processes, sink);
	s->attributor.only_known = s->whole;
	if (s->setup.stack) {
		err = opd_perf_walker_create(&s->attributor.walker, cfg->paths.depth, s->processes,
					     opd_images_unwind(images));
		if (err)
			goto destroy_source;
	}
	if (s->whole)
		opd_processes_only_family(s->processes);
	err = open_polling(s);
	if (err)
		goto destroy_source;
	err = open_cpus(s, why);
	if (err == -EPERM && !cfg->set.cpu_buffer_size) {
		/* Locked memory is limited (root without CAP_IPC_LOCK): what users get, then. */
		while (s->nr_cpus)
			remove_cpu(s, s->nr_cpus - 1);
		s->setup.sample_ring = s->wide.sample_ring = USER_SAMPLE_RING;
		s->setup.notice_ring = s->wide.notice_ring = USER_NOTICE_RING;
		err = open_cpus(s, why);
	}
	if (err)
		goto destroy_source;
	/* Notices flow already, so nothing falls between what /proc says and what they say. */
	err = scan(s);
	if (err) {
		op_fail(why, err, "cannot read /proc");
		goto destroy_source;
	}
	tell_limits(s, why);
	*ret = s;
	return 0;

destroy_source:
	perf_destroy(s);
	return err;
}

static int enable_all(struct opd_source *s, bool on)
{
	int err = 0;

	for (size_t i = 0; i < s->nr_cpus; i++) {
		int e = opd_perf_cpu_enable(s->cpus[i], on);

		if (e && !err)
			err = e;
	}
	return err;
}

static int perf_start(struct opd_source *s)
{
	int err;

	if (s->running)
		return 0;
	s->idle_start = read_idle();
	err = enable_all(s, true);
	if (err) {
		enable_all(s, false);
		return err;
	}
	s->running = true;
	return 0;
}

static int perf_stop(struct opd_source *s)
{
	int err;

	if (!s->running)
		return 0;
	err = enable_all(s, false);
	s->running = false;
	s->idle_ns += idle_since_start(s);
	return err;
}

static size_t perf_fds(struct opd_source *s, struct pollfd *fds, size_t max)
{
	if (max)
		fds[0] = (struct pollfd){ .fd = s->epoll_fd, .events = POLLIN };
	return 1;
}

/* True: look at the CPUs. */
static bool take_uevents(struct opd_source *s)
{
	unsigned int kinds = opd_uevents_read(s->uevent_fd);

	if (kinds & OPD_UEVENT_MODULE)
		s->attributor.modules_changed = true;
	return kinds & OPD_UEVENT_CPU;
}

static int perf_process(struct opd_source *s)
{
	struct epoll_event events[64];
	int nr = epoll_wait(s->epoll_fd, events, 64, 0);
	uint64_t per_look = s->setup.nr_pids ? TICKS_OF_FEW : 1;
	bool tick = false, cpus = false;

	for (int i = 0; i < nr; i++) {
		uint64_t expirations;

		if (events[i].data.fd == s->timer_fd)
			tick = read(s->timer_fd, &expirations, sizeof(expirations)) > 0 && ++s->ticks % per_look == 0;
		else if (events[i].data.fd == s->uevent_fd)
			cpus = take_uevents(s);
	}
	drain(s, opd_perf_now() - WRITE_NS);
	if (tick || cpus)
		follow_hotplug(s, cpus);
	return 0;
}

static void update_lost(struct opd_source *s)
{
	for (size_t i = 0; i < s->nr_cpus; i++)
		s->lost_ring += opd_perf_cpu_read(s->cpus[i], &s->setup, s->times);
}

static int perf_flush(struct opd_source *s)
{
	update_lost(s);		/* waits for samples that are being written, too */
	drain(s, opd_perf_now());
	return 0;
}

/* A timer always runs; counters may be fewer than events. */
static int add_event_times(struct opd_source *s, struct op_session_stats *stats)
{
	char name[OP_EVENT_TIME_NAME];
	int err = 0;

	for (size_t i = 0; i < s->setup.nr_events; i++) {
		const struct op_event_spec *e = &s->setup.events[i];
		const uint64_t ns[] = { s->times[i].enabled, s->times[i].running };

		if (!strcmp(e->name, OP_EVENT_TIMER))
			continue;
		for (int which = 0; which < 2 && !err; which++) {
			if (op_event_time_name(name, sizeof(name), which, e->name, e->count, e->um))
				break;
			err = op_session_stats_add(stats, name, ns[which]);
		}
	}
	return err;
}

static int perf_stats(struct opd_source *s, struct op_session_stats *stats)
{
	const struct opd_perf_counters *c = &s->attributor.counters;
	uint64_t bad = s->bad, idle = s->idle_ns;
	int err = 0;

	update_lost(s);
	for (size_t i = 0; i < s->nr_cpus; i++)
		bad += s->samples[i]->bad + s->notices[i]->bad;
	if (s->running)
		idle += idle_since_start(s);

	const struct {
		const char *name;
		uint64_t value;
	} values[] = {
		{ "perf_taken", c->received + s->lost_ring + s->lost_pmu },
		{ "perf_lost_ring", s->lost_ring },
		{ "perf_lost_pmu", s->lost_pmu },
		{ "perf_lost_mode", c->lost_mode },
		{ "perf_lost_process", c->lost_process },
		{ "perf_lost_hidden", c->lost_hidden },
		{ "perf_lost_mapping", c->lost_mapping },
		{ "perf_lost_event", c->lost_event },
		{ "perf_throttled", s->throttled },
		{ "perf_lost_notices", s->lost_notices },
		{ "perf_bad_records", bad },
		{ "idle_ns", idle },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && !err; i++)
		err = op_session_stats_add(stats, values[i].name, values[i].value);
	return err ? err : add_event_times(s, stats);
}

const struct opd_source_ops opd_source_perf = {
	.name = "perf",
	.create = perf_create,
	.start = perf_start,
	.stop = perf_stop,
	.fds = perf_fds,
	.process = perf_process,
	.flush = perf_flush,
	.stats = perf_stats,
	.destroy = perf_destroy,
};
