// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.c -- perf_events as a source of samples: decides when to drain the rings, read /proc and
 * check the CPUs.
 *
 * The daemon wakes up when a ring reaches its watermark, when the kernel announces a change of
 * CPUs or modules, and once a second by a timer. The timer limits the loss in a crash, and finds
 * new CPUs if the kernel's announcements are not available. Other parts of this source:
 * perf_plan.c (which events to open), perf_cpus.c and perf_events.c (opening), perf_order.c (time
 * order), perf_attribute.c and process.c (attribution), perf_stats.c (counters).
 */
#include "config.h"
#include "daemon/source/source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/base/shares.h"
#include "daemon/base/watchdog.h"
#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/image/process_proc.h"
#include "daemon/image/unwind_tables.h"
#include "daemon/source/perf_attribute.h"
#include "daemon/source/perf_code.h"
#include "daemon/source/perf_cpus.h"
#include "daemon/source/perf_infer.h"
#include "daemon/source/perf_latency.h"
#include "daemon/source/perf_order.h"
#include "daemon/source/perf_plan.h"
#include "daemon/source/perf_regs.h"
#include "daemon/source/perf_ring_size.h"
#include "daemon/source/perf_stacks.h"
#include "daemon/source/perf_stats.h"
#include "daemon/source/perf_waits.h"
#include "daemon/source/perf_ticks.h"
#include "daemon/source/perf_walk.h"
#include "daemon/source/uevents.h"
#include "libop/base/clock.h"
#include "libop/base/id_ranges.h"
#include "libop/perf/tasks.h"

/* maximum time in ns between the time stamp of a record and its appearance in the ring */
#define WRITE_NS		1000000
#define RESCAN_NS		1000000000ull
#define HOLD_MS			10000
#define LOOK_AT_MEMORY_MS	1000
#define BEGUN_WORDS		1024
#define HOLD_STEP_MS		20
/* minimum time between two calls of relieve() during a drain, in ns */
#define RELIEVE_NS		2000000

struct opd_source {
	struct opd_perf_plan plan;
	struct opd_perf_cpus cpus;
	struct opd_perf_stats stats;
	struct opd_sink *sink;
	struct opd_mapped_files *files;
	struct opd_processes *processes;
	struct opd_perf_attributor attributor;
	/* unwind tables of files; NULL: call paths are not recorded */
	struct opd_unwind_tables *unwind;
	/* for stack walks: reads stack memory beyond the samples' copies; NULL: call paths are not
	 * recorded */
	struct opd_perf_stacks *stacks;
	/* for stack walks: finds frames of JIT code; NULL: call paths are not recorded */
	struct opd_perf_code *code;
	/* for stack walks: infers unwind rules; NULL: call paths are not recorded */
	struct opd_perf_infer *infer;
	/* accounts of waits; NULL: no event samples waits */
	struct opd_perf_waits *waits;
	struct opd_perf_latency latency;
	/* time at which sampling stopped; 0: it runs, or has not run yet */
	uint64_t stopped_at;
	/* users' shares of the daemon's resources; they limit the work of .code and .infer */
	struct opd_shares *shares;
	/* the drain in progress may delay samples until an unwind table is available */
	bool patient;
	/* time when the current delay of samples began; 0: no samples are delayed */
	uint64_t held_ms;
	/* limit of the total size of the records that are delayed, in bytes; 0: not computed yet */
	uint64_t delay_limit;
	/* memory limit of the daemon in bytes; 0: no limit */
	uint64_t memory;
	/* time of the last read of /proc/meminfo */
	uint64_t memory_seen_ms;
	/* .begun: bitmap of the processes whose fork records are delayed; several processes may
	 * share a bit. .all_begun: the bitmap contains all of these processes. */
	uint64_t begun[BEGUN_WORDS];
	bool all_begun;

	struct opd_perf_ticks ticks;
	/* socket on which the kernel announces changes of devices (uevents); -1: not available, so
	 * the timer triggers checks of CPUs */
	int uevent_fd;
	uint64_t relieve_after;
	struct opd_watchdog watchdog;
	/* fork, exec or mmap records were lost: read all processes again */
	bool rescan_wanted;
	uint64_t rescan_after;
};

