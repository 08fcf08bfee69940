// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_attribute.c -- attribution of perf_events samples to processes and files. */
#include "config.h"
#include "daemon/source/perf_attribute.h"

#include <sys/sysmacros.h>

#include "daemon/image/anon.h"
#include "daemon/image/cgroups.h"
#include "daemon/image/image.h"
#include "daemon/image/made_code.h"
#include "daemon/image/mapped_file.h"
#include "daemon/image/process.h"
#include "daemon/source/perf_walk.h"
#include "module/uapi/unwind.h"

void opd_perf_attributor_init(struct opd_perf_attributor *a, struct opd_processes *processes,
			      struct opd_sink *sink)
{
	*a = (struct opd_perf_attributor){ .processes = processes, .sink = sink };
}

static void deliver(struct opd_perf_attributor *a)
{
	if (a->nr)
		a->sink->samples(a->sink, &a->ctx, a->samples, a->nr);
	a->nr = 0;
}

void opd_perf_attribute_end(struct opd_perf_attributor *a)
{
	deliver(a);
	a->running = false;
}

static void add(struct opd_perf_attributor *a, uint64_t offset, uint32_t event, uint32_t nr)
{
	struct opd_sample *last = a->nr ? &a->samples[a->nr - 1] : NULL;

	/* Merge successive samples that are equal. They are frequent: all samples that are due
	 * while interrupts are disabled hit the address at which interrupts are enabled again. */
	if (last && last->offset == offset && last->event == event &&
	    last->count <= UINT32_MAX - nr) {
		last->count += nr;
		return;
	}
	if (a->nr == OPD_PERF_RUN)
		deliver(a);
	a->samples[a->nr++] = (struct opd_sample){ .offset = offset, .event = event, .count = nr };
}

/* Add a sample to the run. A sample with a call path is a run of its own. */
static void add_sample(struct opd_perf_attributor *a, const struct opd_path *path, uint64_t offset,
		       int event, uint32_t nr)
{
	add(a, offset, (uint32_t)event, nr);
	if (!path)
		return;
	a->ctx.path = path;
	deliver(a);
}

static const struct opd_image *app_of(const struct opd_process *p)
{
	return p && p->app ? opd_mapped_file_image(p->app, p->tgid) : NULL;
}

/* Start a run of samples that are in the kernel or in a virtual machine, for which the task's
 * mappings are not needed. */
static void start_run(struct opd_perf_attributor *a, enum opd_domain domain, uint32_t cpu,
		      const struct opd_perf_record *r, const struct opd_perf_task *task)
{
	struct opd_process *p = opd_processes_find(a->processes, r->time, task->pid);

	a->ctx = (struct opd_context){
		.domain = domain,
		.cpu = cpu,
		.tid = task->tid > 0 ? task->tid : 0,
		.tgid = task->pid > 0 ? task->pid : 0,
		.app = app_of(p),
	};
	a->process = p;
	a->start = 0;
	a->end = UINT64_MAX;
	a->delta = 0;
	a->running = true;
}

/* Start a run of samples in user code. Return false if the sample cannot be attributed and was
 * counted as lost. */
static bool start_user_run(struct opd_perf_attributor *a, uint32_t cpu,
			   const struct opd_perf_record *r, const struct opd_perf_task *task,
			   uint32_t nr)
{
	struct opd_process *p = opd_processes_find(a->processes, r->time, task->pid);
	const struct opd_map *map;

	if (!p) {
		a->counters.lost_process += nr;
		return false;
	}
	map = opd_process_map(a->processes, p, r->time, r->sample.ip);
	if (!map) {
		if (p->hidden)
			a->counters.lost_hidden += nr;
		else if (p->unread)
			a->counters.lost_unread += nr;
		else
			a->counters.lost_mapping += nr;
		return false;
	}
	a->ctx = (struct opd_context){
		.cpu = cpu,
		.tid = task->tid,
		.tgid = task->pid,
		.app = app_of(p),
	};
	if (map->file) {
		a->ctx.domain = OPD_USER_FILE;
		a->ctx.image = opd_mapped_file_image(map->file, p->tgid);
		if (!a->ctx.image) {
			a->sink->lost(a->sink, "lost_image_table", nr);
			return false;
		}
		a->delta = map->start - map->pgoff;
	}
	if (!map->file || opd_is_made_code(p, a->ctx.image, a->ctx.app)) {
		a->ctx.domain = OPD_USER_ANON;
		a->ctx.image = NULL;
		a->ctx.anon = (struct opd_anon){
			.start = map->start,
			.end = map->end,
			.label = map->file ? opd_anon_label(NULL) : map->label,
		};
		a->delta = 0;
	}
	a->process = p;
	a->start = map->start;
	a->end = map->end;
	a->running = true;
	return true;
}

/* Set *@path to the call path of the sample @r of process @pid. Return false if the sample may
 * wait (@can_wait), and should wait for an unwind table that the path needs. */
static bool walk(struct opd_perf_attributor *a, const struct opd_perf_record *r, int32_t pid,
		 bool can_wait, const struct opd_path **path)
{
	struct opd_process *process;

	if (!a->walker)
		return true;
	process = opd_processes_find(a->processes, r->time, pid);
	*path = opd_perf_walk(a->walker, r, process, true);
	if ((*path)->end != OPROFILE_UW_NO_TABLE)
		return true;
	if (can_wait && a->may_hold && a->may_hold(a->may_hold_arg))
		return false;
	*path = opd_perf_walk(a->walker, r, process, false);
	return true;
}

