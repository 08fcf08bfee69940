// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofilefs_setup.c -- writing the settings to the kernel module before its buffer is opened,
 * with messages about rejected settings.
 */
#include "config.h"
#include "daemon/source/oprofilefs_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/source/events.h"
#include "daemon/source/ext.h"
#include "daemon/source/oprofilefs_file.h"
#include "daemon/source/wait_reasons.h"
#include "libop/base/owner.h"
#include "libop/base/reason.h"
#include "libop/event/choose.h"
#include "libop/event/spec.h"
#include "libop/perf/counters.h"
#include "module/uapi/offcpu.h"

#define ANY_COUNTER	255

static const char *open_error_text(int err)
{
	switch (err) {
	case -EBUSY:
		return "another daemon uses the kernel module: end that daemon with opcontrol "
		       "--shutdown";
	case -EPERM:
	case -EACCES:
		if (op_reads_all_users())
			return "the kernel is locked down against reading its secrets "
			       "(/sys/kernel/security/lockdown: confidentiality), or a security "
			       "module "
			       "forbids it";
		return "only root may use the kernel module: run as root, or use --source=perf";
	case -EINVAL:
		return "the kernel module refused its settings (is buffer_watershed smaller than "
		       "buffer_size?)";
	case -ENOMEM:
		return "the kernel has no memory for the sample buffers (use a smaller "
		       "--buffer-size or --cpu-buffer-size)";
	default:
		return "the kernel module's buffer cannot be opened";
	}
}

/* Write the sizes of the module's buffers, which take effect when its file `buffer` is opened, and
 * the timer's period, which takes effect when its file `enable` is written. */
static int write_settings(struct opd_oprofilefs *fs, struct op_reason *error)
{
	const struct op_event_spec *event = &fs->cfg->events[0];
	const struct {
		const char *file;
		/* value to write; 0: leave the module's setting unchanged */
		uint64_t value;
		const char *error;
	} settings[] = {
		{"buffer_size", fs->cfg->set.buffer_size,
		 "the kernel module refused --buffer-size (1024 to 134217728 words)"},
		{"buffer_watershed", fs->cfg->set.buffer_watershed,
		 "the kernel module refused --buffer-watershed (words, less than --buffer-size)"},
		{"cpu_buffer_size", fs->cfg->set.cpu_buffer_size,
		 "the kernel module refused --cpu-buffer-size (64 to 1048576 entries)"},
		{"timer/count", opd_event_is_timer(fs->cfg, 0) ? event->count : 0,
		 "the kernel module refused the sampling period (TIMER:50000 to TIMER:100000000)"},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		int err = settings[i].value ?
			opd_oprofilefs_write(fs->dir_fd, settings[i].file, settings[i].value) : 0;

		if (err)
			return op_fail(error, err, "%s", settings[i].error);
	}
	return 0;
}

/* Write the value of --cpus, or its default, to the module: an earlier daemon may have written
 * another value. */
static int write_cpus(struct opd_oprofilefs *fs, struct op_reason *error)
{
	int err = opd_oprofilefs_write_text(fs->dir_fd, "cpus",
					    fs->cfg->set.cpus ? fs->cfg->set.cpus : "auto");

	if (err == -ENOENT && !fs->cfg->set.cpus)
		return 0;
	if (err == -ENOENT)
		op_fail(error, err,
			"the loaded kernel module is too old for --cpus: unload it with opcontrol "
			"--deinit");
	else if (err && err != -EBUSY)
		op_fail(error, err,
			"the kernel module refused --cpus: this machine does not have these CPUs");
	/* Ignore -EBUSY, which means that another process has `buffer` open: opening `buffer`
	 * reports the same error. */
	return err == -EBUSY ? 0 : err;
}

/* Write the maximum depth of call paths to the module, even if it is 0: an earlier daemon may have
 * written another value. */
