// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofilefs.c -- samples from the kernel module, through its file system
 * (doc/oprofilefs.md).
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/image/cookie.h"
#include "daemon/source/decode_oprofilefs.h"
#include "daemon/source/events.h"
#include "daemon/source/ext.h"
#include "daemon/source/oprofilefs_file.h"
#include "daemon/base/record.h"
#include "libop/base/reason.h"
#include "daemon/source/source.h"
#include "libop/base/dir.h"
#include "libop/event/for_module.h"
#include "libop/session/stats.h"

#define BUFFER_BYTES	(1u << 20)
#define READ_BYTES	(BUFFER_BYTES - sizeof(unsigned long))
#define LARGEST_RECORD	1024	/* bytes, and then some */
#define READS_AT_FLUSH	4096
#define DUMPS_AT_FLUSH	1000
#define READS_AT_ONCE	16	/* then the daemon looks whether somebody else wants something */

#define ANY_COUNTER	255

struct opd_source {
	const struct opd_config *cfg;
	struct opd_sink *sink;
	struct opd_ext *ext;		/* NULL: no such events */
	char backend[32];		/* the module's; empty: a module without choice */
	int dir_fd;			/* the mount */
	int buffer_fd;
	struct opd_cookies *cookies;
	unsigned long *words;
	size_t rest;			/* bytes of a word that a read has cut */
	/* The module counts from each start on: these are our runs before the current one. */
	struct op_session_stats earlier_runs;
	bool started;			/* by us: until then it tells of another daemon's last run */
	struct opd_decoder decoder;
};

static void oprofilefs_destroy(struct opd_source *s)
{
	if (!s)
		return;
	opd_cookies_destroy(s->cookies);
	opd_ext_destroy(s->ext);
	if (s->buffer_fd >= 0)
		close(s->buffer_fd);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	op_session_stats_release(&s->earlier_runs);
	free(s->words);
	free(s);
}

