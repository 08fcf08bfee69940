// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_oprofilefs.c -- samples from the kernel module, through its file system
 * (doc/oprofilefs.md).
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/config.h"
#include "daemon/cookie.h"
#include "daemon/decode_oprofilefs.h"
#include "daemon/record.h"
#include "daemon/source.h"
#include "libop/base/dir.h"
#include "libop/session_stats.h"

#define BUFFER_BYTES	(1u << 20)
#define READ_BYTES	(BUFFER_BYTES - sizeof(unsigned long))
#define LARGEST_RECORD	1024	/* bytes, and then some */
#define READS_AT_FLUSH	4096
#define DUMPS_AT_FLUSH	1000
#define READS_AT_ONCE	16	/* then the daemon looks whether somebody else wants something */

struct opd_source {
	struct opd_sink *sink;
	int dir_fd;			/* the mount */
	int buffer_fd;
	struct opd_cookies *cookies;
	unsigned long *words;
	size_t rest;			/* bytes of a word that a read has cut */
	/* The module counts from each start on: these are the runs before the current one. */
	struct op_session_stats earlier_runs;
	struct opd_decoder decoder;
};

static void oprofilefs_destroy(struct opd_source *s)
{
	if (!s)
		return;
	opd_cookies_destroy(s->cookies);
	if (s->buffer_fd >= 0)
		close(s->buffer_fd);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	op_session_stats_release(&s->earlier_runs);
	free(s->words);
	free(s);
}

static int write_number(int dir_fd, const char *name, unsigned long long value)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%llu\n", value);
	int err = 0, fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != len)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

static int read_number(int dir_fd, const char *name, uint64_t *ret)
{
	char text[64], *end;
	ssize_t n;
	unsigned long long value;
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return n < 0 ? -errno : -EIO;
	text[n] = '\0';
	value = strtoull(text, &end, 10);
	if (end == text)
		return -EIO;
	*ret = value;
	return 0;
}

/* Sizes count from the opening of `buffer`, the period from `enable`. */
static int write_settings(struct opd_source *s, const struct opd_config *cfg, const char **why)
{
	const struct op_event_spec *event = &cfg->events[0];
	const struct {
		const char *file;
		uint64_t value;		/* 0: leave what is set */
		const char *why;
	} settings[] = {
		{ "buffer_size", cfg->buffer_size,
		  "the kernel module refused --buffer-size (1024 to 134217728 words)" },
		{ "buffer_watershed", cfg->buffer_watershed,
		  "the kernel module refused --buffer-watershed (words, less than --buffer-size)" },
		{ "cpu_buffer_size", cfg->cpu_buffer_size,
		  "the kernel module refused --cpu-buffer-size (64 to 1048576 entries)" },
		{ "timer/count", strcmp(event->name, OP_EVENT_TIMER) == 0 ? event->count : 0,
		  "the kernel module refused the sampling period (TIMER:50000 to TIMER:100000000)" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		int err = settings[i].value ?
			write_number(s->dir_fd, settings[i].file, settings[i].value) : 0;

		if (err) {
			*why = settings[i].why;
			return err;
		}
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

static int oprofilefs_create(struct opd_source **ret, const struct opd_config *cfg,
			     struct opd_images *images, struct opd_sink *sink, const char **why)
{
	struct opd_source *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	*why = "out of memory";
	if (!s)
		return -ENOMEM;
	s->sink = sink;
	s->dir_fd = s->buffer_fd = -1;
	s->words = malloc(BUFFER_BYTES);
	if (!s->words)
		goto err_destroy;

	if (cfg->nr_events != 1 || strcmp(cfg->events[0].name, OP_EVENT_TIMER) != 0) {
		err = -EOPNOTSUPP;
		*why = "the kernel module samples by its timer only: one event, TIMER:NANOSECONDS";
		goto err_destroy;
	}
	s->dir_fd = open(cfg->oprofilefs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir_fd < 0 || faccessat(s->dir_fd, "buffer", F_OK, 0) < 0) {
		err = -errno;
		*why = "the kernel module is not loaded, or its file system not mounted (opcontrol "
		       "--init does both)";
		goto err_destroy;
	}
	err = write_settings(s, cfg, why);
	if (err) {
		if (err == -EBUSY || err == -EPERM || err == -EACCES)
			*why = why_not_open(err);
		goto err_destroy;
	}
	s->buffer_fd = openat(s->dir_fd, "buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->buffer_fd < 0) {
		err = -errno;
		*why = why_not_open(err);
		goto err_destroy;
	}
	err = opd_cookies_create(&s->cookies, images, s->buffer_fd);
	if (err) {
		*why = "out of memory";
		goto err_destroy;
	}
	opd_decoder_init(&s->decoder, sink, opd_cookies_image, s->cookies);
	*why = NULL;
	*ret = s;
	return 0;

err_destroy:
	oprofilefs_destroy(s);
	return err;
}

static int oprofilefs_stop(struct opd_source *s)
{
	return write_number(s->dir_fd, "enable", 0);
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
		err = write_number(s->dir_fd, "dump", 1);
		err2 = drain(s);
		if (err2)
			return err2;
		if (err != -EAGAIN)
			break;
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
		if (read_number(dirfd(dir), d->d_name, &value) == 0)
			err = op_session_stats_add(stats, d->d_name, value);
	}
	closedir(dir);
	return err;
}

static int oprofilefs_stats(struct opd_source *s, struct op_session_stats *stats)
{
	int err = 0;

	for (size_t i = 0; i < s->earlier_runs.nr && !err; i++)
		err = op_session_stats_add(stats, s->earlier_runs.values[i].name,
					   s->earlier_runs.values[i].value);
	return err ? err : add_this_run(s, stats);
}

static int oprofilefs_start(struct opd_source *s)
{
	struct op_session_stats runs = { 0 };
	int err = oprofilefs_stats(s, &runs);

	if (!err)
		err = write_number(s->dir_fd, "enable", 1);
	if (err) {
		op_session_stats_release(&runs);
		return err;
	}
	op_session_stats_release(&s->earlier_runs);
	s->earlier_runs = runs;
	return 0;
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
	.destroy = oprofilefs_destroy,
};
