// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_sample_cache.c -- tests the cache of sample files: reopening, separation by build,
 * renaming of incompatible files, and limits.
 */
#include "config.h"
#include "tests/unit/store.h"

#include "daemon/base/next_session.h"
#include "libop/session/recover.h"
#include "libdb/odb.h"
#include "libop/session/sample_header.h"

static struct opd_image prog = { .path = "/bin/prog", .mtime = 1000 };

static int setup(void **state)
{
	store_setup(state, (struct op_event_spec){ .name = "OTHER", .count = 5000, .um = 3, .kernel = 1, .user = 1 });
	return 0;
}

static void open_cache(struct store *f)
{
	store_open_cache(f, 1234.5);
}

static void close_cache(struct store *f)
{
	opd_sample_cache_destroy(f->cache);
	f->cache = NULL;
}

static struct opd_file_key key_of(const struct opd_image *image)
{
	struct opd_file_key key;

	memset(&key, 0, sizeof(key));
	key.tgid = key.tid = key.cpu = OP_ALL;
	key.app = key.image = image;
	return key;
}

static void add(struct store *f, const struct opd_image *image, uint64_t offset, uint32_t count)
{
	struct opd_file_key key = key_of(image);
	struct opd_sample s = { offset, 0, count };

	opd_sample_cache_add(f->cache, &key, &s, 1, 0);
}

#define FILE_OF(path) "{root}" path "/{dep}/{root}" path "/TIMER.1000000.0.all.all.all"

/* Return the sum of the counts in a sample file, and store its header in *@h. Return -1 if the file
 * does not exist. */
static int64_t sum_of(struct store *f, const char *name, struct op_sample_header *h)
{
	int fd = openat(f->session.current_fd, name, O_RDONLY);
	struct odb *db;
	int64_t sum = 0;

	if (fd < 0)
		return -1;
	assert_int_equal(odb_open(&db, fd, sizeof(*h), ODB_READ, NULL), 0);
	if (h)
		memcpy(h, odb_header(db), sizeof(*h));
	sum = odb_total(db);
	odb_close(db);
	return sum;
}

static void test_header_and_restart(void **state)
{
	struct store *f = *state;
	struct op_sample_header h;

	for (int i = 0; i < 3; i++) {
		open_cache(f);
		add(f, &prog, 0x10, 2);
		add(f, &prog, 0x20 + i, 1);
		close_cache(f);
		assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), &h), 3 * (i + 1));
	}
	assert_int_equal(op_sample_header_check(&h), 0);
	assert_int_equal(h.cpu_type, 4);
	assert_int_equal(h.ctr_count, 1000000);
	assert_int_equal(h.mtime, 1000);
	assert_int_equal(h.is_kernel, 0);
	assert_true(h.cpu_speed == 1234.5);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 9);
}

static void test_newer_version_renames_older_file(void **state)
{
	struct store *f = *state;
	struct opd_image newer = { .path = "/bin/prog", .mtime = 2000 };
	struct opd_image older = { .path = "/bin/prog", .mtime = 500 };

	open_cache(f);
	add(f, &prog, 0x10, 1);
	add(f, &newer, 0x10, 10);
	/* The open file was renamed together with its old samples, so a new file is used. */
	add(f, &prog, 0x20, 1);
	add(f, &older, 0x10, 100);
	opd_sample_cache_close_all(f->cache);
	add(f, &prog, 0x30, 1);
	add(f, &older, 0x30, 100);
	add(f, &newer, 0x30, 10);
	close_cache(f);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 20);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog (version of 1970-01-01 00:16:40 UTC)"), NULL),
			 3);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog (version of 1970-01-01 00:08:20 UTC)"), NULL),
			 200);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 223);
	assert_int_equal(f->stats.v[OPD_STAT_VERSIONS], 1);
}

/*
 * Samples of two builds are not mixed, even if both builds have the same modification time because
 * they were made within one second.
 */
static void test_builds_with_equal_mtime_are_separate(void **state)
{
	struct store *f = *state;
	struct opd_image builds[] = {
		{ .path = "/bin/prog", .mtime = 1000, .identity = { 0xa, 1 } },
		{ .path = "/bin/prog", .mtime = 1000, .identity = { 0xb, 1 } },
		{ .path = "/bin/prog", .mtime = 1000, .identity = { 0xc, 1 } },
	};
	struct op_sample_header h;

	for (int round = 0; round < 2; round++) {
		open_cache(f);
		for (int i = 0; i < 30; i++)
			add(f, &builds[i % 3], i, 1 + i % 3);
		close_cache(f);
	}
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), &h), 20);
	assert_int_equal(h.build, 0xa);
	assert_int_equal(h.owner, 1);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog (build 0000000b)"), &h), 40);
	assert_int_equal(h.build, 0xb);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog (build 0000000c)"), &h), 60);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 120);
}

