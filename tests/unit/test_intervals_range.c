// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_range.c -- tests reading the intervals of a period while the daemon closes the
 * current session.
 */
#include "config.h"
#include "intervals/range.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "intervals/file.h"
#include "intervals/store.h"
#include "intervals/work.h"
#include "libop/session/about.h"
#include "libop/session/stats.h"
#include "tests/unit/samples.h"

struct store {
	int samples_fd, store_fd;
	int64_t now;
	/* number of the part after which the test closes the current session; 0: never */
	unsigned int close_after;
	/* whether the new session already has the closed session's name, as in the daemon for a
	 * moment */
	bool is_named;
	/* .sum: sum of the samples in the parts; .nr: number of parts that were read */
	uint64_t sum, nr;
	int damaged;			/* error of the last part that was skipped, or 0 */
};

static void store_open(struct store *s, const char *top)
{
	int top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(top_fd >= 0);
	*s = (struct store){ .now = time(NULL) };
	s->samples_fd = samples_make_dir(top_fd, "samples");
	s->store_fd = samples_make_dir(s->samples_fd, ITV_STORE_DIR);
	close(top_fd);
}

static void store_close(struct store *s)
{
	close(s->store_fd);
	close(s->samples_fd);
}

static void name_session(char *name, int64_t begin, int64_t end)
{
	struct itv_entry entry = { .begin = begin, .end = end, .is_session = true };

	itv_name(name, &entry);
}

static void add_interval(struct store *s, int64_t begin, int64_t end, uint64_t count)
{
	char name[ITV_NAME_SIZE];
	struct itv_entry entry;
	int fd;

	name_session(name, begin, end);
	fd = samples_make_dir(s->store_fd, name);
	samples_add(fd, &(struct samples_file){ .path = "/bin/old", .count = count });
	close(fd);
	assert_int_equal(itv_work_pack(&entry, s->store_fd, name, 0), 0);
}

static void begin_session(struct store *s, const char *name, int64_t begun, uint64_t count)
{
	struct op_session_about about = { .begun = begun, .ended = s->now };
	int fd = samples_make_dir(s->samples_fd, name);

	samples_add(fd, &(struct samples_file){ .path = "/bin/now", .count = count });
	assert_int_equal(op_session_about_write(&about, fd), 0);
	close(fd);
}

/* Close the current session as the daemon does, and begin a new one. */
static void close_current(struct store *s)
{
	char name[ITV_NAME_SIZE];

	name_session(name, s->now - 100, s->now);
	if (s->is_named) {
		assert_int_equal(renameat2(s->store_fd, name, s->samples_fd, "current",
					   RENAME_EXCHANGE), 0);
		return;
	}
	begin_session(s, "next", s->now, 1);
	assert_int_equal(renameat(s->samples_fd, "current", s->store_fd, name), 0);
	assert_int_equal(renameat(s->samples_fd, "next", s->samples_fd, "current"), 0);
}

static int add_part(void *arg, const struct itv *v, const struct itv_range_part *part,
		    const struct itv_range_source *source)
{
	struct store *s = arg;

	(void)part;
	(void)source;
	s->sum += v->accounting.samples;
	if (++s->nr == s->close_after) {
		s->close_after = 0;
		close_current(s);
	}
	return 0;
}

static int reset_sum(void *arg)
{
	struct store *s = arg;

	s->sum = s->nr = 0;
	return 0;
}

static void note_damage(void *arg, const char *name, int err)
{
	struct store *s = arg;

	(void)name;
	s->damaged = err;
}

static void read_all(struct store *s)
{
	const struct itv_range_reader reader = {
		.part = add_part, .again = reset_sum, .damaged = note_damage, .reads = ITV_READ_ALL,
				.arg = s,
	};
	struct itv_range range = { .asked = calloc(1, sizeof(*range.asked)), .nr_asked = 1 };

	assert_non_null(range.asked);
	range.asked[0] = (struct op_period){ .begin = s->now - 5000, .end = s->now + 1000 };
	assert_int_equal(itv_range_read(&range, s->samples_fd, &reader), 0);
	itv_range_release(&range);
}

