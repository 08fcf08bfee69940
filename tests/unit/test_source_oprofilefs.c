// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_source_oprofilefs.c -- the module's source on a directory that looks like oprofilefs; its
 * buffer is a FIFO.
 */
#include <config.h>
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "daemon/config.h"
#include "daemon/image.h"
#include "daemon/record.h"
#include "daemon/source.h"
#include "libop/session_stats.h"
#include "module/uapi/oprofile.h"

#define E OPROFILE_ESCAPE

struct fixture {
	void *dir;
	int dirfd, feed;
	struct op_event_spec event;
	struct opd_config cfg;
	struct opd_images *images;
	struct opd_sink sink;
	struct opd_source *source;
	const char *why;
	uint64_t got, lost;
};

static const struct opd_source_ops *const ops = &opd_source_oprofilefs;

static void put(struct fixture *f, const char *name, const char *text)
{
	int fd = openat(f->dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static const char *get(struct fixture *f, const char *name)
{
	static char text[100];
	int fd = openat(f->dirfd, name, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	return text;
}

static void take(struct opd_sink *sink, const struct opd_context *ctx,
		 const struct opd_sample *samples, size_t nr)
{
	struct fixture *f = (struct fixture *)((char *)sink - offsetof(struct fixture, sink));

	assert_int_equal(ctx->domain, OPD_KERNEL);
	for (size_t i = 0; i < nr; i++)
		f->got += samples[i].count;
}

static void lose(struct opd_sink *sink, const char *name, uint64_t nr)
{
	struct fixture *f = (struct fixture *)((char *)sink - offsetof(struct fixture, sink));

	if (strncmp(name, "lost_", 5) == 0)
		f->lost += nr;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	check_make_dir(&f->dir);
	f->dirfd = check_open_dir(&f->dir);
	assert_int_equal(mkdirat(f->dirfd, "stats", 0755), 0);
	assert_int_equal(mkdirat(f->dirfd, "stats/cpu0", 0755), 0);
	assert_int_equal(mkdirat(f->dirfd, "timer", 0755), 0);
	put(f, "enable", "0\n");
	put(f, "dump", "");
	put(f, "buffer_size", "1\n");
	put(f, "buffer_watershed", "1\n");
	put(f, "cpu_buffer_size", "1\n");
	put(f, "timer/count", "1\n");
	put(f, "stats/sample_received", "10\n");
	put(f, "stats/sample_lost_overflow", "4\n");
	put(f, "stats/cpu0/sample_received", "99\n");
	assert_int_equal(mkfifoat(f->dirfd, "buffer", 0600), 0);
	f->feed = openat(f->dirfd, "buffer", O_RDWR | O_NONBLOCK);
	f->event = (struct op_event_spec){
		.name = "TIMER", .count = 250000, .kernel = 1, .user = 1,
	};
	f->cfg.events = &f->event;
	f->cfg.nr_events = 1;
	f->cfg.oprofilefs = f->dir;
	f->sink.samples = take;
	f->sink.lost = lose;
	assert_int_equal(opd_images_create(&f->images), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ops->destroy(f->source);
	opd_images_destroy(f->images);
	close(f->feed);
	close(f->dirfd);
	check_remove_dir(&f->dir);
	free(f);
	return 0;
}

static int create(struct fixture *f)
{
	return ops->create(&f->source, &f->cfg, f->images, &f->sink, &f->why);
}

static void test_settings(void **state)
{
	struct fixture *f = *state;

	f->cfg.buffer_size = 65536;
	f->cfg.cpu_buffer_size = 4096;
	assert_int_equal(create(f), 0);
	assert_null(f->why);
	assert_string_equal(get(f, "buffer_size"), "65536\n");
	assert_string_equal(get(f, "buffer_watershed"), "1\n");
	assert_string_equal(get(f, "cpu_buffer_size"), "4096\n");
	assert_string_equal(get(f, "timer/count"), "250000\n");
	assert_string_equal(get(f, "enable"), "0\n");
	assert_int_equal(ops->start(f->source), 0);
	assert_string_equal(get(f, "enable"), "1\n");
	assert_int_equal(ops->stop(f->source), 0);
	assert_string_equal(get(f, "enable"), "0\n");
}

static void test_reasons(void **state)
{
	struct fixture *f = *state;
	char *dir = f->cfg.oprofilefs;

	f->cfg.oprofilefs = (char *)"/nonexistent";
	assert_int_equal(create(f), -ENOENT);
	assert_non_null(strstr(f->why, "opcontrol --init"));
	f->cfg.oprofilefs = dir;
	f->event.name = (char *)"CYCLES";
	assert_int_equal(create(f), -EOPNOTSUPP);
	assert_non_null(strstr(f->why, "timer"));
	f->event.name = (char *)"TIMER";
	assert_int_equal(unlinkat(f->dirfd, "timer/count", 0), 0);
	assert_int_equal(create(f), -ENOENT);
	assert_non_null(strstr(f->why, "sampling period"));
	assert_int_equal(unlinkat(f->dirfd, "buffer", 0), 0);
	assert_int_equal(create(f), -ENOENT);
	assert_non_null(strstr(f->why, "not loaded"));
}

/* Words may be cut anywhere; nothing waits for more to come. */
static void test_reading(void **state)
{
	struct fixture *f = *state;
	const unsigned long words[] = {
		E, OPROFILE_KERNEL_ENTER, 1, 0, E, OPROFILE_COUNT, 5, 2, 0,
		E, OPROFILE_KERNEL_EXIT, E, OPROFILE_COOKIE_SWITCH, 77, 3, 0,
	};
	const char *bytes = (const char *)words;
	struct pollfd fds[4];

	assert_int_equal(create(f), 0);
	assert_int_equal(ops->fds(f->source, fds, 4), 1);
	assert_int_equal(fds[0].events, POLLIN);
	assert_int_equal(ops->process(f->source), 0);
	for (size_t i = 0; i < sizeof(words); i += 5) {
		size_t n = sizeof(words) - i < 5 ? sizeof(words) - i : 5;

		assert_int_equal(write(f->feed, bytes + i, n), n);
		assert_int_equal(ops->process(f->source), 0);
	}
	assert_int_equal(f->got, 6);
	assert_int_equal(f->lost, 1);	/* the cookie is not known */
	assert_int_equal(write(f->feed, words, 4 * sizeof(*words)), 4 * sizeof(*words));
	assert_int_equal(ops->flush(f->source), 0);
	assert_int_equal(f->got, 7);
	assert_string_equal(get(f, "dump"), "1\n");
}

static void expect_stats(struct fixture *f, uint64_t received, uint64_t overflow)
{
	struct op_session_stats s = { 0 };

	assert_int_equal(ops->stats(f->source, &s), 0);
	assert_int_equal(op_session_stats_get(&s, "sample_received"), received);
	assert_int_equal(op_session_stats_get(&s, "sample_lost_overflow"), overflow);
	op_session_stats_release(&s);
}

/* The module counts anew from each start. */
static void test_runs_add_up(void **state)
{
	struct fixture *f = *state;

	put(f, "stats/sample_received", "0\n");
	put(f, "stats/sample_lost_overflow", "0\n");
	assert_int_equal(create(f), 0);
	expect_stats(f, 0, 0);
	assert_int_equal(ops->start(f->source), 0);
	put(f, "stats/sample_received", "10\n");
	put(f, "stats/sample_lost_overflow", "4\n");
	expect_stats(f, 10, 4);
	assert_int_equal(ops->stop(f->source), 0);
	expect_stats(f, 10, 4);
	assert_int_equal(ops->start(f->source), 0);
	put(f, "stats/sample_received", "3\n");
	put(f, "stats/sample_lost_overflow", "0\n");
	expect_stats(f, 13, 4);
	assert_int_equal(ops->stop(f->source), 0);
	assert_int_equal(ops->start(f->source), 0);
	put(f, "stats/sample_received", "1\n");
	expect_stats(f, 14, 4);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_settings),
		T(test_reasons),
		T(test_reading),
		T(test_runs_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