static int write_paths(struct opd_oprofilefs *fs, struct op_reason *error)
{
	int err = opd_oprofilefs_write(fs->dir_fd, "callgraph", fs->cfg->paths.depth);

	if (err == -ENOENT && !fs->cfg->paths.depth)
		return 0;
	if (err == -ENOENT)
		op_fail(error, err,
			"the loaded kernel module is too old for --callgraph: unload it with "
			"opcontrol --deinit");
	else if (err && err != -EBUSY)
		op_fail(error, err, "the kernel module refused --callgraph=%u",
			fs->cfg->paths.depth);
	return err;
}

/* Enable or disable records with task names in the module's stream. An old module has no file
 * `task_names`; the daemon then reads the names from /proc while the threads live. */
static int write_names(struct opd_oprofilefs *fs)
{
	int err = opd_oprofilefs_write(fs->dir_fd, "task_names",
				       !!(fs->cfg->set.separate & OP_SEPARATE_THREAD));

	return err == -ENOENT ? 0 : err;
}

/* Enable or disable records of control groups in the module's stream: an earlier daemon may have
 * written another value. */
static int write_groups(struct opd_oprofilefs *fs, struct op_reason *error)
{
	const bool wanted = fs->cfg->set.separate & OP_SEPARATE_UNIT;
	const int err = opd_oprofilefs_write(fs->dir_fd, "cgroups", wanted);

	if (err == -ENOENT && !wanted)
		return 0;
	if (err == -ENOENT)
		op_fail(error, err,
			"the loaded kernel module is too old for --separate=unit: unload it with "
			"opcontrol --deinit, or use --source=perf");
	else if (err == -EINVAL)
		op_fail(error, err,
			"this kernel has no control groups (CONFIG_CGROUPS): omit unit from "
			"--separate");
	return err;
}

/* Set @error to the module's own message about a rejected setting, or to @otherwise if it has no
 * message. Return @err. */
static int report_refusal(struct op_reason *error, int err, int dir_fd, const char *failure,
		      const char *otherwise)
{
	char text[500];

	if (opd_oprofilefs_read_text(dir_fd, "backend_why", text, sizeof(text)) || !*text)
		snprintf(text, sizeof(text), "%s", otherwise);
	return op_fail(error, err, "%s: %s", failure, text);
}

static int write_range(const struct opd_oprofilefs *fs, const char *first, uint64_t start,
		       const char *last, uint64_t end)
{
	int err = opd_oprofilefs_write(fs->dir_fd, first, start);

	return err ? err : opd_oprofilefs_write(fs->dir_fd, last, end);
}

/* Write the addresses of the scheduler's functions, so that the place of a wait or of a waker is
 * the function that called them. Without the addresses, the place is in the scheduler. */
static int write_scheduler(struct opd_oprofilefs *fs)
{
	struct opd_wait_reasons *reasons;
	uint64_t start = 0, end = 0, waking_start = 0, waking_end = 0;
	int err;

	if (!opd_wait_reasons_create(&reasons, "/proc/kallsyms")) {
		opd_wait_scheduler(reasons, &start, &end);
		opd_wait_waking(reasons, &waking_start, &waking_end);
		opd_wait_reasons_destroy(reasons);
	}
	err = write_range(fs, "offcpu/scheduler_start", start, "offcpu/scheduler_end", end);
	if (err || !op_settings_wakers(&fs->cfg->set))
		return err;
	err = write_range(fs, "offcpu/waking_start", waking_start, "offcpu/waking_end", waking_end);
	/* write_wakers() refuses a module without these files */
	return err == -ENOENT ? 0 : err;
}