/*
 * Return true if samples may be delayed. A program that runs for the first time has no unwind table
 * yet, and may end before its table is made. So the drain stops at the program's samples until the
 * table is available, but at most for HOLD_MS, because users could create new programs all the
 * time. Do not delay samples if this would lose samples (rings fill up) or frames (memory is
 * short).
 */
static bool may_delay(void *arg)
{
	struct opd_source *s = arg;
	uint64_t now = op_now_ms();
	const size_t limit = s->memory ? s->memory / OPD_MEMORY_HELD / s->cpus.nr / 4 : SIZE_MAX;

	if (!s->patient || !opd_unwind_tables_wait(s->unwind, 0) ||
	    (s->held_ms && now - s->held_ms > HOLD_MS))
		return false;
	for (size_t i = 0; i < s->cpus.nr; i++)
		if (opd_perf_ring_is_filled(s->cpus.samples[i], 2) ||
		    opd_perf_ring_is_filled(s->cpus.notices[i], 2) ||
		    opd_perf_ring_spilled_bytes(s->cpus.samples[i]) > limit)
			return false;
	if (!s->held_ms)
		s->held_ms = now;
	return true;
}

/* Return false if the sample must wait for an unwind table. */
static bool on_sample(struct opd_source *s, struct opd_perf_cpu *c, const struct opd_perf_record *r)
{
	struct opd_perf_task exited = { c->last_exit_pid, c->last_exit_tid };
	int event = opd_perf_cpu_event(c, r->sample.id);

	if (!opd_perf_attribute_sample(&s->attributor, (uint32_t)c->cpu, event, r,
				       c->last_exit_known ? &exited : NULL))
		return false;
	if (opd_perf_latency_counts(&s->latency, c->cpu, event, r->pid))
		opd_perf_attribute_made(&s->attributor, (uint32_t)c->cpu, s->latency.event, r,
					c->last_exit_known ? &exited : NULL, 1);
	return true;
}

static bool on_sample_ring(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct opd_source *s = arg;

	switch (r->kind) {
	case OPD_PERF_SAMPLE:
		return on_sample(s, s->cpus.cpus[ring], r);
	case OPD_PERF_LOST:
		/* Ignore the number of lost samples in the record if read() returns the total
		 * number (has_lost_format). */
		if (!s->plan.setup.has_lost_format)
			s->stats.lost_ring += r->lost.nr;
		break;
	case OPD_PERF_LOST_SAMPLES:
		s->stats.lost_pmu += r->lost.nr;
		break;
	case OPD_PERF_THROTTLE:
		s->stats.throttled++;
		break;
	default:
		break;
	}
	return true;
}

static uint64_t *bit_of(struct opd_source *s, int32_t pid)
{
	return &s->begun[(uint32_t)pid / 64 % BEGUN_WORDS];
}

/* Return false if process @pid is certainly not sampled: it is not a known process, and no delayed
 * fork record creates it. */
static bool may_be_sampled(struct opd_source *s, int32_t pid)
{
	return !s->attributor.only_known || !s->all_begun ||
	       *bit_of(s, pid) >> (uint32_t)pid % 64 & 1 || opd_processes_know(s->processes, pid);
}

static void on_wait(void *arg, uint32_t cpu, int event, const struct opd_perf_record *r,
		    uint64_t nr)
{
	struct opd_source *s = arg;

	opd_perf_attribute_made(&s->attributor, cpu, event, r, NULL, nr);
}

static void on_switch_ring(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct opd_source *s = arg;
	struct opd_perf_cpu *c = s->cpus.cpus[ring];

	if (r->kind == OPD_PERF_LOST) {
		if (!s->plan.setup.has_lost_format)
			s->stats.lost_switches += r->lost.nr;
		/* The end of any wait may be lost, after the last record of this ring. */
		opd_perf_waits_until(s->waits, c->last_switch);
		opd_perf_waits_forget(s->waits);
		opd_perf_latency_forget(&s->latency);
		return;
	}
	c->last_switch = r->time;
	opd_perf_latency_apply(&s->latency, c->cpu, r);
	if (!s->attributor.only_known || opd_processes_know(s->processes, r->pid))
		opd_perf_waits_apply(s->waits, (uint32_t)c->cpu, r);
}