/* Attribute @nr equal samples. For the other arguments, see opd_perf_attribute_sample(). */
static bool attribute(struct opd_perf_attributor *a, uint32_t cpu, int event,
		      const struct opd_perf_record *r, const struct opd_perf_task *exited,
		      uint32_t nr, bool can_wait)
{
	/* The daemon cannot attribute addresses inside a virtual machine, so use 0
	 * (daemon/base/record.h). */
	uint64_t ip = r->mode == OPD_PERF_MODE_GUEST ? 0 : r->sample.ip;
	struct opd_perf_task task = { r->pid, r->tid };
	const struct opd_path *path = NULL;

	if (task.pid < 0 && exited)
		task = *exited;
	if (a->only_known && !opd_processes_know(a->processes, task.pid))
		return true;
	if (event >= 0 && !walk(a, r, task.pid, can_wait, &path))
		return false;
	a->counters.received += nr;
	if (event < 0) {
		a->counters.lost_event += nr;
		return true;
	}
	a->counters.received_of[event] += nr;
	if (a->running && r->pid == a->pid && r->tid == a->tid && r->mode == a->mode &&
	    r->sample.cgroup == a->cgroup && cpu == a->ctx.cpu && ip >= a->start && ip < a->end) {
		add_sample(a, path, ip - a->delta, event, nr);
		return true;
	}

	opd_perf_attribute_end(a);
	switch (r->mode) {
	case OPD_PERF_MODE_KERNEL:
		start_run(a, OPD_KERNEL, cpu, r, &task);
		break;
	case OPD_PERF_MODE_GUEST:
		start_run(a, OPD_GUEST, cpu, r, &task);
		break;
	case OPD_PERF_MODE_USER:
		if (!start_user_run(a, cpu, r, &task, nr))
			return true;
		break;
	default:
		a->counters.lost_mode += nr;
		return true;
	}
	/* Store the ids of the record @r, not of @task: then two successive records with ids -1
	 * belong to the same run. */
	a->mode = r->mode;
	a->cgroup = r->sample.cgroup;
	a->ctx.unit = opd_cgroups_unit(a->cgroups, r->sample.cgroup);
	a->pid = r->pid;
	a->tid = r->tid;
	add_sample(a, path, ip - a->delta, event, nr);
	return true;
}

bool opd_perf_attribute_sample(struct opd_perf_attributor *a, uint32_t cpu, int event,
			       const struct opd_perf_record *r,
			       const struct opd_perf_task *exited)
{
	return attribute(a, cpu, event, r, exited, 1, true);
}

void opd_perf_attribute_made(struct opd_perf_attributor *a, uint32_t cpu, int event,
			     const struct opd_perf_record *r,
			     const struct opd_perf_task *exited, uint64_t nr)
{
	while (nr) {
		uint32_t part = nr < UINT32_MAX ? (uint32_t)nr : UINT32_MAX;

		attribute(a, cpu, event, r, exited, part, false);
		nr -= part;
	}
}

void opd_perf_attribute_notice(struct opd_perf_attributor *a, const struct opd_perf_record *r)
{
	struct opd_mapping m;

	switch (r->kind) {
	case OPD_PERF_CGROUP:
		opd_cgroups_name(a->cgroups, r->cgroup.id, r->cgroup.path);
		return;
	case OPD_PERF_KERNEL_CODE:
		a->modules_changed = true;
		return;
	case OPD_PERF_FORK:
		opd_perf_attribute_end(a);
		opd_processes_fork(a->processes, r->time, r->pid, r->fork.parent_pid);
		if (a->walker)
			opd_perf_walker_forked(a->walker, r->time, r->pid, r->fork.parent_pid);
		a->sink->started(a->sink, r->pid, r->tid, r->fork.parent_pid, r->fork.parent_tid);
		break;
	case OPD_PERF_EXEC:
		opd_perf_attribute_end(a);
		opd_processes_exec(a->processes, r->time, r->pid);
		if (a->walker)
			opd_perf_walker_execed(a->walker, r->pid);
		a->sink->execed(a->sink, r->pid);
		a->sink->named(a->sink, r->pid, r->tid, r->name.text, 0);
		break;
	case OPD_PERF_NAME:
		a->sink->named(a->sink, r->pid, r->tid, r->name.text, 0);
		break;
	case OPD_PERF_EXIT:
		opd_perf_attribute_end(a);
		opd_processes_exit(a->processes, r->time, r->pid);
		break;
	case OPD_PERF_MMAP:
		opd_perf_attribute_end(a);
		m = (struct opd_mapping){
			.start = r->mmap.start,
			.len = r->mmap.len,
			.pgoff = r->mmap.pgoff,
			.dev = r->mmap.ino ? makedev(r->mmap.major, r->mmap.minor) : 0,
			.ino = r->mmap.ino,
			.generation = r->mmap.generation,
			.name = r->mmap.path,
		};
		opd_processes_mmap(a->processes, r->time, r->pid, &m);
		break;
	default:
		break;
	}
}