/* A binary that could not be opened may be another one than a known binary at the same path: its
 * samples are not in the known binary's file, whichever file is first. */
static void test_unknown_binaries_are_separate(void **state)
{
	struct store *f = *state;
	struct opd_image known[] = {
		{ .path = "/bin/later", .mtime = 1000, .identity = { 0xa, 1 } },
		{ .path = "/bin/epoch", .mtime = 0, .identity = { 0xb, 1 } },
		{ .path = "/bin/unread", .mtime = 1000 },
	};
	struct opd_image unknown[] = {
		{ .path = "/bin/later" }, { .path = "/bin/epoch" }, { .path = "/bin/unread" },
	};
	struct op_sample_header h;
	char path[256];

	for (int round = 0; round < 2; round++) {
		open_cache(f);
		for (int i = 0; i < 3; i++) {
			add(f, &known[i], 0x10, 1);
			add(f, &unknown[i], 0x10, 10);
		}
		close_cache(f);
	}
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), FILE_OF("%s"), known[i].path, known[i].path);
		assert_int_equal(sum_of(f, path, &h), 2);
		assert_int_equal(h.build, known[i].identity.build);
		snprintf(path, sizeof(path), FILE_OF("%s (build 00000000)"), known[i].path, known[i].path);
		assert_int_equal(sum_of(f, path, &h), 20);
		assert_int_equal(h.build, 0);
		assert_int_equal(h.mtime, 0);
	}
}

/* The unknown binary is the first one at the path. */
static void test_known_binaries_are_not_in_unknown_files(void **state)
{
	struct store *f = *state;
	struct opd_image unknown = { .path = "/bin/prog" };
	struct opd_image known[] = {
		{ .path = "/bin/prog", .mtime = 1000, .identity = { 0xa, 1 } },
		{ .path = "/bin/prog", .mtime = 0, .identity = { 0xb, 1 } },
		{ .path = "/bin/prog", .mtime = 1000 },
	};

	for (int round = 0; round < 2; round++) {
		open_cache(f);
		add(f, &unknown, 0x10, 1);
		for (int i = 0; i < 3; i++)
			add(f, &known[i], 0x10, 10 * (i + 1));
		close_cache(f);
	}
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 2);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog (build 0000000a)"), NULL), 20);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog (build 0000000b)"), NULL), 40);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog (version of 1970-01-01 00:16:40 UTC)"), NULL), 60);
}

/* Two containers run the same package: the binaries have different inodes, but the same name and
 * modification time, and therefore the same sample file. The cache opens this file only once. */
static void test_one_writer_for_each_file(void **state)
{
	struct store *f = *state;
	struct opd_image twins[] = {
		{ .path = "/bin/prog", .dev = 1, .ino = 1, .mtime = 1000 },
		{ .path = "/bin/prog", .dev = 2, .ino = 7, .mtime = 1000 },
		{ .path = "/bin/prog", .dev = 3, .ino = 1, .mtime = 1000 },
	};
	struct op_session_sums sums;

	f->cfg.set.max_open = 2;
	open_cache(f);
	for (int i = 0; i < 3000; i++) {
		add(f, &twins[i % 2], i * 8, 1);
		add(f, &twins[i / 700 % 3], i * 8 + 4, 1);
	}
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 6000);
	assert_int_equal(opd_sample_cache_sync(f->cache), 0);
	assert_false(opd_sample_cache_dirty(f->cache));
	close_cache(f);
	assert_int_equal(op_session_sums_read(&sums, f->session.current_fd), 0);
	assert_int_equal(sums.stored, 6000);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 6000);
	assert_int_equal(f->stats.v[OPD_STAT_REPAIRED], 0);
}

/* The duration of a step does not depend on the number of files, and samples may arrive between
 * steps. */