/* Handle the context switches up to and including time @until. */
static void drain_switches(void *arg, uint64_t until)
{
	struct opd_source *s = arg;

	if (s->waits)
		opd_perf_order_merge(s->cpus.switches, s->cpus.nr, until, on_switch_ring, s);
}

static bool is_made_memory(const char *name)
{
	return !strcmp(name, "//anon") || opd_is_memfd(name);
}

/*
 * Inform the sink of a fork, exec or mmap record before the record is applied, because the sink
 * must read data from /proc while the process lives. Called once per record. @held: samples are
 * delayed, so the record will be applied later. Otherwise an mmap record is not reported, because
 * the process's first sample follows soon enough.
 */
static void notify_sink_early(struct opd_source *s, const struct opd_perf_record *r, bool held)
{
	if ((r->kind == OPD_PERF_FORK && r->pid != r->fork.parent_pid) || r->kind == OPD_PERF_EXEC)
		s->sink->replaced(s->sink, r->pid);
	else if (held && r->kind == OPD_PERF_MMAP && is_made_memory(r->mmap.path) &&
		 may_be_sampled(s, r->pid))
		s->sink->makes_code(s->sink, r->pid);
}

static void on_notice_ring(void *arg, size_t ring, const struct opd_perf_record *r)
{
	struct opd_source *s = arg;
	struct opd_perf_cpu *c = s->cpus.cpus[ring];

	if (r->kind == OPD_PERF_LOST) {
		s->stats.lost_notices += r->lost.nr;
		return;
	}
	if (r->kind == OPD_PERF_EXIT) {
		c->last_exit_known = true;
		c->last_exit_pid = r->pid;
		c->last_exit_tid = r->tid;
	}
	/* If the ring's records were moved to memory, wants_notice() has already called
	 * notify_sink_early() for this record. */
	if (!opd_perf_ring_has_spilled(s->cpus.notices[ring]))
		notify_sink_early(s, r, false);
	if (s->waits)
		opd_perf_waits_notice(s->waits, r);
	opd_perf_attribute_notice(&s->attributor, r);
}

/* Read the known processes and their children from /proc again. The first call reads the processes
 * of --pid and their children. */
static int scan_family(struct opd_source *s)
{
	pid_t *known, *family;
	size_t nr;
	int err = opd_processes_list(s->processes, &known, &nr);

	if (err)
		return err;
	err = nr ? op_perf_tasks(&family, &nr, known, nr, false, "/proc") :
		   op_perf_tasks(&family, &nr, s->plan.named, s->plan.setup.nr_named, false,
				 "/proc");
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
	return s->plan.whole ? scan_family(s) : opd_processes_scan_all(s->processes);
}

/*
 * Fork, exec or mmap records were lost: mark the data of all processes as doubtful. Each process is
 * then read again at its next sample; reading all of /proc now would make the next loss more
 * likely. With --pid, list the processes and their children again, because new children cannot be
 * found otherwise. Do not list them after every loss, because this takes time.
 */
static void rescan_after_loss(struct opd_source *s, uint64_t now, uint64_t lost_before)
{
	if (s->stats.lost_notices != lost_before)
		s->rescan_wanted = true;
	if (!s->rescan_wanted || now < s->rescan_after)
		return;
	s->rescan_wanted = false;
	if (s->plan.whole)
		scan(s);
	else
		opd_processes_doubt(s->processes);
	s->rescan_after = now + RESCAN_NS + 10 * (opd_perf_now() - now);
}

static bool wants_notice(void *arg, const struct opd_perf_record *r)
{
	if (r->kind == OPD_PERF_FORK)
		*bit_of(arg, r->pid) |= 1ull << (uint32_t)r->pid % 64;
	notify_sink_early(arg, r, true);
	return true;
}

/* Return false if the sample's process is certainly not sampled: it is not a known process, and no
 * delayed fork record creates it. */
static bool wants_sample(void *arg, const struct opd_perf_record *r)
{
	struct opd_source *s = arg;

	return r->kind != OPD_PERF_SAMPLE || r->pid < 0 || may_be_sampled(s, r->pid);
}