/* Enable or disable samples of wakers: an earlier daemon may have written another value. */
static int write_wakers(struct opd_oprofilefs *fs, bool has_waits, struct op_reason *error)
{
	const bool wanted = op_settings_wakers(&fs->cfg->set);
	int err;

	if (wanted && !has_waits)
		return op_fail(error, -EINVAL,
			       "--wakers=on needs the event " OP_EVENT_OFFCPU
			       ": add --event=" OP_EVENT_OFFCPU ", or use --wakers=off");
	err = opd_oprofilefs_write(fs->dir_fd, "offcpu/wakers", wanted);
	if (err == -ENOENT && !wanted)
		return 0;
	if (err == -ENOENT)
		return op_fail(error, -EOPNOTSUPP,
			       "the loaded kernel module is too old for --wakers=on: unload it "
			       "with opcontrol --deinit");
	return err ? op_fail(error, err, "%s", open_error_text(err)) : 0;
}

/* Write the number of the event of each reason for which threads are off their CPUs, and the time
 * between two samples. Reset the reasons without an event, because an earlier daemon may have
 * written them. */
static int write_waits(struct opd_oprofilefs *fs, struct op_reason *error)
{
	static const char *const files[] = {
#define X(id, number, name, desc) [number] = "offcpu/" name,
		OPROFILE_OFFCPU_REASONS(X)
#undef X
	};
	uint64_t numbers[OPROFILE_OFFCPU_MAX_REASON + 1], count = 0;
	int err = 0;

	for (size_t reason = 1; reason <= OPROFILE_OFFCPU_MAX_REASON; reason++)
		numbers[reason] = OPROFILE_OFFCPU_NO_EVENT;
	for (size_t i = 0; i < fs->cfg->nr_events; i++) {
		const struct op_event_spec *e = &fs->cfg->events[i];

		if (!opd_event_is_offcpu(fs->cfg, i))
			continue;
		if (!e->um || e->um > OPROFILE_OFFCPU_MAX_REASON)
			return op_fail(error, -EINVAL, "event %s has no reason number %u", e->name,
				       e->um);
		numbers[e->um] = i;
		count = e->count;
	}
	for (size_t reason = 1; reason <= OPROFILE_OFFCPU_MAX_REASON && !err; reason++)
		err = opd_oprofilefs_write(fs->dir_fd, files[reason], numbers[reason]);
	if (!err && count)
		err = opd_oprofilefs_write(fs->dir_fd, "offcpu/count", count);
	if (!err && count)
		err = write_scheduler(fs);
	if (err == -ENOENT && !count)
		return write_wakers(fs, false, error);
	if (err == -ENOENT)
		return op_fail(error, -EOPNOTSUPP,
			       "the loaded kernel module is too old for the event " OP_EVENT_OFFCPU
			       ": unload it with opcontrol --deinit");
	return err ? op_fail(error, err, "%s", open_error_text(err)) :
		     write_wakers(fs, count != 0, error);
}

/* Write the number of the event LATENCY, or reset it. Call after the backend was chosen. */
static int write_latency(struct opd_oprofilefs *fs, struct op_reason *error)
{
	uint64_t number = OPROFILE_OFFCPU_NO_EVENT;
	int err;

	for (size_t i = 0; i < fs->cfg->nr_events; i++)
		if (op_event_is_latency(fs->cfg->events[i].name))
			number = i;
	err = opd_oprofilefs_write(fs->dir_fd, "offcpu/latency", number);
	if (number == OPROFILE_OFFCPU_NO_EVENT && err == -ENOENT)
		return 0;
	if (err == -ENOENT)
		return op_fail(error, -EOPNOTSUPP,
			       "the loaded kernel module is too old for the event " OP_EVENT_LATENCY
			       ": unload it with opcontrol --deinit");
	if (!err && number != OPROFILE_OFFCPU_NO_EVENT && strcmp(fs->backend, "timer"))
		return op_fail(error, -EINVAL, "event " OP_EVENT_LATENCY " needs --backend=timer");
	return err ? op_fail(error, err, "%s", open_error_text(err)) : 0;
}

static bool samples_only_waits(const struct opd_config *cfg)
{
	for (size_t i = 0; i < cfg->nr_events; i++) {
		if (!opd_event_is_offcpu(cfg, i))
			return false;
	}
	return cfg->nr_events > 0;
}

