// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_offcpu_reason.c -- tests the reasons of waits (module/offcpu/reason.c): each system
 * call and each type of file has the documented reason.
 */
#include "config.h"

#include <sys/stat.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "unit/check.h"

#include "offcpu/reason.h"

static void calls_have_reasons(void **state)
{
	static const struct {
		long nr;
		unsigned int reason;
	} rows[] = {
		{ SYS_futex, OPROFILE_OFFCPU_BY_FUTEX },   { SYS_flock, OPROFILE_OFFCPU_LOCK },
		{ SYS_nanosleep, OPROFILE_OFFCPU_SLEEP },  { SYS_clock_nanosleep, OPROFILE_OFFCPU_SLEEP },
		{ SYS_ppoll, OPROFILE_OFFCPU_POLL },	   { SYS_epoll_pwait, OPROFILE_OFFCPU_POLL },
		{ SYS_recvfrom, OPROFILE_OFFCPU_NET },	   { SYS_accept4, OPROFILE_OFFCPU_NET },
		{ SYS_wait4, OPROFILE_OFFCPU_CHILD },	   { SYS_fsync, OPROFILE_OFFCPU_IO },
		{ SYS_read, OPROFILE_OFFCPU_BY_FILE },	   { SYS_writev, OPROFILE_OFFCPU_BY_FILE },
		{ SYS_getpid, OPROFILE_OFFCPU_OTHER },
		{ SYS_restart_syscall, OPROFILE_OFFCPU_AS_BEFORE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(oprofile_offcpu_reason_of_call(rows[i].nr), rows[i].reason);
}

static void arguments_of_futex_have_reasons(void **state)
{
	static const struct {
		int op;
		uint64_t value;
		unsigned int reason;
	} rows[] = {
		{ FUTEX_WAIT_PRIVATE, 2, OPROFILE_OFFCPU_LOCK },	/* a mutex of the GNU C library */
		{ FUTEX_WAIT, 0x80000010, OPROFILE_OFFCPU_LOCK },	/* of musl */
		{ FUTEX_LOCK_PI_PRIVATE, 0, OPROFILE_OFFCPU_LOCK },
		{ FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 4, OPROFILE_OFFCPU_CONDITION },
		{ FUTEX_WAIT_REQUEUE_PI_PRIVATE, 4, OPROFILE_OFFCPU_CONDITION },
		{ FUTEX_WAIT_PRIVATE, 0, OPROFILE_OFFCPU_CONDITION },	/* a thread of Go without work */
		{ FUTEX_WAIT_PRIVATE, UINT32_MAX, OPROFILE_OFFCPU_CONDITION },	/* of Rust */
		/* the upper half of the registers is not used */
		{ FUTEX_WAIT_PRIVATE, 7ull << 32, OPROFILE_OFFCPU_CONDITION },
		{ -1, 0, OPROFILE_OFFCPU_LOCK },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(oprofile_offcpu_reason_of_futex((uint64_t)(int64_t)rows[i].op,
								 rows[i].value), rows[i].reason);
}

/* A program may call the kernel with any number. */
static void unknown_calls_are_other(void **state)
{
	(void)state;
	assert_int_equal(oprofile_offcpu_reason_of_call(-1), OPROFILE_OFFCPU_OTHER);
	assert_int_equal(oprofile_offcpu_reason_of_call(100000), OPROFILE_OFFCPU_OTHER);
	assert_int_equal(oprofile_offcpu_reason_of_call(0x7fffffff), OPROFILE_OFFCPU_OTHER);
	assert_int_equal(oprofile_offcpu_reason_of_call(-0x7fffffff - 1), OPROFILE_OFFCPU_OTHER);
}

static void files_have_reasons(void **state)
{
	(void)state;
	assert_int_equal(oprofile_offcpu_reason_of_mode(S_IFIFO | 0600), OPROFILE_OFFCPU_PIPE);
	assert_int_equal(oprofile_offcpu_reason_of_mode(S_IFSOCK | 0777), OPROFILE_OFFCPU_NET);
	assert_int_equal(oprofile_offcpu_reason_of_mode(S_IFREG | 0644), OPROFILE_OFFCPU_IO);
	assert_int_equal(oprofile_offcpu_reason_of_mode(S_IFBLK | 0660), OPROFILE_OFFCPU_IO);
	assert_int_equal(oprofile_offcpu_reason_of_mode(S_IFCHR | 0620), OPROFILE_OFFCPU_OTHER);
	assert_int_equal(oprofile_offcpu_reason_of_mode(0600), OPROFILE_OFFCPU_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_have_reasons),
		cmocka_unit_test(arguments_of_futex_have_reasons),
		cmocka_unit_test(unknown_calls_are_other),
		cmocka_unit_test(files_have_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
