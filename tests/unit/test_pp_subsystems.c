// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_subsystems.c -- tests which kernel subsystem a function belongs to, by its source file,
 * module and name.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "pp/profile/subsystems.h"

static void expect_file(const char *path, const char *subsystem)
{
	char buf[64] = "";

	assert_int_equal(pp_subsystem_of_file(buf, sizeof(buf), path), subsystem != NULL);
	assert_string_equal(buf, subsystem ? subsystem : "");
}

static void subsystem_by_source_file(void **state)
{
	(void)state;
	expect_file("/build/linux-Xq1/linux-6.1.187/mm/memory.c", "mm");
	expect_file("/usr/src/linux-6.1/fs/ext4/inode.c", "fs/ext4");
	expect_file("/usr/src/linux-6.1/fs/namei.c", "fs");
	expect_file("/home/fs/kernel/linux/kernel/sched/core.c", "kernel/sched");
	expect_file("/home/u/linux/arch/x86/mm/fault.c", "arch/x86");
	expect_file("drivers/net/ethernet/intel/e1000/e1000_main.c", "drivers/net");
	expect_file("mm/slub.c", "mm");
	expect_file("/home/u/src/linux.c", NULL);
	expect_file("/home/u/linux/tools/perf/builtin-top.c", NULL);
	expect_file("mm", NULL);
	expect_file("", NULL);
}

static void subsystem_by_module(void **state)
{
	(void)state;
	expect_file("/lib/modules/6.1.0-13-amd64/kernel/fs/ext4/ext4.ko", "fs/ext4");
	expect_file("/usr/lib/modules/6.1.0/kernel/net/sctp/sctp.ko.xz", "net/sctp");
	expect_file("/lib/modules/6.1.0/updates/dkms/zfs.ko", NULL);
}

static void expect_name(const char *name, const char *subsystem)
{
	const char *got = pp_subsystem_of_name(name);

	if (subsystem && got)
		assert_string_equal(got, subsystem);
	else
		assert_ptr_equal(got, subsystem);
}

static void subsystem_by_name(void **state)
{
	(void)state;
	expect_name("__alloc_pages", "mm");
	expect_name("__virt_addr_valid", "arch");
	expect_name("__find_get_block_common", "fs");
	expect_name("recently_deleted", "fs/ext4");
	expect_name("do_task_stat", "fs/proc");
	expect_name("kallsyms_expand_symbol.constprop.0", "kernel");
	expect_name("__output_copy", "kernel/events");
	expect_name("num_to_str", "lib");
	expect_name("damon_pa_batch_lock", "mm");
	expect_name("tcp_sendmsg_locked", "net/ipv4");
	expect_name("tcp_v6_rcv", "net/ipv6");
	expect_name("ext4_file_write_iter", "fs/ext4");
	expect_name("_raw_spin_lock_irqsave", "kernel/locking");
	expect_name("raw_sendmsg", "net/ipv4");
	expect_name("__x64_sys_read", "system calls");
	expect_name("schedule_timeout", "kernel/time");
	expect_name("__schedule", "kernel/sched");
	expect_name("nobody_knows_this", NULL);
	expect_name("", NULL);
	expect_name("___", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subsystem_by_source_file),
		cmocka_unit_test(subsystem_by_module),
		cmocka_unit_test(subsystem_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