/*
 * If the daemon closes the current session while a reader reads earlier intervals, the reader still
 * gets the samples of the closed session.
 */
static void test_closed_while_read(void **state)
{
	struct store s;

	store_open(&s, *state);
	add_interval(&s, s.now - 3700, s.now - 100, 1000);
	begin_session(&s, "current", s.now - 100, 500);
	read_all(&s);
	assert_int_equal(s.sum, 1500);
	assert_int_equal(s.nr, 2);
	s.close_after = 1;
	read_all(&s);
	assert_int_equal(s.sum, 1501);
	assert_int_equal(s.nr, 3);
	assert_int_equal(s.damaged, 0);
	store_close(&s);
}

/*
 * If the new, empty session has the closed session's name for a moment, the reader reads the
 * samples of both sessions once.
 */
static void test_exchanged_session_is_read_once(void **state)
{
	char name[ITV_NAME_SIZE];
	struct store s;

	store_open(&s, *state);
	add_interval(&s, s.now - 3700, s.now - 100, 1000);
	begin_session(&s, "current", s.now - 100, 500);
	name_session(name, s.now - 100, s.now);
	close(samples_make_dir(s.store_fd, name));
	s.is_named = true;
	s.close_after = 2;
	read_all(&s);
	assert_int_equal(s.sum, 1500);
	assert_int_equal(s.damaged, 0);
	store_close(&s);
}

/* Replace an interval by one that has @count samples at its only address. @woken: program whose
 * waits they ended, NULL: samples of no waker. */