static int choose_backend(struct opd_oprofilefs *fs, struct op_reason *error)
{
	/* A session of waits only needs no interrupts: with another backend, samples of the timer
	 * would count as waits. Choose the native backend for IBS, which needs it. Otherwise write
	 * --backend or "auto", because an earlier daemon may have written another value. */
	const char *wish = samples_only_waits(fs->cfg) ? "offcpu" :
			   fs->cfg->set.backend	       ? fs->cfg->set.backend :
			   fs->ext		       ? "native" :
							 "auto";
	bool counters = opd_events_need_counters(fs->cfg) || fs->ext;
	int err;

	if (counters && op_counters_mediated("/sys/module")) {
		if (!strcmp(wish, "native"))
			return op_fail(
				error, -EBUSY,
				"the native backend cannot use the CPU's counters: KVM passes "
				"them to virtual machines (enable_mediated_pmu); use "
				"--backend=perf, which shares them");
		if (!strcmp(wish, "auto"))
			wish = "perf";
	}
	err = opd_oprofilefs_write_text(fs->dir_fd, "backend", wish);
	if (err == -ENOENT && !counters && (!fs->cfg->set.backend || !strcmp(wish, "timer")))
		return 0;
	if (err == -ENOENT)
		return op_fail(error, -EOPNOTSUPP,
			       "the loaded kernel module is too old for events: it samples by its "
			       "timer only; unload it with opcontrol --deinit");
	if (err == -EBUSY &&
	    opd_oprofilefs_write(fs->dir_fd, "jitter", fs->cfg->set.jitter) == -EBUSY)
		op_fail(error, err,
			"another daemon uses the kernel module: end that daemon with opcontrol "
			"--shutdown");
	else if (err == -EPERM || err == -EACCES)
		op_fail(error, err, "only root may use the kernel module: run as root, or use "
				    "--source=perf");
	else if (err)
		report_refusal(error, err, fs->dir_fd, "the kernel module refused --backend",
			   strerror(-err));
	if (err)
		return err;
	err = opd_oprofilefs_read_text(fs->dir_fd, "backend", fs->backend, sizeof(fs->backend));
	if (!err && counters && !strcmp(fs->backend, "timer"))
		return report_refusal(error, -EOPNOTSUPP, fs->dir_fd,
				  "the kernel module can only sample by time here",
				  "no performance counters");
	return err;
}

static int write_event(int dir_fd, size_t i, const struct op_event_choice *c,
		       enum op_core_type core_type)
{
	const struct {
		const char *file;
		uint64_t value;
	} settings[] = {
		{ "event", c->event->code },
		{ "unit_mask", c->config >> 8 & 0xff },
		{ "extra", c->config & OP_EXTRA_REGISTER },
		{ "count", c->count },
		{ "kernel", c->kernel },
		{ "user", c->user },
		{ "counter", c->counter < 0 ? ANY_COUNTER : c->counter },
		{ "core_type", core_type },
		{ "group", c->group },
		{ "enabled", 1 },
	};
	char path[64];
	int err = 0;

	for (size_t n = 0; n < sizeof(settings) / sizeof(settings[0]) && !err; n++) {
		bool x86_only = n == 1 || n == 2;

		if (x86_only && c->event->code > 0xfff)
			continue;
		snprintf(path, sizeof(path), "%zu/%s", i, settings[n].file);
		err = opd_oprofilefs_write(dir_fd, path, settings[n].value);
	}
	return err;
}

static int check_events(const struct opd_config *cfg, struct op_reason *error)
{
	if (!cfg->plan.choices || !op_events_for_module(cfg->plan.choices, cfg->nr_events, error))
		return 0;
	return op_fail(error, -EOPNOTSUPP, "%s; --source=perf can sample it", error->text);
}