/* Return the limit of the total size of all delayed records, in bytes, for all CPUs together. */
static uint64_t delay_limit(struct opd_source *s)
{
	uint64_t now = op_now_ms();

	if (s->memory)
		return s->memory / OPD_MEMORY_HELD;
	if (!s->delay_limit || now - s->memory_seen_ms > LOOK_AT_MEMORY_MS) {
		s->memory_seen_ms = now;
		s->delay_limit = opd_perf_delay_limit(opd_perf_available_bytes("/proc/meminfo"));
	}
	return s->delay_limit;
}

/* Move fork, exec, mmap and exit records from their rings to memory, up to a part of @limit bytes
 * for each CPU, and call notify_sink_early() for each record. */
static void spill_notices(struct opd_source *s, size_t limit)
{
	for (size_t i = 0; i < s->cpus.nr; i++)
		s->all_begun &= opd_perf_ring_spill(s->cpus.notices[i], limit / 4, 0, wants_notice,
						    s);
}

/* If rings are filling up, move their records to memory, up to the limit of delayed records. @held:
 * samples are delayed: then move all fork, exec, mmap and exit records in any case. */
static void spill_records(struct opd_source *s, bool held)
{
	size_t limit = (size_t)(delay_limit(s) / s->cpus.nr);
	bool filled = false;

	if (held)
		spill_notices(s, limit);

	for (size_t i = 0; i < s->cpus.nr; i++)
		filled |= opd_perf_ring_is_filled(s->cpus.samples[i], s->memory ? 2 : 4) ||
			  opd_perf_ring_is_filled(s->cpus.notices[i], 4);
	if (!filled)
		return;
	opd_perf_order_refresh(s->cpus.samples, s->cpus.notices, s->cpus.nr);
	spill_notices(s, limit);
	for (size_t i = 0; i < s->cpus.nr; i++)
		opd_perf_ring_spill(s->cpus.samples[i], limit / 4 * 3,
				    s->memory ? limit / 8 * 3 : limit / 4 * 3, wants_sample, s);
}

/* Free space in the rings by moving their records to memory. This is necessary if a drain takes
 * long, because a file system is slow or the CPU is busy. */
static void relieve(void *arg)
{
	struct opd_source *s = arg;
	uint64_t now = opd_perf_now();

	if (now < s->relieve_after)
		return;
	s->relieve_after = now + RELIEVE_NS;
	opd_watchdog_alive(&s->watchdog);
	for (size_t i = 0; i < s->cpus.nr && s->waits; i++)
		opd_perf_ring_publish(s->cpus.switches[i]);
	spill_records(s, false);
}

/* Clear the bitmap of new processes, unless the fork records of these processes are still
 * delayed. */
static void forget_begun(struct opd_source *s)
{
	for (size_t i = 0; i < s->cpus.nr; i++)
		if (opd_perf_ring_has_spilled(s->cpus.notices[i]))
			return;
	memset(s->begun, 0, sizeof(s->begun));
	s->all_begun = true;
}

/* Process the records of all rings in time order, up to and including time @limit. If a sample must
 * wait for an unwind table, delay this sample and all later records, and return false. */
static bool drain(struct opd_source *s, uint64_t limit, bool patient)
{
	static const struct opd_perf_order_ops ops = {
		.sample = on_sample_ring,
		.notice = on_notice_ring,
		.before = drain_switches,
		.relieve = relieve,
	};
	uint64_t lost_before = s->stats.lost_notices, now = opd_perf_now();
	bool all;

	s->patient = patient && s->unwind;
	for (size_t i = 0; i < s->cpus.nr && s->waits; i++)
		opd_perf_ring_refresh(s->cpus.switches[i]);
	opd_perf_order_refresh(s->cpus.samples, s->cpus.notices, s->cpus.nr);
	all = opd_perf_order_drain(s->cpus.samples, s->cpus.notices, s->cpus.nr, limit, &ops, s);
	for (size_t i = 0; i < s->cpus.nr; i++) {
		opd_perf_ring_publish(s->cpus.samples[i]);
		opd_perf_ring_publish(s->cpus.notices[i]);
		if (s->waits)
			opd_perf_ring_publish(s->cpus.switches[i]);
	}
	opd_perf_attribute_end(&s->attributor);
	/* If samples were delayed, also delay the later fork, exec and mmap records: they determine
	 * how the samples are attributed. */
	if (!all) {
		spill_records(s, true);
		return false;
	}
	s->held_ms = 0;
	forget_begun(s);
	rescan_after_loss(s, now, lost_before);
	opd_processes_reap(s->processes, limit < now ? limit : now);
	if (s->attributor.modules_changed) {
		s->attributor.modules_changed = false;
		s->sink->modules_changed(s->sink);
	}
	return true;
}

