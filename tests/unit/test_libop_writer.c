// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_writer.c -- tests the mark that identifies the process which writes a session: the
 * mark's text form, and the check whether the process is alive. */
#include "config.h"
#include "tests/unit/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/session/writer.h"

static void test_mark_is_parsed_as_printed(void **state)
{
	static const char *const wrong[] = { "", "1", "1 2 3", "0 2 3 4", "-1 2 3 4", "1 2 3 4 5", "1 2 3 g", "x 2 3 4" };
	struct op_session_writer self, read = { 0 };
	char text[OP_SESSION_WRITER_TEXT];

	(void)state;
	op_session_writer_self(&self);
	assert_int_equal(self.pid, getpid());
	assert_true(self.start && self.namespace && self.boot);
	assert_true(op_session_writer_parse(&read, op_session_writer_print(text, &self)));
	assert_memory_equal(&read, &self, sizeof(self));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (op_session_writer_parse(&read, wrong[i]))
			fail_msg("'%s' is a writer", wrong[i]);
	assert_memory_equal(&read, &self, sizeof(self));
}

static void test_other_start_time_is_not_alive(void **state)
{
	struct op_session_writer w, other;

	(void)state;
	op_session_writer_self(&w);
	assert_true(op_session_writer_lives(&w));
	other = w;
	/* a process with the same pid but a later start time is another process */
	other.start++;
	assert_false(op_session_writer_lives(&other));
	other = w;
	other.boot++;
	assert_false(op_session_writer_lives(&other));
	other = w;
	/* In another pid namespace the pid cannot be checked, so the writer is considered alive. */
	other.namespace++;
	assert_true(op_session_writer_lives(&other));
	w.start = 0;
	w.pid = fork();
	if (!w.pid)
		_exit(0);
	/* A zombie is not considered alive. */
	assert_int_equal(waitid(P_PID, w.pid, NULL, WEXITED | WNOWAIT), 0);
	assert_false(op_session_writer_lives(&w));
	assert_int_equal(waitpid(w.pid, NULL, 0), w.pid);
	assert_false(op_session_writer_lives(&w));
	assert_false(op_session_writer_lives(&(struct op_session_writer){ 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark_is_parsed_as_printed),
		cmocka_unit_test(test_other_start_time_is_not_alive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
