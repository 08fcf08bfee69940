// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_wait_reasons.c -- tests the reason and the place of a wait, from the functions on the
 * kernel's stack. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/source/perf_regs.h"
#include "daemon/source/wait_reasons.h"
#include "module/uapi/offcpu.h"

#define KALLSYMS	"wait_reasons.kallsyms"

/* Function number N is at address 0x1000 * (N + 1). */
static const char *const functions[] = {
	"do_syscall_64", "__x64_sys_futex", "do_futex", "futex_wait_queue", "__x64_sys_poll",
	"ksys_read", "vfs_read", "pipe_read", "sock_read_iter", "n_tty_read", "ext4_file_read_iter",
	"io_schedule", "asm_exc_page_fault", "do_signal_stop", "__x64_sys_execve", "kernel_wait4",
	"do_int80_emulation", "kthread", "other", "__sched_text_start", "schedule",
	"mutex_lock.isra.0", "__sched_text_end", "try_to_wake_up", "between", "complete", "late",
	"get_signal",
};

enum { NR = sizeof(functions) / sizeof(functions[0]) };

static void write_kallsyms(bool hidden)
{
	FILE *f = fopen(KALLSYMS, "w");

	assert_non_null(f);
	/* the file is not sorted */
	for (int i = NR; i-- > 0;)
		fprintf(f, "%016x T %s\n", hidden ? 0 : 0x1000 * (i + 1), functions[i]);
	fprintf(f, "%016x t __x64_sys_poll\t[module]\n", hidden ? 0 : 0x900000);
	fprintf(f, "%016x D futex\n", hidden ? 0 : 0x13800);
	fclose(f);
}

static int setup(void **state)
{
	struct opd_wait_reasons *r;

	write_kallsyms(false);
	assert_int_equal(opd_wait_reasons_create(&r, KALLSYMS), 0);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	opd_wait_reasons_destroy(*state);
	unlink(KALLSYMS);
	return 0;
}

static uint64_t in(const char *function)
{
	for (int i = 0; i < NR; i++)
		if (!strcmp(functions[i], function))
			return (uint64_t)(0x1000 * (i + 1) + 0x20);
	fail_msg("no function %s", function);
	return 0;
}

/* Write the return addresses in the functions @names, innermost first, to @stack. Return their
 * number. */
static size_t make_stack(uint64_t *stack, const char *names)
{
	size_t nr = 0;
	char name[64];

	for (int len; sscanf(names, "%63s%n", name, &len) == 1; names += len)
		stack[nr++] = in(name);
	return nr;
}

static void stacks_have_reasons(void **state)
{
	static const struct {
		const char *names;
		bool user;
		unsigned int reason;
	} rows[] = {
		{ "schedule futex_wait_queue do_futex __x64_sys_futex do_syscall_64", true, OPROFILE_OFFCPU_LOCK },
		/* the wrapper ended with a jump */
		{ "schedule futex_wait_queue do_futex do_syscall_64", true, OPROFILE_OFFCPU_LOCK },
		{ "schedule __x64_sys_poll do_syscall_64", true, OPROFILE_OFFCPU_POLL },
		{ "schedule pipe_read vfs_read ksys_read do_syscall_64", true, OPROFILE_OFFCPU_PIPE },
		{ "schedule sock_read_iter vfs_read ksys_read do_syscall_64", true, OPROFILE_OFFCPU_NET },
		{ "schedule n_tty_read vfs_read ksys_read do_syscall_64", true, OPROFILE_OFFCPU_OTHER },
		{ "schedule ext4_file_read_iter vfs_read do_syscall_64", true, OPROFILE_OFFCPU_IO },
		{ "schedule io_schedule other do_syscall_64", true, OPROFILE_OFFCPU_IO },
		{ "schedule kernel_wait4 do_syscall_64", true, OPROFILE_OFFCPU_CHILD },
		/* the outermost call decides */
		{ "schedule pipe_read vfs_read __x64_sys_execve do_syscall_64", true, OPROFILE_OFFCPU_OTHER },
		{ "schedule io_schedule asm_exc_page_fault", true, OPROFILE_OFFCPU_FAULT },
		{ "schedule do_signal_stop do_syscall_64", true, OPROFILE_OFFCPU_STOPPED },
		/* a stop by the freezer, which is inlined; and a wait in another function */
		{ "schedule get_signal do_syscall_64", true, OPROFILE_OFFCPU_STOPPED },
		{ "schedule other get_signal do_syscall_64", true, OPROFILE_OFFCPU_OTHER },
		{ "schedule __x64_sys_poll do_int80_emulation", true, OPROFILE_OFFCPU_OTHER },
		{ "schedule other do_syscall_64", true, OPROFILE_OFFCPU_OTHER },
		{ "schedule kthread", false, OPROFILE_OFFCPU_SLEEP },
		{ "schedule other kthread", false, OPROFILE_OFFCPU_SLEEP },
		{ "schedule other other kthread", false, OPROFILE_OFFCPU_SLEEP },
		{ "schedule other other other kthread", false, OPROFILE_OFFCPU_OTHER },
		{ "schedule io_schedule kthread", false, OPROFILE_OFFCPU_IO },
		{ "", true, OPROFILE_OFFCPU_OTHER },
	};
	uint64_t stack[16];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t nr = make_stack(stack, rows[i].names);

		if (opd_wait_reason(*state, stack, nr, rows[i].user, NULL) != rows[i].reason)
			fail_msg("\"%s\" has the reason %u, not %u", rows[i].names,
				 opd_wait_reason(*state, stack, nr, rows[i].user, NULL), rows[i].reason);
	}
}