/* Open the events on a CPU that came online. */
static void add_cpu(struct opd_source *s, int cpu)
{
	if (opd_perf_cpus_add(&s->cpus, cpu, NULL) == 0)
		/* Read /proc: before its events were opened, this CPU wrote no fork, exec or mmap
		 * records. */
		scan(s);
	else
		/* Read the list of online CPUs again at the next check. */
		op_online_cpus_forget(&s->cpus.online);
}

/* Close the events of a CPU that went offline. First drain its rings, which still contain
 * samples. */
static void remove_cpu(struct opd_source *s, size_t i)
{
	drain(s, UINT64_MAX, false);
	opd_perf_cpus_remove(&s->cpus, i);
}

/* Find CPUs that, since the last call, went online or offline, or offline and online again. If
 * @all, check every CPU; otherwise check only CPUs without new samples. */
static void follow_hotplug(struct opd_source *s, bool all)
{
	bool online[OP_MAX_CPUS];

	if (op_online_cpus_changed(&s->cpus.online, online) > 0) {
		for (size_t i = s->cpus.nr; i-- > 0;) {
			int cpu = s->cpus.cpus[i]->cpu;

			if (online[cpu])
				/* the events of this CPU are already open */
				online[cpu] = false;
			else
				remove_cpu(s, i);
		}
		for (int cpu = 0; cpu < OP_MAX_CPUS; cpu++)
			if (online[cpu] && s->plan.wanted[cpu])
				add_cpu(s, cpu);
	}
	for (size_t i = s->cpus.nr; i-- > 0 && s->cpus.enabled;) {
		struct opd_perf_cpu *c = s->cpus.cpus[i];
		bool look = !c->by_task && (all || c->samples.head == c->seen_head);
		int cpu = c->cpu;

		c->seen_head = c->samples.head;
		if (!look || opd_perf_cpu_is_alive(c))
			continue;
		remove_cpu(s, i);
		add_cpu(s, cpu);
	}
}

static void perf_destroy(struct opd_source *s)
{
	if (!s)
		return;
	opd_perf_cpus_release(&s->cpus);
	opd_perf_walker_destroy(s->attributor.walker);
	opd_perf_waits_destroy(s->waits);
	opd_perf_stacks_destroy(s->stacks);
	opd_perf_code_destroy(s->code);
	opd_perf_infer_destroy(s->infer);
	opd_shares_destroy(s->shares);
	opd_processes_destroy(s->processes);
	opd_mapped_files_destroy(s->files);
	if (s->uevent_fd >= 0)
		close(s->uevent_fd);
	opd_perf_ticks_close(&s->ticks);
	opd_perf_plan_release(&s->plan);
	free(s);
}

static int open_polling(struct opd_source *s)
{
	const int err = opd_perf_ticks_open(&s->ticks, s->plan.setup.nr_pids != 0);

	if (err)
		return err;
	s->uevent_fd = opd_uevents_open();
	if (s->uevent_fd >= 0 && opd_perf_cpus_watch(&s->cpus, s->uevent_fd)) {
		close(s->uevent_fd);
		s->uevent_fd = -1;
	}
	return opd_perf_cpus_watch(&s->cpus, s->ticks.fd);
}

static int open_cpus(struct opd_source *s, struct op_reason *error)
{
	int err;

	/* Try again with smaller rings if memory is short, or if other profilers of the user have
	 * locked memory. */
	while ((err = opd_perf_cpus_open(&s->cpus, error)) == -EPERM || err == -ENOMEM) {
		if (!opd_perf_plan_shrink(&s->plan))
			break;
		opd_perf_cpus_remove_all(&s->cpus);
	}
	return err;
}