static void test_files_are_synced_and_closed_in_steps(void **state)
{
	enum { NR = 500 };
	struct store *f = *state;
	static char paths[NR][24];
	static struct opd_image images[NR];
	int nr = 1, err;

	open_cache(f);
	for (int i = 0; i < NR; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/bin/prog%d", i);
		images[i].path = paths[i];
		add(f, &images[i], 0x10, 1);
	}
	opd_sample_cache_begin_sync(f->cache);
	while ((err = opd_sample_cache_sync_step(f->cache)) > 0) {
		add(f, &images[0], 0x20, 1);
		add(f, &images[NR - 1], 0x20, 1);
		assert_true(nr++ < NR);
	}
	assert_int_equal(err, 0);
	assert_true(nr > 2);
	/* Two files have changed since their step. */
	assert_true(opd_sample_cache_dirty(f->cache));
	assert_int_equal(opd_sample_cache_sync(f->cache), 0);
	assert_false(opd_sample_cache_dirty(f->cache));
	assert_false(opd_sample_cache_is_closing(f->cache));
	opd_sample_cache_close_all(f->cache);
	assert_true(opd_sample_cache_is_closing(f->cache));
	assert_int_equal(opd_sample_cache_nr_open(f->cache), 0);
	/* A sample opens a file that waits for its sync again. */
	add(f, &images[1], 0x30, 1);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog1"), NULL), 2);
	for (nr = 1; opd_sample_cache_close_step(f->cache); nr++)
		;
	assert_true(nr > 2);
}

static void write_at(struct store *f, const char *name, const void *data, size_t len)
{
	int fd = openat(f->session.current_fd, name, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static void test_damaged_files_are_set_aside(void **state)
{
	struct store *f = *state;
	struct op_sample_header h;
	struct stat st;

	op_sample_header_init(&h);
	open_cache(f);
	add(f, &prog, 0x10, 1);
	opd_sample_cache_close_all(f->cache);

	write_at(f, FILE_OF("/bin/prog"), "garbage", 7);
	add(f, &prog, 0x10, 1);
	opd_sample_cache_close_all(f->cache);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 1);

	h.version = 0x12;	/* version of the file format of an old release */
	write_at(f, FILE_OF("/bin/prog"), &h, sizeof(h));
	add(f, &prog, 0x10, 1);
	opd_sample_cache_close_all(f->cache);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 1);

	/* A symbolic link is in the place of the sample file. */
	assert_int_equal(unlinkat(f->session.current_fd, FILE_OF("/bin/prog"), 0), 0);
	assert_int_equal(symlinkat("/etc/passwd", f->session.current_fd, FILE_OF("/bin/prog")), 0);
	add(f, &prog, 0x10, 1);
	opd_sample_cache_close_all(f->cache);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 1);
	assert_int_equal(unlinkat(f->session.current_fd, FILE_OF("/bin/prog"), 0), 0);
	assert_int_equal(mkfifoat(f->session.current_fd, FILE_OF("/bin/prog"), 0600), 0);
	add(f, &prog, 0x10, 1);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 1);

	assert_int_equal(f->stats.v[OPD_STAT_SET_ASIDE], 4);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 5);
	assert_int_equal(fstatat(f->session.current_fd, "damaged/4.TIMER.1000000.0.all.all.all", &st,
				 AT_SYMLINK_NOFOLLOW), 0);
}

/* The next daemon continues files of a daemon that was killed just before or just after it
 * allocated the new file's disk space. */
static void test_unwritten_files_are_continued(void **state)
{
	struct store *f = *state;
	char zeros[2664] = { 0 };

	open_cache(f);
	add(f, &prog, 0x10, 1);
	opd_sample_cache_close_all(f->cache);
	write_at(f, FILE_OF("/bin/prog"), "", 0);
	add(f, &prog, 0x10, 1);
	opd_sample_cache_close_all(f->cache);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 1);
	write_at(f, FILE_OF("/bin/prog"), zeros, sizeof(zeros));
	add(f, &prog, 0x10, 7);
	opd_sample_cache_close_all(f->cache);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 7);
	assert_int_equal(f->stats.v[OPD_STAT_SET_ASIDE], 0);
}

/* A daemon that stores intervals has few sample files open, unless --max-open permits more. */
static void test_intervals_limit_open_files(void **state)
{
	enum { NR = 500, MOST = 384 };
	struct store *f = *state;
	static char paths[NR][24];
	static struct opd_image images[NR];

	f->cfg.intervals.interval = 600;
	for (int round = 0; round < 2; round++) {
		open_cache(f);
		for (int i = 0; i < NR; i++) {
			snprintf(paths[i], sizeof(paths[i]), "/bin/prog%d", i);
			images[i].path = paths[i];
			add(f, &images[i], 0x10, 1);
		}
		if (round)
			assert_in_range(opd_sample_cache_nr_open(f->cache), MOST + 1, NR);
		else
			assert_in_range(opd_sample_cache_nr_open(f->cache), 1, MOST);
		close_cache(f);
		f->cfg.set.max_open = NR;
	}
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 2 * NR);
}

