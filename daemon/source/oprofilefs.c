// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofilefs.c -- the kernel module as a source of samples, through its file system
 * (doc/oprofilefs.md).
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/image/cgroups.h"
#include "daemon/image/cookie.h"
#include "daemon/image/image.h"
#include "daemon/source/decode_oprofilefs.h"
#include "daemon/source/events.h"
#include "daemon/source/ext.h"
#include "daemon/source/group_notices.h"
#include "daemon/source/module_tables.h"
#include "daemon/source/oprofilefs_file.h"
#include "daemon/source/oprofilefs_setup.h"
#include "daemon/source/source.h"
#include "daemon/source/stream_paths.h"
#include "daemon/base/record.h"
#include "daemon/base/watchdog.h"
#include "libop/base/reason.h"
#include "libop/session/stats.h"

#define BUFFER_BYTES	(1u << 20)
#define READ_BYTES	(BUFFER_BYTES - sizeof(unsigned long))
#define LARGEST_RECORD	1024	/* maximum size of a record of the module's stream in bytes */
#define READS_AT_FLUSH	4096
#define DUMPS_AT_FLUSH	1000
#define STATS_BYTES	4096	/* more than the module's file stats/all has */
/* maximum number of successive reads of the module's buffer before the daemon checks for other
 * work */
#define READS_AT_ONCE	16

struct opd_source {
	struct opd_oprofilefs fs;
	struct opd_sink *sink;
	int buffer_fd;
	struct opd_cookies *cookies;
	unsigned long *words;
	/* number of bytes of an incomplete word at the end of the last read */
	size_t rest;
	/* Sums of the module's counters over the earlier runs in this daemon's life: the module's
	 * counters restart at 0 with each run. */
	struct op_session_stats earlier_runs;
	/* this daemon has started the module; false: the module's counters belong to another
	 * daemon's run */
	bool started;
	struct opd_decoder decoder;
	/* passes unwind tables to the module; NULL: call paths are not recorded */
	struct opd_module_tables *tables;
	/* names of new control groups; NULL: samples are not separated by unit, or the names come
	 * from the cgroup file system only */
	struct opd_group_notices *groups;
	struct opd_watchdog watchdog;
};

static void oprofilefs_destroy(struct opd_source *s)
{
	if (!s)
		return;
	opd_group_notices_destroy(s->groups);
	opd_module_tables_destroy(s->tables);
	opd_stream_paths_destroy(s->decoder.paths);
	opd_cookies_destroy(s->cookies);
	opd_ext_destroy(s->fs.ext);
	if (s->buffer_fd >= 0)
		close(s->buffer_fd);
	if (s->fs.dir_fd >= 0)
		close(s->fs.dir_fd);
	op_session_stats_release(&s->earlier_runs);
	free(s->words);
	free(s);
}

/* Create the objects that record call paths, and set the decoder's pointers to them. */
static int create_paths(struct opd_source *s, struct opd_images *images)
{
	struct opd_unwind_tables *unwind = opd_images_unwind(images);
	int err;

	if (!s->fs.cfg->paths.depth || !unwind)
		return 0;
	err = opd_stream_paths_create(&s->decoder.paths);
	if (!err)
		err = opd_module_tables_create(&s->tables, s->buffer_fd, s->cookies, images);
	if (err)
		return err;
	s->decoder.table_wanted = opd_module_tables_request;
	s->decoder.table_wanted_arg = s->tables;
	return 0;
}

/* Let the decoder separate samples by unit. If there are no control groups of cgroup v2, or if the
 * kernel does not report new ones, set @error to a message about the missing names. */
static void create_units(struct opd_source *s, struct opd_cgroups *cgroups, struct op_reason *error)
{
	struct op_reason cause = { "" };
	int err;

	if (!cgroups)
		return;
	opd_cgroups_use_default(cgroups);
	s->decoder.cgroups = cgroups;
	if (!opd_cgroups_exist(cgroups)) {
		op_fail(error, -EOPNOTSUPP,
			"samples have no unit: the kernel module knows the groups of cgroup v2 "
			"only, and its file system is not mounted. For groups of cgroup v1, use "
			"--source=perf");
		return;
	}
	err = opd_group_notices_create(&s->groups, cgroups, &cause);
	if (err)
		op_fail(error, err,
			"samples of control groups that exist for less than ten seconds may have "
			"no unit: %s", op_reason_text(&cause, err));
}

static int oprofilefs_create(struct opd_source **ret, const struct opd_config *cfg,
			     struct opd_images *images, struct opd_sink *sink,
			     struct op_reason *error)
{
	struct opd_source *s;
	int err = -ENOMEM;

	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->sink = sink;
	opd_watchdog_init(&s->watchdog);
	s->fs.dir_fd = s->buffer_fd = -1;
	s->words = malloc(BUFFER_BYTES);
	if (!s->words)
		goto err_destroy;

	s->fs.cfg = cfg;
	err = opd_ext_create(&s->fs.ext, cfg);
	if (err)
		goto err_destroy;
	err = s->buffer_fd = opd_oprofilefs_open(&s->fs, error);
	if (err < 0)
		goto err_destroy;
	err = opd_cookies_create(&s->cookies, images, s->buffer_fd);
	if (err)
		goto err_destroy;
	opd_decoder_init(&s->decoder, sink, opd_cookies_image, s->cookies);
	s->decoder.image_ahead = opd_cookies_ahead;
	s->decoder.derive = opd_ext_derive;
	s->decoder.ext = s->fs.ext;
	err = create_paths(s, images);
	if (err)
		goto err_destroy;
	create_units(s, opd_images_cgroups(images), error);
	*ret = s;
	return 0;

err_destroy:
	oprofilefs_destroy(s);
	return err;
}