static ssize_t read_memory(void *finder, pid_t tid, uint64_t address, void *to, size_t size)
{
	return opd_finder_memory(finder, tid, address, to, size);
}

static int open_code(void *finder, const struct opd_image *image, pid_t tgid)
{
	struct opd_identity found = {.fd = -1};
	int fd = opd_finder_find(finder, &found, image->path, image->dev, image->ino, tgid);

	if (fd)
		return fd;
	fd = -ESTALE;
	if (found.fd >= 0 && image->identity.build &&
	    found.identity.build == image->identity.build)
		fd = opd_finder_open_in_memory(finder, found.fd, found.payer);
	opd_identity_release(&found);
	return fd;
}

/* Create the accounts of the events that are made from context switches. */
static int create_waits(struct opd_source *s, const struct opd_config *cfg, struct op_reason *error)
{
	int err;

	if (op_settings_wakers(&cfg->set))
		return op_fail(error, -EOPNOTSUPP,
			       "--wakers=on needs the kernel module: use --source=module, or "
			       "--wakers=off");
	opd_perf_latency_init(&s->latency, cfg);
	if (!s->plan.setup.switch_ring)
		return 0;
	err = opd_perf_waits_create(&s->waits, cfg, "/proc/kallsyms", s->plan.setup.stack, on_wait, s);
	if (err == -ENODATA || err == -EACCES || err == -EPERM)
		return op_fail(error, err,
			       "cannot sample " OP_EVENT_OFFCPU ": /proc/kallsyms, from which the "
			       "reasons of waits are found, shows no addresses to this user. Run as "
			       "root, or: sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
	return err;
}

/* Create the objects that attribute samples to processes, files and call paths. */
static int create_attribution(struct opd_source *s, const struct opd_config *cfg,
			      struct opd_images *images, struct op_reason *error)
{
	int err = opd_mapped_files_create(&s->files, images);

	if (err)
		return err;
	err = opd_processes_create(&s->processes, s->files, "/proc");
	if (err)
		return op_fail(error, err, "cannot read /proc: is it mounted?");
	opd_perf_attributor_init(&s->attributor, s->processes, s->sink);
	s->attributor.cgroups = opd_images_cgroups(images);
	s->attributor.only_known = s->plan.whole;
	if (s->plan.whole)
		opd_processes_only_family(s->processes);
	if (!s->plan.setup.stack)
		return 0;
	s->unwind = opd_images_unwind(images);
	s->attributor.may_hold = may_delay;
	s->attributor.may_hold_arg = s;
	err = opd_perf_stacks_create(&s->stacks, read_memory, opd_images_finder(images));
	if (!err)
		err = opd_perf_code_create(&s->code, read_memory, opd_images_finder(images));
	if (!err)
		err = opd_perf_infer_create(&s->infer, open_code, opd_images_finder(images));
	if (!err)
		err = opd_perf_walker_create(&s->attributor.walker, cfg->paths.depth, s->processes,
					     s->unwind, opd_images_made(images), s->stacks);
	if (!err && !(s->shares = opd_shares_create("/proc", OP_SUBUID)))
		err = -ENOMEM;
	if (err)
		return err;
	opd_perf_code_set_shares(s->code, s->shares);
	opd_perf_infer_set_shares(s->infer, s->shares);
	opd_perf_walker_set_code(s->attributor.walker, s->code);
	opd_perf_walker_set_infer(s->attributor.walker, s->infer);
	return 0;
}

static int perf_create(struct opd_source **ret, const struct opd_config *cfg,
		       struct opd_images *images, struct opd_sink *sink, struct op_reason *error)
{
	struct opd_source *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->cpus.epoll_fd = s->ticks.fd = s->uevent_fd = s->cpus.online.fd = -1;
	s->sink = sink;
	opd_watchdog_init(&s->watchdog);
	s->memory = cfg->memory;
	s->all_begun = true;
	err = opd_perf_cpus_init(&s->cpus, &s->plan, cfg->nr_events);
	if (!err)
		err = opd_perf_plan_init(&s->plan, cfg, OPD_PERF_REGS && opd_images_unwind(images),
					 error);
	if (!err)
		err = create_attribution(s, cfg, images, error);
	if (!err)
		err = create_waits(s, cfg, error);
	if (!err)
		err = open_polling(s);
	if (!err)
		err = open_cpus(s, error);
	if (err)
		goto destroy_source;
	/* Read /proc after the events were opened: the kernel already writes fork, exec and mmap
	 * records, so no change between the two steps is missed. */
	err = scan(s);
	if (err) {
		op_fail(error, err, "cannot read /proc");
		goto destroy_source;
	}
	opd_perf_plan_report_limits(&s->plan, error);
	*ret = s;
	return 0;

destroy_source:
	perf_destroy(s);
	return err;
}

static int perf_start(struct opd_source *s)
{
	if (s->cpus.enabled)
		return 0;
	opd_perf_stats_begin_run(&s->stats);
	if (s->waits)
		opd_perf_waits_forget(s->waits);
	opd_perf_latency_forget(&s->latency);
	s->stopped_at = 0;
	return opd_perf_cpus_enable(&s->cpus, true);
}

static int perf_stop(struct opd_source *s)
{
	int err;

	if (!s->cpus.enabled)
		return 0;
	s->stopped_at = opd_perf_now();
	err = opd_perf_cpus_enable(&s->cpus, false);
	opd_perf_stats_end_run(&s->stats);
	return err;
}

static size_t perf_fds(struct opd_source *s, struct pollfd *fds, size_t max)
{
	if (max)
		fds[0] = (struct pollfd){ .fd = s->cpus.epoll_fd, .events = POLLIN };
	return 1;
}

/* Read the kernel's uevents about CPUs and modules. Return true if CPUs may have gone online or
 * offline. */
static bool read_uevents(struct opd_source *s)
{
	unsigned int kinds = opd_uevents_read(s->uevent_fd);

	if (kinds & OPD_UEVENT_MODULE)
		s->attributor.modules_changed = true;
	return kinds & OPD_UEVENT_CPU;
}

static int perf_process(struct opd_source *s)
{
	struct epoll_event events[64];
	int nr = epoll_wait(s->cpus.epoll_fd, events, 64, 0);
	bool tick = false, cpus = false;

	for (int i = 0; i < nr; i++) {
		if (events[i].data.fd == s->ticks.fd)
			tick = opd_perf_ticks_read(&s->ticks);
		else if (events[i].data.fd == s->uevent_fd)
			cpus = read_uevents(s);
	}
	drain(s, opd_perf_now() - WRITE_NS, true);
	opd_perf_ticks_adapt(&s->ticks, opd_mapped_files_apart(s->files), op_now_ms());
	if (tick || cpus)
		follow_hotplug(s, cpus);
	if (tick)
		opd_perf_cpus_turn(&s->cpus, opd_perf_now());
	if (tick && s->infer)
		opd_perf_infer_turn(s->infer, opd_perf_now());
	return 0;
}

static int perf_flush(struct opd_source *s)
{
	uint64_t until;

	/* Read the numbers of lost samples. The call also waits until the kernel has completed the
	 * samples that it is writing. */
	opd_perf_cpus_read_lost(&s->cpus);
	until = opd_perf_now();
	while (!drain(s, until, true))
		opd_unwind_tables_wait(s->unwind, HOLD_STEP_MS);
	if (s->waits) {
		opd_perf_waits_until(s->waits, s->stopped_at ? s->stopped_at : until);
		opd_perf_attribute_end(&s->attributor);
	}
	/* The rings are drained up to the counts that opd_perf_cpus_read_lost() has read: update
	 * the statistics. */
	opd_perf_stats_account(&s->stats, &s->cpus, &s->attributor.counters);
	return 0;
}

static int perf_stats(struct opd_source *s, struct op_session_stats *stats)
{
	opd_perf_cpus_read_lost(&s->cpus);
	return opd_perf_stats_report(&s->stats, &s->cpus, &s->attributor.counters,
				     s->stacks ? opd_perf_stacks_counters(s->stacks) : NULL,
				     s->waits, stats);
}

static void perf_buffers(const struct opd_source *s, struct op_reason *text)
{
	opd_perf_plan_report_rings(&s->plan, text);
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
	.buffers = perf_buffers,
	.destroy = perf_destroy,
};