static void test_least_recently_used_file_is_closed(void **state)
{
	enum { NR = 50 };
	struct store *f = *state;
	struct opd_image images[NR];
	char paths[NR][20];
	struct op_session_sums sums;

	f->cfg.set.max_open = 8;
	open_cache(f);
	for (int i = 0; i < NR; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/bin/p%d", i);
		images[i] = (struct opd_image){ .path = paths[i], .mtime = 1 };
	}
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < NR; i++) {
			add(f, &images[(i * 7 + round) % NR], i, 1);
			add(f, &images[0], 5, 1);
			assert_in_range(opd_sample_cache_nr_open(f->cache), 1, 8);
		}
	}
	assert_true(opd_sample_cache_dirty(f->cache));
	assert_int_equal(opd_sample_cache_sync(f->cache), 0);
	assert_false(opd_sample_cache_dirty(f->cache));
	close_cache(f);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 2 * 20 * NR);
	assert_int_equal(op_session_sums_read(&sums, f->session.current_fd), 0);
	assert_int_equal(sums.stored, 2 * 20 * NR);
	assert_int_equal(sums.unreadable, 0);
}

static void test_number_of_files_is_limited(void **state)
{
	struct store *f = *state;
	struct opd_image images[20];
	char paths[20][20];

	f->cfg.set.max_files = 10;
	open_cache(f);
	for (int i = 0; i < 20; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/bin/p%d", i);
		images[i] = (struct opd_image){ .path = paths[i] };
		add(f, &images[i], 1, 3);
	}
	add(f, &images[0], 1, 3);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 33);
	assert_int_equal(f->stats.v[OPD_STAT_TOO_MANY_FILES], 30);
	/* In a new session the whole limit is available again. */
	opd_sample_cache_close_all(f->cache);
	assert_int_equal(opd_session_reset(&f->session), 0);
	opd_sample_cache_restart(f->cache);
	add(f, &images[15], 1, 3);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 36);
}

/* The limit of files includes directories, because each directory needs an inode and a path may
 * have a thousand directories. */
static void test_number_of_directories_is_limited(void **state)
{
	struct store *f = *state;
	char path[1600];
	struct opd_image image = { .path = path };

	for (size_t i = 0; i < sizeof(path) - 1; i++)
		path[i] = i % 2 ? 'd' : '/';
	path[sizeof(path) - 1] = '\0';
	f->cfg.set.max_files = 150;
	open_cache(f);
	add(f, &image, 1, 1);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 1);
	path[1] = 'e';
	opd_sample_cache_close_all(f->cache);
	add(f, &image, 1, 1);		/* the same number of directories again exceeds the limit */
	add(f, &prog, 1, 1);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 1);
	assert_int_equal(f->stats.v[OPD_STAT_TOO_MANY_FILES], 2);
}

static void test_events_have_separate_files(void **state)
{
	struct store *f = *state;
	struct opd_file_key key = key_of(&prog);
	struct opd_sample s = { 1, 1, 5 };
	struct op_sample_header h;

	open_cache(f);
	add(f, &prog, 1, 1);
	key.event = 1;
	opd_sample_cache_add(f->cache, &key, &s, 1, 0);
	close_cache(f);
	assert_int_equal(sum_of(f, FILE_OF("/bin/prog"), NULL), 1);
	assert_int_equal(sum_of(f, "{root}/bin/prog/{dep}/{root}/bin/prog/OTHER.5000.3.all.all.all",
				&h), 5);
	assert_int_equal(h.ctr_um, 3);
	assert_int_equal(h.ctr_count, 5000);
}