static int oprofilefs_stop(struct opd_source *s)
{
	return opd_oprofilefs_write(s->fs.dir_fd, "enable", 0);
}

static size_t oprofilefs_fds(struct opd_source *s, struct pollfd *fds, size_t max)
{
	const size_t nr = s->groups && max > 1 ? 2 : max > 0;

	if (nr > 0)
		fds[0] = (struct pollfd){ .fd = s->buffer_fd, .events = POLLIN };
	if (nr > 1)
		fds[1] = (struct pollfd){ .fd = opd_group_notices_fd(s->groups), .events = POLLIN };
	return nr;
}

/* Read from the module's buffer once, and decode the words. Decoding opens the files of new
 * programs, which may take seconds on a busy machine, so notify the watchdog after each read.
 * Return 1 if more data may be available, 0 if not, or a negative errno. */
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
	/* The groups of these samples were created before the samples were read. */
	opd_group_notices_read(s->groups);
	opd_decode(&s->decoder, s->words, total / sizeof(*s->words));
	opd_watchdog_alive(&s->watchdog);
	s->rest = total % sizeof(*s->words);
	memmove(bytes, bytes + total - s->rest, s->rest);
	/* The module returns only complete records. If the daemon's buffer has space for one more
	 * record, the module had no more data. */
	return (size_t)n + LARGEST_RECORD < READ_BYTES ? 0 : 1;
}

static int oprofilefs_process(struct opd_source *s)
{
	int ret = 1;

	opd_group_notices_read(s->groups);
	for (int i = 0; i < READS_AT_ONCE && ret > 0; i++)
		ret = read_some(s);
	opd_module_tables_turn(s->tables);
	return ret < 0 ? ret : 0;
}

/* Read all available data from the module. The number of reads is limited, because the module may
 * still write samples; the limit is far above the size of the module's buffers. */
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

	/* Repeat the dump: the module's buffer may have been full, and has space for more samples
	 * only after the daemon has read data. */
	for (int i = 0; i < DUMPS_AT_FLUSH; i++) {
		err = opd_oprofilefs_write(s->fs.dir_fd, "dump", 1);
		err2 = drain(s);
		if (err2)
			return err2;
		if (err != -EAGAIN)
			break;
	}
	return err;
}

/* Add two times for each event to @stats: the time for which the event was enabled, and the time
 * for which it was counting. The times differ if the kernel multiplexes events. */
static int add_event_times(struct opd_source *s, struct op_session_stats *stats)
{
	static const char *const files[] = { "enabled_ns", "running_ns" };
	char path[64], name[OP_EVENT_TIME_NAME];
	uint64_t value;
	int err = 0;

	for (size_t i = 0; i < s->fs.cfg->nr_events && !err; i++) {
		const struct op_event_spec *e = &s->fs.cfg->events[i];

		if (opd_event_is_timer(s->fs.cfg, i) || opd_event_ext(s->fs.cfg, i))
			continue;
		for (int which = 0; which < 2 && !err; which++) {
			snprintf(path, sizeof(path), "stats/event%zu/%s", i, files[which]);
			if (opd_oprofilefs_read(s->fs.dir_fd, path, &value) ||
			    op_event_time_name(name, sizeof(name), which, e->name, e->count, e->um))
				break;
			err = op_session_stats_add(stats, name, value);
		}
	}
	return err;
}

/* Add the module's counters, which are sums over all CPUs, to @stats. */
static int add_this_run(struct opd_source *s, struct op_session_stats *stats)
{
	struct op_session_stats run = { 0 };
	char text[STATS_BYTES];
	int err = opd_oprofilefs_read_lines(s->fs.dir_fd, "stats/all", text, sizeof(text));

	if (!err)
		err = op_session_stats_parse(&run, text);
	if (!err)
		err = op_session_stats_add_all(stats, &run);
	op_session_stats_release(&run);
	return err ? err : add_event_times(s, stats);
}

static int oprofilefs_stats(struct opd_source *s, struct op_session_stats *stats)
{
	int err = opd_ext_stats(s->fs.ext, stats);

	if (!err)
		err = op_session_stats_add_all(stats, &s->earlier_runs);
	return err || !s->started ? err : add_this_run(s, stats);
}

static int oprofilefs_start(struct opd_source *s)
{
	struct op_session_stats runs = { 0 };
	int err = oprofilefs_stats(s, &runs);

	if (!err)
		err = opd_oprofilefs_write(s->fs.dir_fd, "enable", 1);
	if (err) {
		op_session_stats_release(&runs);
		return err;
	}
	op_session_stats_release(&s->earlier_runs);
	s->earlier_runs = runs;
	s->started = true;
	return 0;
}

static int oprofilefs_backend(struct opd_source *s, char *name, char *reason, size_t size)
{
	int err = opd_oprofilefs_read_text(s->fs.dir_fd, "backend", name, size);

	return err ? err : opd_oprofilefs_read_text(s->fs.dir_fd, "backend_why", reason, size);
}

const struct opd_source_ops opd_source_oprofilefs = {
	.name = "module",
	.create = oprofilefs_create,
	.start = oprofilefs_start,
	.stop = oprofilefs_stop,
	.fds = oprofilefs_fds,
	.process = oprofilefs_process,
	.flush = oprofilefs_flush,
	.refresh = oprofilefs_flush,
	.stats = oprofilefs_stats,
	.backend = oprofilefs_backend,
	.destroy = oprofilefs_destroy,
};
