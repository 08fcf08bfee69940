// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_options.c -- tests oprofiled's command line: accepted options, and messages about
 * invalid ones.
 */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/options.h"

struct parsed {
	struct opd_config cfg;
	enum opd_parse result;
	char *out, *err;
};

static void parse(struct parsed *p, const char *arg, ...)
{
	char *argv[20] = { (char *)"oprofiled" };
	size_t out_size, err_size;
	FILE *out = open_memstream(&p->out, &out_size), *err = open_memstream(&p->err, &err_size);
	int argc = 1;
	va_list ap;

	va_start(ap, arg);
	for (; arg; arg = va_arg(ap, const char *))
		argv[argc++] = (char *)arg;
	va_end(ap);
	p->result = opd_config_parse(&p->cfg, argc, argv, out, err);
	fclose(out);
	fclose(err);
}

static void release(struct parsed *p)
{
	opd_config_release(&p->cfg);
	free(p->out);
	free(p->err);
}

static void expect_error(const char *text, const char *arg, const char *arg2)
{
	struct parsed p;

	parse(&p, arg, arg2, NULL);
	assert_int_equal(p.result, OPD_PARSE_ERROR);
	if (!strstr(p.err, text))
		fail_msg("'%s' is not in: %s", text, p.err);
	release(&p);
}

static void test_defaults(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, NULL);
	assert_int_equal(p.result, OPD_PARSE_RUN);
	assert_string_equal(p.cfg.set.session_dir, "/var/lib/oprofile");
	assert_string_equal(p.cfg.set.oprofilefs, "/dev/oprofile");
	assert_int_equal(p.cfg.source, OPD_SOURCE_AUTO);
	assert_int_equal(p.cfg.nr_events, 1);
	assert_string_equal(p.cfg.events[0].name, "TIMER");
	assert_int_equal(p.cfg.events[0].count, 1000000);
	assert_int_equal(p.cfg.set.separate, 0);
	assert_false(p.cfg.set.start || p.cfg.set.foreground || p.cfg.set.verbose || p.cfg.set.no_vmlinux);
	release(&p);
}

static void test_all_options_are_parsed(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--session-dir=/x y", "--source=perf", "--events=TIMER:200000,OTHER:6000:1:0:1",
	      "--separate=kernel,cpu", "--image=/nowhere/a,/nowhere/b", "--no-vmlinux", "--pid=7,8",
	      "--foreground", "--start", "--buffer-size=65536", "--cpu-buffer-size", "4096",
	      "--max-files=5", "--max-open=6", "--verbose=sfile", NULL);
	assert_string_equal(p.err, "");
	assert_int_equal(p.result, OPD_PARSE_RUN);
	assert_string_equal(p.cfg.set.session_dir, "/x y");
	assert_int_equal(p.cfg.nr_events, 2);
	assert_int_equal(p.cfg.events[1].kernel, 0);
	assert_int_equal(p.cfg.set.separate, OP_SEPARATE_KERNEL | OP_SEPARATE_LIB | OP_SEPARATE_CPU);
	assert_int_equal(p.cfg.nr_images, 2);
	assert_string_equal(p.cfg.images[1], "/nowhere/b");
	assert_int_equal(p.cfg.nr_pids, 2);
	assert_int_equal(p.cfg.pids[1], 8);
	assert_int_equal(p.cfg.set.buffer_size, 65536);
	assert_int_equal(p.cfg.set.cpu_buffer_size, 4096);
	assert_int_equal(p.cfg.set.max_files, 5);
	assert_int_equal(p.cfg.set.max_open, 6);
	assert_true(p.cfg.set.start && p.cfg.set.foreground && p.cfg.set.verbose && p.cfg.set.no_vmlinux);
	release(&p);
}

static void test_special_option_values(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--replay", "s", "--separate=all", "--image=all", "--events=", NULL);
	assert_int_equal(p.result, OPD_PARSE_RUN);
	assert_int_equal(p.cfg.source, OPD_SOURCE_REPLAY);
	assert_string_equal(p.cfg.set.replay, "s");
	assert_int_equal(p.cfg.set.separate, 15);
	assert_int_equal(p.cfg.nr_images, 0);
	assert_int_equal(p.cfg.nr_events, 1);
	release(&p);
	parse(&p, "--source=replay:/a:b", "--separate=none", NULL);
	assert_string_equal(p.cfg.set.replay, "/a:b");
	assert_true(p.cfg.set.start);
	release(&p);
	/* Symbolic links are followed, because the kernel reports the targets of links. */
	parse(&p, "--image=/proc/self/exe", "--vmlinux=/proc/self/exe", NULL);
	assert_null(strstr(p.cfg.images[0], "/proc/self"));
	assert_null(strstr(p.cfg.set.vmlinux, "/proc/self"));
	release(&p);
	/* Only perf_events can select processes. */
	parse(&p, "--pid=1", NULL);
	assert_int_equal(p.cfg.source, OPD_SOURCE_PERF);
	release(&p);
}

