// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_made_files.c -- tests refused requests for unwind rows of JIT code.
 * operf-made-code.test covers accepted requests. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/image/jit.h"
#include "daemon/image/made_tables.h"
#include "daemon/image/process_entry.h"
#include "daemon/store/made_files.h"

/* A refused request is answered immediately, so that it does not stay in the queue. */
static void refused_requests_are_answered(void **state)
{
	const struct opd_process process = {.tgid = getpid(), .has_dump = true};
	uint64_t time = opd_perf_now();
	struct opd_made_tables *tables;
	struct opd_made_place place;
	struct opd_made_files *files;
	struct opd_jit *jit;
	char path[300];
	FILE *dump;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", (const char *)*state, (int)getpid());
	dump = fopen(path, "w");
	assert_non_null(dump);
	fputs("dump", dump);
	assert_int_equal(fclose(dump), 0);
	jit = opd_jit_create("/proc", *state, "/dev/null", NULL);
	assert_non_null(jit);
	assert_int_equal(opd_made_files_create(&files, jit), 0);
	tables = opd_made_files_tables(files);
	/* If the program that makes tables is missing, all requests are refused. */
	assert_int_equal(opd_made_tables_find(tables, &process, 0x1000, time, &place), OPROFILE_UW_NO_ROW);
	opd_made_files_destroy(files);
	opd_jit_destroy(jit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(refused_requests_are_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
