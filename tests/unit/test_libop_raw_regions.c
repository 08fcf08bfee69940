// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_regions.c -- tests the parser of executable mappings in /proc/PID/maps.
 */
#include "config.h"
#include "libop/raw/regions.h"

#include <errno.h>
#include <sys/mman.h>

#include "tests/unit/check.h"

static const char text[] =
	"55d4c0000000-55d4c0002000 r--p 00000000 fe:01 131085                     /usr/bin/a b\n"
	"55d4c0002000-55d4c0007000 r-xp 00002000 fe:01 131085                     /usr/bin/a b\n"
	"55d4c1000000-55d4c1021000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
	"7f0000002000-7f0000003000 r-xs 00000000 00:01 2052                       /memfd:jit (deleted)\n"
	"7f0000004000-7f0000005000 --xp 00003000 fd:1a 18446744073709551615       /tmp/x\\012y\n"
	"7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

struct source {
	const char *text;
	/*
	 * .left: number of bytes of the text that were not read yet; .most: maximum number of bytes
	 * that one read returns
	 */
	size_t left, most;
};

static long next(void *arg, void *buf, size_t len)
{
	struct source *s = arg;

	if (len > s->left)
		len = s->left;
	if (len > s->most)
		len = s->most;
	memcpy(buf, s->text, len);
	s->text += len;
	s->left -= len;
	return len;
}

static long print_region(void *arg, const struct raw_region *r)
{
	fprintf(arg, "%llx-%llx %llx %x:%x %llu '%.*s'\n", (unsigned long long)r->start, (unsigned long long)r->end,
		(unsigned long long)r->offset, r->major, r->minor, (unsigned long long)r->inode, (int)r->path_len, r->path);
	return 0;
}

static const char want[] =
	"55d4c0002000-55d4c0007000 2000 fe:1 131085 '/usr/bin/a b'\n"
	"7f0000000000-7f0000001000 0 0:0 0 ''\n"
	"7f0000002000-7f0000003000 0 0:1 2052 '/memfd:jit (deleted)'\n"
	"7f0000004000-7f0000005000 3000 fd:1a 18446744073709551615 '/tmp/x\\012y'\n"
	"7ffd00000000-7ffd00002000 0 0:0 0 '[vdso]'\n"
	"ffffffffff600000-ffffffffff601000 0 0:0 0 '[vsyscall]'\n";

static void test_maps_are_parsed_in_any_pieces(void **state)
{
	char buf[RAW_REGIONS_BUF], *got;
	size_t got_len;

	(void)state;
	for (size_t most = 1; most < sizeof(text) + 1; most++) {
		struct source s = { text, sizeof(text) - 1, most };
		FILE *f = open_memstream(&got, &got_len);

		assert_non_null(f);
		assert_int_equal(raw_regions_walk(buf, 128, next, &s, print_region, f), 0);
		fclose(f);
		assert_string_equal(got, want);
		free(got);
	}
}

static void test_broken_maps_are_refused(void **state)
{
	static const char *const bad[] = {
		"x\n", "\n", "1-2 r-xp\n", "2-1 r-xp 0 0:0 0\n", "1-2 r-xp 0 0:0\n", "1-2 r-xp 0 0:0 0", "1-2r-xp 0 0:0 0\n",
		"11111111111111111-2 r-xp 0 0:0 0\n", "1-2 r-xp zz 0:0 0\n", "1-2 r", "1-2 r-x\n",
	};
	char buf[RAW_REGIONS_BUF], line[2 * RAW_REGIONS_BUF], *got;
	size_t got_len;
	FILE *f = open_memstream(&got, &got_len);

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct source s = { bad[i], strlen(bad[i]), 100 };

		assert_int_equal(raw_regions_walk(buf, sizeof(buf), next, &s, print_region, f),
				 -EINVAL);
	}
	/* A line that is longer than any line that a kernel prints is refused. */
	memset(line, 'x', sizeof(line));
	memcpy(line, "1-2 r-xp 0 0:0 0 ", 17);
	struct source s = { line, sizeof(line), sizeof(line) };
	assert_int_equal(raw_regions_walk(buf, sizeof(buf), next, &s, print_region, f), -EINVAL);
	fclose(f);
	assert_int_equal(got_len, 0);
	free(got);
}

static long read_fd(void *arg, void *buf, size_t len)
{
	long got = read(*(int *)arg, buf, len);

	return got < 0 ? -errno : got;
}

static long find(void *arg, const struct raw_region *r)
{
	uint64_t at = (uintptr_t)arg;

	return at >= r->start && at < r->end ? 7 : 0;
}

/* In the maps of the test itself, a function is in an executable region, and a variable is not. */
static void test_own_functions_are_executable(void **state)
{
	char buf[RAW_REGIONS_BUF];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(raw_regions_walk(buf, sizeof(buf), read_fd, &fd, find,
					  (void *)(uintptr_t)test_own_functions_are_executable), 7);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(raw_regions_walk(buf, sizeof(buf), read_fd, &fd, find, buf), 0);
	close(fd);
	fd = -1;
	assert_int_equal(raw_regions_walk(buf, sizeof(buf), read_fd, &fd, find, buf), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps_are_parsed_in_any_pieces),
		cmocka_unit_test(test_broken_maps_are_refused),
		cmocka_unit_test(test_own_functions_are_executable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