/* A daemon that keeps intervals has a memory limit by default, other daemons only on request. */
static void test_memory_limit_with_intervals(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--start", NULL);
	assert_int_equal(p.cfg.memory, 0);
	release(&p);
	parse(&p, "--interval=10m", NULL);
	assert_true(p.cfg.memory >= 64u << 20);
	release(&p);
	parse(&p, "--interval=10m", "--max-memory=0", NULL);
	assert_int_equal(p.cfg.memory, 0);
	release(&p);
	parse(&p, "--max-memory=40M", NULL);
	assert_int_equal(p.cfg.memory, 40u << 20);
	release(&p);
}

static void test_invalid_options_are_reported(void **state)
{
	(void)state;
	expect_error("--max-memory must be 0 or at least 32M, not 1M", "--max-memory=1M", NULL);
	expect_error("unknown option '--bogus'", "--bogus", NULL);
	expect_error("missing value after '--events'", "--events", NULL);
	expect_error("event \"TIMER:\": ", "--events=TIMER:", NULL);
	expect_error("event \"\": ", "--events=TIMER:1000000,", NULL);
	expect_error("given twice", "--events=TIMER:1000000,TIMER:1000000", NULL);
	expect_error("unknown value \"libs\": use one of none, lib", "--separate=libs", NULL);
	expect_error("absolute paths, not 'a.out'", "--image=a.out", NULL);
	expect_error("No such file", "--vmlinux=/nonexistent", NULL);
	expect_error("--source: unknown value \"x\": use one of auto, module, perf", "--source=x", NULL);
	expect_error("--buffer-size: \"-1\" is not a number", "--buffer-size=-1", NULL);
	expect_error("\"10k\" is not a number", "--max-files=10k", NULL);
	expect_error("not a process id", "--pid=self", NULL);
	expect_error("--pid works with --source=perf only", "--pid=1", "--source=module");
	expect_error("exclude each other", "--vmlinux=/proc/self/exe", "--no-vmlinux");
	expect_error("--session-dir: a path is missing", "--session-dir=", NULL);
	expect_error("--replay: a path is missing", "--replay", "");
	expect_error("a path is missing", "--source=replay:", NULL);
	expect_error("'stray' is not an option", "stray", NULL);
}

static void test_help_and_version(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--help", "--bogus", NULL);
	assert_int_equal(p.result, OPD_PARSE_DONE);
	assert_non_null(strstr(p.out, "--session-dir"));
	release(&p);
	parse(&p, "--version", NULL);
	assert_int_equal(p.result, OPD_PARSE_DONE);
	assert_non_null(strstr(p.out, PACKAGE_VERSION));
	release(&p);
}

static void test_counter_events_are_parsed(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p, "--events=CPU_CYCLES:100000:name:0:1", "--backend=native", "--time-slice=20", "--jitter=8",
	      "--ext-feature=ibs:op:IBS_OP_ALL,IBS_OP_LOAD:250000:1", "--cpu-type=x86-64/zen1", NULL);
	assert_int_equal(p.result, OPD_PARSE_RUN);
	assert_int_equal(p.cfg.nr_events, 3);
	assert_string_equal(p.cfg.events[0].um_name, "name");
	assert_string_equal(p.cfg.events[2].name, "IBS_OP_LOAD");
	assert_int_equal(p.cfg.events[2].count, 250000);
	assert_string_equal(p.cfg.set.backend, "native");
	assert_int_equal(p.cfg.set.time_slice, 20);
	assert_int_equal(p.cfg.set.jitter, 8);
	assert_null(p.cfg.plan.choices);
	release(&p);
	expect_error("unknown value \"nativ\": use one of auto, native, perf, timer", "--backend=nativ", NULL);
	expect_error("--jitter: 17 is too large: the limit is 16", "--jitter=17", NULL);
	expect_error("a number from 0 to 10000", "--time-slice=-1", NULL);
	expect_error("not an extended feature", "--ext-feature=spu:x", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_all_options_are_parsed),
		cmocka_unit_test(test_special_option_values),
		cmocka_unit_test(test_memory_limit_with_intervals),
		cmocka_unit_test(test_invalid_options_are_reported),
		cmocka_unit_test(test_help_and_version),
		cmocka_unit_test(test_counter_events_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