/* If a user runs new programs without end, a budget limits the number of their sample files. */
static void test_new_files_of_a_user_have_a_budget(void **state)
{
	struct store *f = *state;
	char paths[40][32];
	struct opd_image images[40] = { { 0 } };
	struct opd_image libc = { .path = "/usr/lib/libc.so", .identity.owner = 1 };
	const struct opd_sample sample = { .offset = 0x40, .count = 2 };
	struct opd_file_key key;
	uint64_t over;

	if (geteuid() != 0)
		skip();
	f->cfg.set.new_files = 6;
	open_cache(f);
	for (int i = 0; i < 20; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/home/u/tiny-%d", i);
		images[i].path = paths[i];
		images[i].identity.owner = 1001;
		key = key_of(&images[i]);
		opd_sample_cache_add(f->cache, &key, &sample, 1, 0);
		key.image = &libc;
		opd_sample_cache_add(f->cache, &key, &sample, 1, 0);
	}
	/* No sample is lost, and root's programs have no limit. */
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 80);
	over = f->stats.v[OPD_STAT_OVER_BUDGET];
	assert_true(over >= 60);
	for (int i = 20; i < 40; i++) {
		images[i].path = paths[i];
		images[i].identity.owner = 1;
		snprintf(paths[i], sizeof(paths[i]), "/usr/bin/tiny-%d", i);
		key = key_of(&images[i]);
		opd_sample_cache_add(f->cache, &key, &sample, 1, 0);
	}
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 120);
	assert_int_equal(f->stats.v[OPD_STAT_OVER_BUDGET], over);
	close_cache(f);
	assert_int_equal(faccessat(f->session.current_fd, "{root}/usr/bin/tiny-39", F_OK, 0), 0);
	assert_int_equal(faccessat(f->session.current_fd, "{root}/home/u/tiny-0", F_OK, 0), 0);
	assert_int_equal(faccessat(f->session.current_fd, "{root}/home/u/tiny-19", F_OK, 0), -1);
	assert_int_equal(faccessat(f->session.current_fd, "{root}/(more programs of user 1000)/{dep}/"
				   "{root}/usr/lib/libc.so/TIMER.1000000.0.all.all.all", F_OK, 0), 0);
}

/* If many files are open, samples wait in the queue, in runs of any length, for the flush or for
 * later samples of the same file. */
static void test_queued_samples_of_many_files_are_stored(void **state)
{
	enum { FILES = 400, ROUNDS = 5 };
	struct store *f = *state;
	struct opd_image *images = calloc(FILES, sizeof(*images));
	char (*paths)[32] = calloc(FILES, sizeof(*paths));
	struct opd_sample samples[100];
	struct opd_file_key key;
	uint64_t added = 0;

	open_cache(f);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < FILES; i++) {
			size_t nr = i % 100 == 7 ? 100 : 1 + i % 20;

			snprintf(paths[i], sizeof(paths[i]), "/bin/%d", i);
			images[i].path = paths[i];
			for (size_t n = 0; n < nr; n++)
				samples[n] = (struct opd_sample){ .offset = 100 + n * 8, .count = i + 1 };
			key = key_of(&images[i]);
			opd_sample_cache_add(f->cache, &key, samples, nr, 100);
			added += nr * (i + 1);
		}
	}
	assert_true(opd_sample_cache_dirty(f->cache));
	opd_sample_cache_flush(f->cache);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], added);
	for (int i = 0; i < FILES; i++) {
		size_t nr = i % 100 == 7 ? 100 : 1 + i % 20;
		char name[200];

		snprintf(name, sizeof(name), "{root}%s/{dep}/{root}%s/TIMER.1000000.0.all.all.all",
			 paths[i], paths[i]);
		assert_int_equal(sum_of(f, name, NULL), ROUNDS * nr * (i + 1));
	}
	/* When the files are closed, samples that wait in memory are stored. */
	opd_sample_cache_add(f->cache, &key, samples, 1, 100);
	close_cache(f);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], added + samples[0].count);
	free(paths);
	free(images);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, store_teardown)
	const struct CMUnitTest tests[] = {
		T(test_header_and_restart),
		T(test_newer_version_renames_older_file),
		T(test_builds_with_equal_mtime_are_separate),
		T(test_unknown_binaries_are_separate),
		T(test_known_binaries_are_not_in_unknown_files),
		T(test_one_writer_for_each_file),
		T(test_files_are_synced_and_closed_in_steps),
		T(test_damaged_files_are_set_aside),
		T(test_unwritten_files_are_continued),
		T(test_intervals_limit_open_files),
		T(test_least_recently_used_file_is_closed),
		T(test_number_of_files_is_limited),
		T(test_number_of_directories_is_limited),
		T(test_events_have_separate_files),
		T(test_new_files_of_a_user_have_a_budget),
		T(test_queued_samples_of_many_files_are_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
