// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_limits.c -- tests that limits of age and size, which delete intervals, are lowered
 * only by a configuration file without errors.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <fcntl.h>
#include <unistd.h>

#include "daemon/limits.h"
#include "daemon/options.h"

#define MB	(1ull << 20)
#define DAY	(24ll * 3600)

/*
 * Simulate a start of the service with its command line and a configuration file that contains
 * @text (NULL: no file): parse both, and apply the limits to the session directory.
 */
static void start(void **state, struct opd_config *cfg, const char *text)
{
	int dir = open(*state, O_RDONLY | O_DIRECTORY), fd;
	char *config;

	assert_true(dir >= 0);
	unlinkat(dir, "conf", 0);
	if (text) {
		fd = openat(dir, "conf", O_WRONLY | O_CREAT, 0644);
		assert_int_equal(write(fd, text, strlen(text)), strlen(text));
		close(fd);
	}
	assert_true(asprintf(&config, "--config=%s/conf", (char *)*state) > 0);
	{
		char *argv[] = { (char *)"oprofiled", (char *)"--interval=10m", (char *)"--keep=1y", config, NULL };

		assert_int_equal(opd_config_parse(cfg, 4, argv, stdout, stderr), OPD_PARSE_RUN);
	}
	free(config);
	assert_int_equal(opd_limits_apply(cfg, dir), 0);
	close(dir);
}

/*
 * Check the limits after a start with a configuration file. @words: expected part of the warnings,
 * or NULL.
 */
static void check(void **state, const char *text, int64_t keep, uint64_t max_disk, const char *words)
{
	struct opd_config cfg;

	start(state, &cfg, text);
	if (cfg.intervals.keep != keep || cfg.intervals.max_bytes != max_disk)
		fail_msg("%s: %lld s, %llu bytes", text, (long long)cfg.intervals.keep, (unsigned long long)cfg.intervals.max_bytes);
	if (!words)
		assert_null(cfg.complaints);
	else if (!cfg.complaints || !strstr(cfg.complaints, words))
		fail_msg("%s: %s", text, cfg.complaints ? cfg.complaints : "no complaint");
	opd_config_release(&cfg);
}

static void test_invalid_line_keeps_previous_limit(void **state)
{
	static const char *const wrong[] = {
		"MAX_DISK=2GG\nKEEP=901d\n", "MAX_DISK=2\nKEEP=901d\n", "MAXDISK=2G\n", "MAX_DISK 2G\n",
		"MAX_DISK=\"2G\nKEEP=901d\n", "COLOUR=red\n",
	};

	check(state, "MAX_DISK=2G\nKEEP=901d\n", 901 * DAY, 2048 * MB, NULL);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		check(state, wrong[i], 901 * DAY, 2048 * MB, "until this file is corrected, the daemon uses safe limits: intervals are deleted after 901 days, or above 2048 MB on disk");
	/* An invalid KEEP leaves the previous limit unchanged. */
	check(state, "KEEP=901dd\nMAX_DISK=3G\n", 20 * 365 * DAY, 3072 * MB, "line 1 keeps its default");
	/* A missing configuration file does not lower a limit. */
	check(state, NULL, 901 * DAY, 2048 * MB, "until this file is restored");
	/* A configuration file without errors lowers the limit. */
	check(state, "KEEP=30d\n", 30 * DAY, 200 * MB, NULL);
	check(state, "KEEP=1y\nMAX_DISK=x\n", 365 * DAY, 200 * MB, "line 2 keeps its default");
}

/*
 * At the first start, when no limits are stored, the limits allow the existing intervals. The next
 * start has the same limits.
 */
static void test_first_limit_fits_existing_intervals(void **state)
{
	struct opd_config cfg;
	uint64_t max;
	char *path;
	int fd;

	check(state, NULL, 365 * DAY, 200 * MB, NULL);
	assert_true(asprintf(&path, "%s/limits", (char *)*state) > 0);
	assert_int_equal(unlink(path), 0);
	free(path);
	assert_true(asprintf(&path, "%s/history", (char *)*state) > 0);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	assert_int_equal(posix_fallocate(fd, 0, 150 * MB), 0);
	start(state, &cfg, "MAX_DISK=x\n");
	max = cfg.intervals.max_bytes;
	assert_in_range(max, 300 * MB, 301 * MB);
	assert_int_equal(cfg.intervals.keep, 20 * 365 * DAY);
	opd_config_release(&cfg);
	assert_int_equal(posix_fallocate(fd, 0, 200 * MB), 0);
	check(state, "MAX_DISK=x\n", 20 * 365 * DAY, max, "until this file is corrected");
	close(fd);
	free(path);
}

static void test_damaged_limits_file_is_ignored(void **state)
{
	char *path;
	FILE *f;

	check(state, "MAX_DISK=2G\n", 365 * DAY, 2048 * MB, NULL);
	assert_true(asprintf(&path, "%s/limits", (char *)*state) > 0);
	f = fopen(path, "w");
	fputs("keep -5\nmax-disk 7\n", f);
	fclose(f);
	free(path);
	check(state, "MAX_DISK=x\n", 20 * 365 * DAY, 200 * MB, "until this file is corrected");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(test_invalid_line_keeps_previous_limit),
		test_in_dir(test_first_limit_fits_existing_intervals),
		test_in_dir(test_damaged_limits_file_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