/* Sizes count from the opening of `buffer`, the period from `enable`. */
static int write_settings(struct opd_source *s, const struct opd_config *cfg, struct op_reason *why)
{
	const struct op_event_spec *event = &cfg->events[0];
	const struct {
		const char *file;
		uint64_t value;		/* 0: leave what is set */
		const char *why;
	} settings[] = {
		{ "buffer_size", cfg->set.buffer_size,
		  "the kernel module refused --buffer-size (1024 to 134217728 words)" },
		{ "buffer_watershed", cfg->set.buffer_watershed,
		  "the kernel module refused --buffer-watershed (words, less than --buffer-size)" },
		{ "cpu_buffer_size", cfg->set.cpu_buffer_size,
		  "the kernel module refused --cpu-buffer-size (64 to 1048576 entries)" },
		{ "timer/count", opd_event_is_timer(cfg, 0) ? event->count : 0,
		  "the kernel module refused the sampling period (TIMER:50000 to TIMER:100000000)" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		int err = settings[i].value ?
			opd_oprofilefs_write(s->dir_fd, settings[i].file, settings[i].value) : 0;

		if (err)
			return op_fail(why, err, "%s", settings[i].why);
	}
	return 0;
}

/* Without a wish as well: what an earlier daemon was told must not stay. */
static int write_cpus(struct opd_source *s, const struct opd_config *cfg, struct op_reason *why)
{
	int err = opd_oprofilefs_write_text(s->dir_fd, "cpus", cfg->set.cpus ? cfg->set.cpus : "auto");

	if (err == -ENOENT && !cfg->set.cpus)
		return 0;
	if (err == -ENOENT)
		op_fail(why, err, "the kernel module that is loaded is an old one without --cpus (opcontrol --deinit "
			"unloads it)");
	else if (err && err != -EBUSY)
		op_fail(why, err, "the kernel module refused --cpus: none of them is in this machine");
	/* Whoever has `buffer` open is named when it is opened. */
	return err == -EBUSY ? 0 : err;
}

/* What the module itself says about a refusal, else @otherwise. */
static int say_module(struct op_reason *why, int err, int dir_fd, const char *doing, const char *otherwise)
{
	char text[500];

	if (opd_oprofilefs_read_text(dir_fd, "backend_why", text, sizeof(text)) || !*text)
		snprintf(text, sizeof(text), "%s", otherwise);
	return op_fail(why, err, "%s: %s", doing, text);
}

static int choose_backend(struct opd_source *s, const struct opd_config *cfg, struct op_reason *why)
{
	/* IBS is the native backend's; else what an earlier daemon was told must not stay. */
	const char *wish = cfg->set.backend ? cfg->set.backend : s->ext ? "native" : "auto";
	bool counters = opd_events_need_counters(cfg) || s->ext;
	int err = opd_oprofilefs_write_text(s->dir_fd, "backend", wish);

	if (err == -ENOENT && !counters && (!cfg->set.backend || !strcmp(wish, "timer")))
		return 0;
	if (err == -ENOENT)
		return op_fail(why, -EOPNOTSUPP, "the kernel module that is loaded is an old one and samples by its "
			       "timer only (opcontrol --deinit unloads it)");
	if (err == -EBUSY && opd_oprofilefs_write(s->dir_fd, "jitter", cfg->set.jitter) == -EBUSY)
		op_fail(why, err, "the kernel module's buffer is in use by another daemon (opcontrol --shutdown "
			"stops it)");
	else if (err == -EPERM || err == -EACCES)
		op_fail(why, err, "the kernel module may only be used by root");
	else if (err)
		say_module(why, err, s->dir_fd, "the kernel module refused --backend", strerror(-err));
	if (err)
		return err;
	err = opd_oprofilefs_read_text(s->dir_fd, "backend", s->backend, sizeof(s->backend));
	if (!err && counters && !strcmp(s->backend, "timer"))
		return say_module(why, -EOPNOTSUPP, s->dir_fd, "the kernel module can only sample by time here",
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

static int check_events(const struct opd_config *cfg, struct op_reason *why)
{
	if (!cfg->plan.choices || !op_events_for_module(cfg->plan.choices, cfg->nr_events, why))
		return 0;
	return op_fail(why, -EOPNOTSUPP, "%s: --source=perf can", why->text);
}

static int write_events(struct opd_source *s, const struct opd_config *cfg, struct op_reason *why)
{
	struct op_event_choice choices[OPD_MAX_EVENTS];
	uint64_t counters = 0;
	char path[32];
	int err = 0;

	for (size_t i = 0; i < OP_MODULE_EVENTS && *s->backend; i++) {
		snprintf(path, sizeof(path), "%zu/enabled", i);
		opd_oprofilefs_write(s->dir_fd, path, 0);
	}
	if (!opd_events_need_counters(cfg))
		return 0;
	memcpy(choices, cfg->plan.choices, cfg->nr_events * sizeof(*choices));
	/* perf finds counters, and takes turns, by itself. */
	if (!strcmp(s->backend, "native")) {
		for (size_t i = 0; i < cfg->nr_events; i++) {
			if (!op_event_is_pair(cfg->plan.cpu.cpu, choices[i].event))
				continue;
			return op_fail(why, -EOPNOTSUPP, "event %s takes two counters together, which the native backend does not do: "
				       "--backend=perf or --source=perf does", cfg->events[i].name);
		}
		opd_oprofilefs_read(s->dir_fd, "counters", &counters);
		/* The module counts the fixed ones too. */
		if (!counters || counters > cfg->plan.cpu.counters)
			counters = cfg->plan.cpu.counters;
		err = opd_events_allocate(choices, cfg, counters, why);
		if (err)
			return err;
	}
	if (cfg->set.time_slice)
		err = opd_oprofilefs_write(s->dir_fd, "time_slice", cfg->set.time_slice);
	if (!err)
		err = opd_oprofilefs_write(s->dir_fd, "jitter", cfg->set.jitter);
	if (err)
		return op_fail(why, err, "the kernel module refused --time-slice or --jitter");
	for (size_t i = 0; i < cfg->nr_events; i++) {
		if (opd_event_ext(cfg, i))
			continue;
		err = write_event(s->dir_fd, i, &choices[i], op_cpu_core_type(cfg->plan.cpu.cpu));
		if (err)
			return op_fail(why, err, "the kernel module refused event %s: %s", cfg->events[i].name,
				       strerror(-err));
	}
	return 0;
}

static const char *why_not_open(int err)
{
	switch (err) {
	case -EBUSY:
		return "the kernel module's buffer is in use by another daemon (opcontrol "
		       "--shutdown stops it)";
	case -EPERM:
	case -EACCES:
		if (geteuid() == 0)
			return "the kernel is locked down against reading its secrets "
			       "(/sys/kernel/security/lockdown: confidentiality), or a security module "
			       "forbids it";
		return "the kernel module may only be used by root";
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

/* What the module was asked for it does now, or says why not. */
static int open_buffer(struct opd_source *s, struct op_reason *why)
{
	int err;

	s->buffer_fd = openat(s->dir_fd, "buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->buffer_fd >= 0)
		return 0;
	err = -errno;
	op_fail(why, err, "%s", why_not_open(err));
	if (*s->backend && (err == -EINVAL || err == -EBUSY || err == -EOPNOTSUPP))
		say_module(why, err, s->dir_fd, "the kernel module could not set up what was asked for", why->text);
	return err;
}

static int oprofilefs_create(struct opd_source **ret, const struct opd_config *cfg,
			     struct opd_images *images, struct opd_sink *sink, struct op_reason *why)
{
	struct opd_source *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->sink = sink;
	s->dir_fd = s->buffer_fd = -1;
	s->words = malloc(BUFFER_BYTES);
	if (!s->words)
		goto err_destroy;

	s->cfg = cfg;
	err = check_events(cfg, why);
	if (err)
		goto err_destroy;
	err = opd_ext_create(&s->ext, cfg);
	if (err)
		goto err_destroy;
	s->dir_fd = open(cfg->set.oprofilefs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir_fd < 0 || faccessat(s->dir_fd, "buffer", F_OK, 0) < 0) {
		err = -errno;
		op_fail(why, err, "the kernel module is not loaded, or its file system not mounted (opcontrol "
			"--init does both)");
		goto err_destroy;
	}
	err = choose_backend(s, cfg, why);
	if (!err)
		err = write_events(s, cfg, why);
	if (!err)
		err = opd_ext_setup(s->ext, s->dir_fd, why);
	if (err)
		goto err_destroy;
	err = write_cpus(s, cfg, why);
	if (!err)
		err = write_settings(s, cfg, why);
	if (err) {
		if (err == -EBUSY || err == -EPERM || err == -EACCES)
			op_fail(why, err, "%s", why_not_open(err));
		goto err_destroy;
	}
	err = open_buffer(s, why);
	if (!err)
		err = opd_cookies_create(&s->cookies, images, s->buffer_fd);
	if (err)
		goto err_destroy;
	opd_decoder_init(&s->decoder, sink, opd_cookies_image, s->cookies);
	s->decoder.derive = opd_ext_derive;
	s->decoder.ext = s->ext;
	*ret = s;
	return 0;

err_destroy:
	oprofilefs_destroy(s);
	return err;
}

static int oprofilefs_stop(struct opd_source *s)
{
	return opd_oprofilefs_write(s->dir_fd, "enable", 0);
}

static size_t oprofilefs_fds(struct opd_source *s, struct pollfd *fds, size_t max)
{
	if (!max)
		return 0;
	fds[0].fd = s->buffer_fd;
	fds[0].events = POLLIN;
	return 1;
}

/* 0: nothing there now; 1: there may be more; negative errno. */
static int read_some(struct opd_source *s)
{
	char *bytes = (char *)s->words;
	ssize_t n = read(s->buffer_fd, bytes + s->rest, READ_BYTES);
	size_t total;

	if (n < 0)
		return errno == EAGAIN ? 0 : errno == EINTR ? 1 : -errno;
	if (n == 0)
		return 0;
	total = s->rest + n;
	opd_decode(&s->decoder, s->words, total / sizeof(*s->words));
	s->rest = total % sizeof(*s->words);
	memmove(bytes, bytes + total - s->rest, s->rest);
	/* Records come whole: with this much room left there was no other. */
	return (size_t)n + LARGEST_RECORD < READ_BYTES ? 0 : 1;
}

static int oprofilefs_process(struct opd_source *s)
{
	int ret = 1;

	for (int i = 0; i < READS_AT_ONCE && ret > 0; i++)
		ret = read_some(s);
	return ret < 0 ? ret : 0;
}

/* Sampling may go on meanwhile: what was there is far less than this many buffers. */
static int drain(struct opd_source *s)
{
	int ret = 1;

	for (int i = 0; i < READS_AT_FLUSH && ret > 0; i++)
		ret = read_some(s);
	return ret < 0 ? ret : 0;
}

static int oprofilefs_flush(struct opd_source *s)
{
	int err = 0, err2;

	/* The module has no room for the rest before we have read some. */
	for (int i = 0; i < DUMPS_AT_FLUSH; i++) {
		err = opd_oprofilefs_write(s->dir_fd, "dump", 1);
		err2 = drain(s);
		if (err2)
			return err2;
		if (err != -EAGAIN)
			break;
	}
	return err;
}

/* How long each event was wanted and counted: it takes turns with others. */
static int add_event_times(struct opd_source *s, struct op_session_stats *stats)
{
	static const char *const files[] = { "enabled_ns", "running_ns" };
	char path[64], name[OP_EVENT_TIME_NAME];
	uint64_t value;
	int err = 0;

	for (size_t i = 0; i < s->cfg->nr_events && !err; i++) {
		const struct op_event_spec *e = &s->cfg->events[i];

		if (opd_event_is_timer(s->cfg, i) || opd_event_ext(s->cfg, i))
			continue;
		for (int which = 0; which < 2 && !err; which++) {
			snprintf(path, sizeof(path), "stats/event%zu/%s", i, files[which]);
			if (opd_oprofilefs_read(s->dir_fd, path, &value) ||
			    op_event_time_name(name, sizeof(name), which, e->name, e->count, e->um))
				break;
			err = op_session_stats_add(stats, name, value);
		}
	}
	return err;
}

/* Adds stats/NAME, each the sum over the CPUs; the directories beside them tell the CPUs apart. */
static int add_this_run(struct opd_source *s, struct op_session_stats *stats)
{
	struct dirent *d;
	DIR *dir;
	int err = op_open_dir(s->dir_fd, "stats", &dir);

	if (err)
		return err;
	while (!err && (d = op_next_entry(dir))) {
		struct stat st;
		uint64_t value = 0;

		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (opd_oprofilefs_read(dirfd(dir), d->d_name, &value) == 0)
			err = op_session_stats_add(stats, d->d_name, value);
	}
	closedir(dir);
	return err ? err : add_event_times(s, stats);
}

static int oprofilefs_stats(struct opd_source *s, struct op_session_stats *stats)
{
	int err = 0;

	for (size_t i = 0; i < s->earlier_runs.nr && !err; i++)
		err = op_session_stats_add(stats, s->earlier_runs.values[i].name,
					   s->earlier_runs.values[i].value);
	return err || !s->started ? err : add_this_run(s, stats);
}

static int oprofilefs_start(struct opd_source *s)
{
	struct op_session_stats runs = { 0 };
	int err = oprofilefs_stats(s, &runs);

	if (!err)
		err = opd_oprofilefs_write(s->dir_fd, "enable", 1);
	if (err) {
		op_session_stats_release(&runs);
		return err;
	}
	op_session_stats_release(&s->earlier_runs);
	s->earlier_runs = runs;
	s->started = true;
	return 0;
}

static int oprofilefs_backend(struct opd_source *s, char *name, char *why, size_t size)
{
	int err = opd_oprofilefs_read_text(s->dir_fd, "backend", name, size);

	return err ? err : opd_oprofilefs_read_text(s->dir_fd, "backend_why", why, size);
}

const struct opd_source_ops opd_source_oprofilefs = {
	.name = "module",
	.create = oprofilefs_create,
	.start = oprofilefs_start,
	.stop = oprofilefs_stop,
	.fds = oprofilefs_fds,
	.process = oprofilefs_process,
	.flush = oprofilefs_flush,
	.stats = oprofilefs_stats,
	.backend = oprofilefs_backend,
	.destroy = oprofilefs_destroy,
};