/* The arguments of futex() are in the registers of the program. */
static void registers_show_condition(void **state)
{
	uint64_t stack[16], values[64] = { 0 };
	size_t nr = make_stack(stack, "schedule futex_wait_queue do_futex __x64_sys_futex do_syscall_64");
#ifdef __aarch64__
	uint64_t *op = &values[1], *value = &values[2];	/* x1, x2 */
#else
	uint64_t *op = &values[4], *value = &values[3];	/* si, dx in the order of perf_events */
#endif
	struct opd_perf_regs regs;

	assert_int_equal(opd_perf_regs_init(&regs, PERF_SAMPLE_REGS_ABI_64,
					    (const unsigned char *)values), 0);
	*op = FUTEX_WAIT_PRIVATE;
	*value = 2;
	assert_int_equal(opd_wait_reason(*state, stack, nr, true, &regs), OPROFILE_OFFCPU_LOCK);
	*value = 0;
	assert_int_equal(opd_wait_reason(*state, stack, nr, true, &regs), OPROFILE_OFFCPU_CONDITION);
	*op = FUTEX_WAIT_BITSET_PRIVATE;
	*value = 2;
	assert_int_equal(opd_wait_reason(*state, stack, nr, true, &regs), OPROFILE_OFFCPU_CONDITION);
}

/* Functions of modules and of other sections have no meaning, and a return address at the start of
 * a function belongs to the function before. */
static void addresses_outside_have_no_meaning(void **state)
{
	uint64_t stack[] = { 0x900020, in("do_syscall_64") };

	assert_int_equal(opd_wait_reason(*state, stack, 2, true, NULL), OPROFILE_OFFCPU_OTHER);
	stack[0] = in("__x64_sys_poll") - 0x20;
	assert_int_equal(opd_wait_reason(*state, stack, 2, true, NULL), OPROFILE_OFFCPU_OTHER);
	stack[0] = in("ksys_read") - 0x20;
	assert_int_equal(opd_wait_reason(*state, stack, 2, true, NULL), OPROFILE_OFFCPU_POLL);
	stack[0] = 1;
	stack[1] = UINT64_MAX;
	assert_int_equal(opd_wait_reason(*state, stack, 2, true, NULL), OPROFILE_OFFCPU_FAULT);
}

static void place_is_outside_the_scheduler(void **state)
{
	uint64_t stack[16], start, end;
	size_t nr = make_stack(stack, "other schedule mutex_lock.isra.0 vfs_read do_syscall_64");

	assert_int_equal(opd_wait_place(*state, stack, nr), 3);
	assert_int_equal(opd_wait_place(*state, stack, 3), 0);
	assert_int_equal(opd_wait_place(*state, stack + 3, nr - 3), 0);
	assert_int_equal(opd_wait_place(*state, stack, 0), 0);
	opd_wait_scheduler(*state, &start, &end);
	assert_int_equal(start, in("__sched_text_start") - 0x20);
	assert_int_equal(end, in("__sched_text_end") - 0x20);
}

/* The range of functions that wake threads ends with the last of them. */
static void waking_functions_have_range(void **state)
{
	uint64_t start, end;

	opd_wait_waking(*state, &start, &end);
	assert_int_equal(start, in("try_to_wake_up") - 0x20);
	assert_int_equal(end, in("late") - 0x20);
}

static void hidden_addresses_are_an_error(void **state)
{
	struct opd_wait_reasons *r = NULL;

	(void)state;
	write_kallsyms(true);
	assert_int_equal(opd_wait_reasons_create(&r, KALLSYMS), -ENODATA);
	assert_int_equal(opd_wait_reasons_create(&r, "no-such-file"), -ENOENT);
	assert_null(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stacks_have_reasons, setup, teardown),
		cmocka_unit_test_setup_teardown(registers_show_condition, setup, teardown),
		cmocka_unit_test_setup_teardown(addresses_outside_have_no_meaning, setup, teardown),
		cmocka_unit_test_setup_teardown(place_is_outside_the_scheduler, setup, teardown),
		cmocka_unit_test_setup_teardown(waking_functions_have_range, setup, teardown),
		cmocka_unit_test_setup_teardown(hidden_addresses_are_an_error, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
