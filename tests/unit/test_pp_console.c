// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_console.c -- tests messages on the terminal, and the progress line, which is erased
 * before any other output.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/tool/console.h"

struct fixture {
	char text[1000];
	FILE *f;
	struct pp_console console;
};

static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.f = tmpfile();
	assert_non_null(fixture.f);
	pp_console_init(&fixture.console, "tool", fixture.f);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fclose(f->f);
	return 0;
}

static const char *read_stderr(struct fixture *f)
{
	fflush(f->f);
	rewind(f->f);
	f->text[fread(f->text, 1, sizeof(f->text) - 1, f->f)] = '\0';
	return f->text;
}

static void test_messages_are_printed_and_cleaned(void **state)
{
	struct fixture *f = *state;

	pp_error(&f->console.log, "a \033[31mname\nand more");
	pp_warn(&f->console.log, "b");
	pp_verbose(&f->console.log, "not asked for");
	f->console.log.verbose = 1;
	pp_verbose(&f->console.log, "c");
	assert_string_equal(read_stderr(f), "tool: error: a ?[31mname\nand more\n"
					"tool: warning: b\ntool: c\n");
}

/* A failing program prints the cause once, as its last message. */
static void test_last_error_is_printed_once(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(pp_console_end(&f->console, 0), EXIT_SUCCESS);
	assert_string_equal(read_stderr(f), "");
	assert_int_equal(pp_console_end(&f->console, -ENOMEM), EXIT_FAILURE);
	assert_int_equal(pp_console_end(&f->console, op_fail(&f->console.log.error, -ENOENT, "no %s", "x\033y")),
			 EXIT_FAILURE);
	assert_string_equal(read_stderr(f), "tool: error: out of memory\ntool: error: no x?y\n");
}

static void test_no_progress_line_in_files(void **state)
{
	struct fixture *f = *state;

	f->console.next_ms = 0;
	pp_progress(&f->console.log, 1, 2);
	pp_console_clear(&f->console);
	assert_string_equal(read_stderr(f), "");
}

static void test_message_erases_progress_line(void **state)
{
	struct fixture *f = *state;

	f->console.show_progress = 1;
	f->console.next_ms = 0;
	pp_progress(&f->console.log, 3, 7);
	/* The progress line is printed again only after the time .next_ms. */
	f->console.next_ms = UINT64_MAX;
	pp_progress(&f->console.log, 4, 7);
	pp_warn(&f->console.log, "b");
	pp_console_clear(&f->console);
	assert_string_equal(read_stderr(f), "\r\033[Ktool: 3 of 7\r\033[Ktool: warning: b\n");
}

/* A log without a progress callback is valid. */
static void test_log_without_progress(void **state)
{
	struct pp_log log = { 0 };

	(void)state;
	pp_progress(&log, 1, 2);
}

int main(void)
{
#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_messages_are_printed_and_cleaned),
		T(test_last_error_is_printed_once),
		T(test_no_progress_line_in_files),
		T(test_message_erases_progress_line),
		cmocka_unit_test(test_log_without_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
