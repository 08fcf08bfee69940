// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_vdso.c -- tests that the vDSOs of the kernel have unwind tables, each for its own
 * machine type, and that this process keeps its own vDSO. */
#include "config.h"
#include "tests/unit/check.h"

#include <sys/auxv.h>
#include <time.h>

#include "daemon/image/vdso.h"
#include "libcfi/file.h"

#ifdef __aarch64__
#define IS_ARM	true
#else
#define IS_ARM	false
#endif

static void native_vdso_has_table(void **state)
{
	struct cfi_file *file;

	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR))
		skip();
	file = opd_vdso_unwind(false);
	assert_non_null(file);
	/* The vDSO of aarch64 has no table. */
	assert_true(cfi_file_table(file) ? cfi_file_table(file)->machine != OPROFILE_UW_I386 : IS_ARM);
	free(file);
}

/*
 * In the vDSO of 32-bit processes, the path of a system call leads to the caller of
 * __kernel_vsyscall(), which has pushed three registers before it enters the kernel.
 */
static void vdso32_table_describes_vsyscall_frame(void **state)
{
	const struct oprofile_uw_table *table;
	struct timespec time = { 0 };
	struct cfi_file *file;
	bool pushed = false;

	(void)state;
	file = opd_vdso_unwind(true);
	/* This process still has its own vDSO, which it uses to read the time. */
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &time), 0);
	if (!file)
		skip();
	table = cfi_file_table(file);
	assert_non_null(table);
	assert_int_equal(table->machine, OPROFILE_UW_I386);
	for (uint64_t at = table->start; at < table->start + table->length; at++) {
		const struct oprofile_uw_rule *rule = oprofile_uw_lookup(table, at);

		pushed |= rule && rule->cfa == OPROFILE_UW_CFA_SP && rule->cfa_offset == 16;
	}
	assert_true(pushed);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(native_vdso_has_table),
		cmocka_unit_test(vdso32_table_describes_vsyscall_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
