// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_mutated.c -- prints complete reports of damaged input (sample files, their names,
 * binaries, and other files of a session), and reports during which each allocation fails once. A
 * report may fail or lack symbols, but may not crash, hang or leak (checked by sanitizers).
 * OP_MUTATIONS sets the number of mutations, OP_SEED the seed of the random numbers.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libop/base/fs.h"
#include "libop/cpu/type.h"
#include "libop/session/mangle.h"
#include "libop/session/sample_header.h"
#include "pp/format/format.h"
#include "pp/join/diff.h"
#include "pp/join/make.h"
#include "pp/profile/sort.h"
#include "pp/session/open.h"
#include "tests/unit/pp_log.h"

#define MAX_FILE	(1 << 20)

/*
 * Number of allocations that succeed before one fails; negative: no allocation fails. The linker
 * replaces the allocator by this file's wrappers.
 */
static long allocations_left = -1;

static bool allocation_fails(void)
{
	return allocations_left >= 0 && allocations_left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t nr, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t nr, size_t size);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t size)
{
	return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return allocation_fails() ? NULL : __real_calloc(nr, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return allocation_fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t nr, size_t size)
{
	return allocation_fails() ? NULL : __real_reallocarray(p, nr, size);
}

char *__wrap_strdup(const char *s)
{
	return allocation_fails() ? NULL : __real_strdup(s);
}

struct target {
	char path[PATH_MAX];
	char *bytes;
	size_t len;
};

struct fixture {
	/* .dir: path of the session directory; .root: path of the directory below which binaries
	 * are searched */
	char dir[PATH_MAX / 2];
	struct target targets[9];
	size_t nr;
	uint64_t random;
};

static uint32_t next_random(struct fixture *f)
{
	f->random = f->random * 6364136223846793005u + 1442695040888963407u;
	return f->random >> 33;
}

static void write_file(const char *path, const void *bytes, size_t len)
{
	FILE *file;

	/* Unlink the file first, because ext4 waits for the disk when a truncated file is written
	 * again. */
	unlink(path);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path, size_t *len)
{
	char *bytes = malloc(MAX_FILE);
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	*len = fread(bytes, 1, MAX_FILE, file);
	assert_true(*len < MAX_FILE);
	fclose(file);
	return bytes;
}

static void add_target(struct fixture *f, const char *path)
{
	struct target *t = &f->targets[f->nr++];
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", f->dir, path);
	memcpy(t->path, full, sizeof(full));
	t->bytes = read_file(full, &t->len);
}

static void make_samples(struct fixture *f, const char *image, enum op_image_kind kind,
			 const char *callee, uint64_t from, uint64_t to)
{
	struct op_sample_name name = {
		.app = {.kind = OP_IMAGE_ROOT, .path = (char *)"/prog"},
		.image = {.kind = kind,
			  .path = (char *)image,
			  .anon_tgid = 42,
			  .anon_start = 0x7f0000000000,
			  .anon_end = 0x7f0000001000},
		.callee = {.kind = OP_IMAGE_ROOT, .path = (char *)callee},
		.event = (char *)"TIMER",
		.count = 1000000,
		.tgid = OP_ALL,
		.tid = OP_ALL,
		.cpu = OP_ALL,
	};
	struct op_sample_header *header;
	char *relative, path[PATH_MAX];
	struct odb *db;

	assert_int_equal(op_mangle(&relative, &name), 0);
	snprintf(path, sizeof(path), "samples/current/%s", relative);
	free(relative);
	int dirfd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(op_make_parents(dirfd, path, 0755), 0);
	int fd = openat(dirfd, path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	close(dirfd);
	assert_int_equal(odb_open(&db, fd, sizeof(*header), ODB_WRITE, NULL), 0);
	header = odb_header(db);
	op_sample_header_init(header);
	header->cpu_type = OP_CPU_TIMER;
	for (uint64_t key = from; key < to; key += (to - from) / 50 + 1)
		assert_int_equal(odb_update(db, key, 1 + key % 7), 0);
	odb_close(db);
	add_target(f, path);
}

/* Copy the sampled program to the fixture's directory. */
static void copy_program(struct fixture *f, const char *from)
{
	char path[PATH_MAX];
	size_t len;
	char *bytes = read_file(from, &len);

	snprintf(path, sizeof(path), "%s/prog", f->dir);
	write_file(path, bytes, len);
	free(bytes);
}

static void add_file(struct fixture *f, const char *path, const char *text)
{
	char full[PATH_MAX];
	int dirfd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(op_make_parents(dirfd, path, 0755), 0);
	close(dirfd);
	snprintf(full, sizeof(full), "%s/%s", f->dir, path);
	write_file(full, text, strlen(text));
	add_target(f, path);
}

enum { SYMBOLS, DETAILS, CALLGRAPH, DIFF, NR_KINDS };

static int write_text(const struct pp_session *session, const struct pp_profile *profile, int kind,
		      struct check_log *log)
{
	const struct pp_format_options symbols = {
		.symbols = 1,
		.show_header = 1,
		.show_address = 1,
		.details = kind == DETAILS,
		.debug_info = kind == DETAILS,
		.callgraph = kind == CALLGRAPH,
		.accumulated = kind != DIFF,
	};
	const struct pp_before before = { .session = session, .profile = profile };
	const struct pp_format_options summary = { .show_header = 1 };
	const struct pp_format_options *const all[] = { &symbols, &summary };
	FILE *out = fopen("/dev/null", "we");
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		struct pp_report r = { .session = session, .profile = profile, .options = all[i],
				       .before = kind == DIFF ? &before : NULL,
				       .log = &log->log, .command = "opreport", .out = out };

		err = pp_format_text.write(&r);
	}
	fclose(out);
	return err;
}

/* Create and print a report of the given kind. Return 0 on success. */
static int report(struct fixture *f, int kind)
{
	struct check_log log = check_log();
	struct pp_spec spec = { 0 };
	const struct pp_session_options session_options = {
		.session_dir = f->dir, .spec = &spec, .callgraph = kind == CALLGRAPH,
	};
	/* Use one thread, because the count of allocations is for a single thread. */
	const struct pp_profile_options profile_options = {
		.symbols = 1, .details = kind == DETAILS, .lines = kind == DETAILS,
		.arcs = kind == CALLGRAPH, .demangle = PP_DEMANGLE_SMART, .jobs = 1,
	};
	struct pp_images_options images_options = { .root = f->dir };
	struct pp_session *session = NULL;
	struct pp_images *images = NULL;
	struct pp_profile *profile = NULL, *diff = NULL;
	struct pp_order order;
	const char *bad;
	int err;

	err = pp_session_open(&session, &session_options, &log.log);
	if (err)
		goto done;
	images_options.samples_dirs = session->samples_dirs;
	images_options.nr_samples_dirs = session->nr_samples_dirs;
	err = pp_images_create(&images, &images_options, &log.log);
	if (!err)
		err = pp_profile_make(&profile, session, images, &profile_options, &log.log);
	if (err)
		goto done;
	if (kind == DIFF)
		err = pp_diff_make(&diff, profile, profile, &(struct pp_diff_scale){ 0 });
	if (err)
		goto done;
	assert_int_equal(pp_order_parse(&order, NULL, &bad), 0);
	err = pp_profile_sort(diff ? diff : profile, &order);
	if (!err)
		err = write_text(session, diff ? diff : profile, kind, &log);
done:
	/* Each failure has an error message for the user. */
	if (!profile)
		assert_true(*log.log.error.text || err == -ENOMEM);
	pp_profile_destroy(diff);
	pp_profile_destroy(profile);
	pp_images_destroy(images);
	pp_session_close(session);
	return err;
}

/* Return a random offset in a file of @len bytes: one of the first bytes, one of the last bytes, or
 * any byte. */
static size_t random_offset(struct fixture *f, size_t len)
{
	switch (next_random(f) % 4) {
	case 0:
		return next_random(f) % (len < 128 ? len : 128);
	case 1:
		return len - 1 - next_random(f) % (len < 4096 ? len : 4096);
	default:
		return next_random(f) % len;
	}
}

static void change_bytes(struct fixture *f, char *bytes, size_t *len)
{
	static const uint64_t odd[] = {0,	   1,	       0x7fffffff, 0x80000000,
				       0xffffffff, UINT64_MAX, INT64_MAX,  0x1000};

	for (int n = 1 + next_random(f) % 8; n && *len; n--) {
		size_t at = random_offset(f, *len), size;

		switch (next_random(f) % 5) {
		case 0:
			bytes[at] ^= 1 << next_random(f) % 8;
			break;
		case 1:
			bytes[at] = next_random(f);
			break;
		case 2:		/* write an extreme number where the format has numbers */
			at &= ~(size_t)7;
			size = next_random(f) % 2 ? 4 : 8;
			if (at + size <= *len)
				memcpy(bytes + at,
				       &odd[next_random(f) % (sizeof(odd) / sizeof(odd[0]))], size);
			break;
		case 3:
			size = next_random(f) % 64;
			if (at + size <= *len)
				memmove(bytes + at, bytes + next_random(f) % (*len - size + 1),
					size);
			break;
		case 4:
			if (next_random(f) % 8 == 0)
				*len = at;
			break;
		}
	}
}

static void rename_something(struct fixture *f)
{
	static const char *const names[] = {
		"x",
		"TIMER.1.0.all.all",
		"TIMER.1.0.all.all.all.all",
		"TIMER.-1.0.all.all.all",
		"....",
		"TIMER.1.0.1.1.1",
		"TIMER.99999999999999999999.0.all.all.all",
		"\033[2J.1.0.all.all.all",
		"TIMER.1.0.all.all.99999999999",
	};
	char path[PATH_MAX], *slash;

	snprintf(path, sizeof(path), "%s", f->targets[0].path);
	slash = strrchr(path, '/');
	snprintf(slash + 1, sizeof(path) - (slash + 1 - path), "%s",
		 names[next_random(f) % (sizeof(names) / sizeof(names[0]))]);
	write_file(path, f->targets[0].bytes, f->targets[0].len);
	report(f, 0);
	unlink(path);
}

static void make_session(struct fixture *f, const char *dir)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "%s", dir);
	copy_program(f, OP_SMALL_PROGRAM);
	make_samples(f, "/prog", OP_IMAGE_ROOT, NULL, 0x1000, 0x1400);
	make_samples(f, "/prog", OP_IMAGE_ROOT, "/prog", 0x100000001000, 0x140000001400);
	make_samples(f, "vmlinux", OP_IMAGE_KERN, NULL, 0, 0x3000);
	make_samples(f, "[vdso]", OP_IMAGE_ANON, NULL, 0, 0x1000);
	add_target(f, "prog");
	add_file(f, "samples/current/kernel-symbols",
		 "oprofile-kernel-symbols 1\nrelease 6.1\nimage vmlinux 2000\n0 T _text\n100 t a\n200 W "
		 "b\n2000 T bpf\n");
	add_file(f, "samples/current/stats/totals",
		 "sample_received 100\nstored 90\nsample_lost_overflow 10\nidle_ns 5\n");
	add_file(f, "samples/current/build-ids",
		 "0123456789abcdef0123456789abcdef01234567 /other\n");
}