static void set_count(struct store *s, int64_t begin, int64_t end, uint64_t count,
		      const char *woken)
{
	struct itv_entry entry = { .begin = begin, .end = end };
	struct itv v = { .nr_images = 0 };
	int fd;

	itv_name(entry.name, &entry);
	fd = openat(s->store_fd, entry.name, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(itv_file_read(&v, fd, ITV_READ_ALL, 1 << 20), 0);
	assert_int_equal(v.nr_cells, 1);
	v.cells[0].count = count;
	if (woken)
		v.images[v.groups[0].app].woken = strdup(woken);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(itv_file_write(&v, fd, 1, NULL), 0);
	itv_release(&v);
	close(fd);
}

/* The sum of many small intervals may not have more samples than one interval may have. */
static void test_sum_is_limited(void **state)
{
	const uint64_t many = 3ull << 46;
	struct store s;

	store_open(&s, *state);
	add_interval(&s, s.now - 3700, s.now - 3000, 1);
	set_count(&s, s.now - 3700, s.now - 3000, many, NULL);
	read_all(&s);
	assert_int_equal(s.sum, many);
	assert_int_equal(s.damaged, 0);
	add_interval(&s, s.now - 3000, s.now - 2000, 1);
	set_count(&s, s.now - 3000, s.now - 2000, many, NULL);
	add_interval(&s, s.now - 2000, s.now - 1000, 10);
	read_all(&s);
	assert_int_equal(s.sum, many + 10);
	assert_int_equal(s.damaged, ITV_ERR_TOO_BIG);
	store_close(&s);
}

/* The same for samples of wakers, which the sum of samples does not include. */
static void test_sum_of_wakers_is_limited(void **state)
{
	const uint64_t many = 3ull << 46;
	struct store s;

	store_open(&s, *state);
	add_interval(&s, s.now - 3700, s.now - 3000, 1);
	set_count(&s, s.now - 3700, s.now - 3000, many, "/bin/woken");
	add_interval(&s, s.now - 3000, s.now - 2000, 10);
	read_all(&s);
	assert_int_equal(s.sum, 10);
	assert_int_equal(s.damaged, 0);
	set_count(&s, s.now - 3000, s.now - 2000, many, "/bin/woken");
	read_all(&s);
	assert_int_equal(s.sum, 0);
	assert_int_equal(s.damaged, ITV_ERR_TOO_BIG);
	store_close(&s);
}

/*
 * Read the intervals from @begin to @end, in seconds before now. Check the gaps, listed as "FROM-TO
 * REASON", and the end @last of the last part.
 */
static void assert_gaps_of(struct store *s, int64_t begin, int64_t end, int64_t last,
			   const char *expected)
{
	const struct itv_range_reader reader = {
		.part = add_part, .again = reset_sum, .damaged = note_damage, .reads = ITV_READ_ALL,
				.arg = s,
	};
	struct itv_range range = { .asked = calloc(1, sizeof(*range.asked)), .nr_asked = 1 };
	char text[1000] = "";

	assert_non_null(range.asked);
	range.asked[0] = (struct op_period){ s->now - begin, s->now - end };
	assert_int_equal(itv_range_read(&range, s->samples_fd, &reader), 0);
	for (size_t i = 0; i < range.nr_gaps; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d-%d %s\n",
			 (int)(s->now - range.gaps[i].from_ns / 1000000000),
			 (int)(s->now - range.gaps[i].to_ns / 1000000000), range.gaps[i].reason);
	assert_string_equal(text, expected);
	assert_true(range.nr_parts > 0);
	assert_int_equal(s->now - range.parts[range.nr_parts - 1].end, last);
	itv_range_release(&range);
}

static void test_reasons_of_gaps(void **state)
{
	struct store s;

	store_open(&s, *state);
	add_interval(&s, s.now - 4000, s.now - 3000, 10);
	add_interval(&s, s.now - 2000, s.now - 1000, 10);
	begin_session(&s, "current", s.now - 1000, 1);
	assert_gaps_of(&s, 5000, 3500, 3000, "5000-4000 before the first interval\n");
	assert_gaps_of(&s, 5000, 1500, 1000,
		       "5000-4000 before the first interval\n3000-2000 not running\n");
	/* The first interval that is read need not be the first interval of the store. */
	assert_gaps_of(&s, 2500, 1500, 1000, "2500-2000 not running\n");
	assert_int_equal(itv_store_note_removed(s.store_fd, s.now - 5000, true), 0);
	assert_int_equal(itv_store_note_removed(s.store_fd, s.now - 4500, false), 0);
	assert_gaps_of(&s, 6000, 3500, 3000,
		       "6000-5000 older than --keep\n5000-4500 removed by --max-disk\n"
		       "4500-4000 not running\n");
	store_close(&s);
}

/*
 * The session that the daemon is writing covers the time up to its last written totals, and the
 * time from these totals until now is not a gap.
 */
static void test_live_session_ends_at_last_totals(void **state)
{
	struct op_session_about about = { .begun = 0 };
	struct op_session_stats stats = { 0 };
	struct store s;
	int fd;

	store_open(&s, *state);
	about = (struct op_session_about){ .begun = s.now - 1000, .ended = s.now - 10 };
	begin_session(&s, "current", s.now - 1000, 1);
	fd = openat(s.samples_fd, "current", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(op_session_about_write(&about, fd), 0);
	op_session_writer_self(&stats.writer);
	assert_int_equal(op_session_stats_write(&stats, fd), 0);
	close(fd);
	assert_gaps_of(&s, 1000, 0, 10, "");
	/* A period that begins after the last written totals still includes the current session. */
	assert_gaps_of(&s, 5, 0, 10, "");
	store_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_closed_while_read),
		test_in_dir(test_exchanged_session_is_read_once),
		test_in_dir(test_reasons_of_gaps),
		test_in_dir(test_live_session_ends_at_last_totals),
		test_in_dir(test_sum_is_limited),
		test_in_dir(test_sum_of_wakers_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
