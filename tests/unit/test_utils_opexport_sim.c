// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_opexport_sim.c -- opexport in a deterministic simulation (tests/fleet/sim.h).
 *
 *     test_utils_opexport_sim                the seeds of tests/fleet/seeds, and some others
 *     test_utils_opexport_sim FIRST NUMBER   NUMBER seeds from FIRST on
 *     test_utils_opexport_sim SEED           one seed, with a trace of its events
 *
 * Each seed runs in a process of its own.
 */
#include "config.h"
#include "tests/unit/check.h"
#include "tests/fleet/sim.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define NR_QUICK	60

/* the directory of all seeds and the files that they share, for tests without arguments */
static struct sim_pool pool;
static char top[40];

/* Simulate the seed in a child. Return whether all rules held. */
static bool try_seed(uint64_t seed, bool traces)
{
	char dir[80];
	void *state;
	pid_t pid;
	int status;

	snprintf(dir, sizeof(dir), "%s/%" PRIu64, top, seed);
	fflush(NULL);
	pid = check_fork();
	if (!pid) {
		const struct rlimit limit = { 60, 60 };
		bool is_right;

		/* a seed that does not end is a failure */
		setrlimit(RLIMIT_CPU, &limit);
		if (!freopen("/dev/null", "w", stdout))
			_exit(2);
		is_right = sim_run(&pool, seed, dir, traces);
		if (!is_right)
			fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, sim->wrong);
		_exit(!is_right);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	state = strdup(dir);
	check_remove_dir(&state);
	if (WIFSIGNALED(status))
		fprintf(stderr, "seed %" PRIu64 ": ended by signal %d\n", seed, WTERMSIG(status));
	if (status)
		fprintf(stderr, "again, with a trace: tests/unit/test_utils_opexport_sim %" PRIu64 "\n", seed);
	return !status;
}

static unsigned int try_seeds(uint64_t first, uint64_t nr)
{
	unsigned int failed = 0;

	for (uint64_t i = 0; i < nr; i++)
		failed += !try_seed(first + i, false);
	return failed;
}

static void kept_seeds(void **state)
{
	FILE *in = fopen(SIM_SEEDS, "r");
	unsigned int nr = 0, failed = 0;
	char line[300];

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		if (*line >= '0' && *line <= '9') {
			failed += !try_seed(strtoull(line, NULL, 10), false);
			nr++;
		}
	fclose(in);
	print_message("%u kept seeds\n", nr);
	assert_true(nr);
	assert_int_equal(failed, 0);
}

static void new_seeds(void **state)
{
	(void)state;
	assert_int_equal(try_seeds(1, NR_QUICK), 0);
}

static void set_up(void)
{
	struct stat st;

	/* a directory in memory is faster */
	snprintf(top, sizeof(top), "%s/oprofile-sim-XXXXXX", stat("/dev/shm", &st) || access("/dev/shm", W_OK) ?
		 "/tmp" : "/dev/shm");
	if (!mkdtemp(top))
		fail_msg("cannot make %s", top);
	setenv("TZ", "UTC", 1);
	sim_pool_make(&pool, top);
}

static void tear_down(void)
{
	void *dir = strdup(top);

	check_remove_dir(&dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_seeds),
		cmocka_unit_test(new_seeds),
	};
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	unsigned int failed;

	set_up();
	if (argc > 2)
		failed = try_seeds(seed, strtoull(argv[2], NULL, 10));
	else if (argc > 1)
		failed = !try_seed(seed, true);
	else
		failed = (unsigned int)cmocka_run_group_tests(tests, NULL, NULL);
	tear_down();
	return failed ? 1 : 0;
}