static void free_session(struct fixture *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->targets[i].bytes);
}

static void reports_survive_failed_allocations(void **state)
{
	static struct fixture f;
	int failures = 0;

	make_session(&f, *state);
	for (int kind = 0; kind < NR_KINDS; kind++) {
		for (long n = 0;; n++) {
			int err;

			allocations_left = n;
			err = report(&f, kind);
			if (allocations_left >= 0)
				/* the report needed only n allocations, so all of them succeeded */
				break;
			allocations_left = -1;
			failures += err != 0;
		}
		allocations_left = -1;
		assert_int_equal(report(&f, kind), 0);
	}
	assert_true(failures > 100);
	free_session(&f);
}

static void reports_survive_damaged_input(void **state)
{
	static struct fixture f;
	const char *rounds = getenv("OP_MUTATIONS"), *seed = getenv("OP_SEED");
	size_t nr = rounds ? strtoul(rounds, NULL, 0) : 10000;
	static char damaged[MAX_FILE];

	make_session(&f, *state);
	f.random = seed ? strtoull(seed, NULL, 0) : 20240501;
	report(&f, 0);
	report(&f, 1);
	for (size_t i = 0; i < nr; i++) {
		struct target *t = &f.targets[next_random(&f) % f.nr];
		size_t len = t->len;

		if (i % 50 == 0) {
			rename_something(&f);
			continue;
		}
		memcpy(damaged, t->bytes, len);
		change_bytes(&f, damaged, &len);
		write_file(t->path, damaged, len);
		report(&f, i % NR_KINDS);
		write_file(t->path, t->bytes, t->len);
	}
	free_session(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(reports_survive_failed_allocations),
		test_in_dir(reports_survive_damaged_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