static int write_events(struct opd_oprofilefs *fs, struct op_reason *error)
{
	struct op_event_choice choices[OPD_MAX_EVENTS];
	uint64_t counters = 0;
	char path[32];
	int err = 0;

	for (size_t i = 0; i < OP_MODULE_EVENTS && *fs->backend; i++) {
		snprintf(path, sizeof(path), "%zu/enabled", i);
		opd_oprofilefs_write(fs->dir_fd, path, 0);
	}
	if (!opd_events_need_counters(fs->cfg))
		return 0;
	memcpy(choices, fs->cfg->plan.choices, fs->cfg->nr_events * sizeof(*choices));
	/* Allocate counters only for the native backend: perf_events allocates and multiplexes
	 * counters itself. */
	if (!strcmp(fs->backend, "native")) {
		for (size_t i = 0; i < fs->cfg->nr_events; i++) {
			if (!op_event_is_pair(fs->cfg->plan.cpu.cpu, choices[i].event))
				continue;
			return op_fail(error, -EOPNOTSUPP,
				       "event %s needs two counters together, which the native "
				       "backend does not support: "
				       "use --backend=perf or --source=perf",
				       fs->cfg->events[i].name);
		}
		opd_oprofilefs_read(fs->dir_fd, "counters", &counters);
		/* The number of counters that the module reports includes the fixed counters. */
		if (!counters || counters > fs->cfg->plan.cpu.counters)
			counters = fs->cfg->plan.cpu.counters;
		err = opd_events_allocate(choices, fs->cfg, counters, error);
		if (err)
			return err;
	}
	if (fs->cfg->set.time_slice)
		err = opd_oprofilefs_write(fs->dir_fd, "time_slice", fs->cfg->set.time_slice);
	if (!err)
		err = opd_oprofilefs_write(fs->dir_fd, "jitter", fs->cfg->set.jitter);
	if (err)
		return op_fail(error, err, "the kernel module refused --time-slice or --jitter");
	for (size_t i = 0; i < fs->cfg->nr_events; i++) {
		if (opd_event_ext(fs->cfg, i))
			continue;
		err = write_event(fs->dir_fd, i, &choices[i],
				  op_cpu_core_type(fs->cfg->plan.cpu.cpu));
		if (err)
			return op_fail(error, err, "the kernel module refused event %s: %s",
				       fs->cfg->events[i].name, strerror(-err));
	}
	return 0;
}

static int open_buffer(const struct opd_oprofilefs *fs, struct op_reason *error)
{
	int err, fd = openat(fs->dir_fd, "buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	err = -errno;
	op_fail(error, err, "%s", open_error_text(err));
	if (*fs->backend && (err == -EINVAL || err == -EBUSY || err == -EOPNOTSUPP))
		report_refusal(error, err, fs->dir_fd,
			   "the kernel module could not set up the requested events", error->text);
	return err;
}

int opd_oprofilefs_open(struct opd_oprofilefs *fs, struct op_reason *error)
{
	int err = check_events(fs->cfg, error);

	if (err)
		return err;
	fs->dir_fd = open(fs->cfg->set.oprofilefs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fs->dir_fd < 0 || faccessat(fs->dir_fd, "buffer", F_OK, 0) < 0)
		return op_fail(error, -errno,
			       "the kernel module is not loaded, or its file system not mounted "
			       "(opcontrol "
			       "--init does both)");
	err = write_waits(fs, error);
	if (!err)
		err = choose_backend(fs, error);
	if (!err)
		err = write_latency(fs, error);
	if (!err)
		err = write_events(fs, error);
	if (!err)
		err = opd_ext_setup(fs->ext, fs->dir_fd, error);
	if (err)
		return err;
	err = write_cpus(fs, error);
	if (!err)
		err = write_paths(fs, error);
	if (!err)
		err = write_names(fs);
	if (!err)
		err = write_groups(fs, error);
	if (!err)
		err = write_settings(fs, error);
	if (err == -EBUSY || err == -EPERM || err == -EACCES)
		op_fail(error, err, "%s", open_error_text(err));
	return err ? err : open_buffer(fs, error);
}
