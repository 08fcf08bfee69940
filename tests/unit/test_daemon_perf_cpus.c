// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_cpus.c -- tests the enabled and running times of events that count tasks. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/wait.h>

#include "daemon/options.h"
#include "daemon/source/events.h"
#include "daemon/source/perf_cpus.h"
#include "daemon/source/perf_plan.h"

/*
 * A child process that waits for a byte, computes a fixed amount, writes a byte, and waits until it
 * is killed.
 */
struct child {
	pid_t pid;
	int to, from;
};

static void burn_cpu(void)
{
	for (volatile unsigned long i = 0; i < 50000000; i++)
		;
}

static void start_child(struct child *child)
{
	int in[2], out[2];
	char byte;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (!child->pid) {
		close(in[1]);
		if (read(in[0], &byte, 1) == 1)
			burn_cpu();
		if (write(out[1], "", 1) == 1 && read(in[0], &byte, 1))
			_exit(1);
		_exit(0);
	}
	close(in[0]);
	close(out[1]);
	child->to = in[1];
	child->from = out[0];
}

static void end_child(struct child *child)
{
	close(child->to);
	close(child->from);
	assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
}

/* The event of a task has one descriptor for each CPU. Each descriptor's event is enabled while the
 * task runs on any CPU, and running while the task runs on the CPU of the descriptor. An event that
 * does not wait for a counter is enabled as long as it is running. */
static void test_task_events_report_enabled_and_running_times(void **state)
{
	struct child child;
	char pid[32], byte;
	char *argv[] = { (char *)"oprofiled", (char *)"--events=page-faults:1", pid, NULL };
	struct opd_config cfg = { 0 };
	struct opd_perf_cpus cpus;
	struct opd_perf_plan *plan = calloc(1, sizeof(*plan));
	struct op_reason error = { "" };
	double enabled, running;
	int err;

	(void)state;
	start_child(&child);
	snprintf(pid, sizeof(pid), "--pid=%d", (int)child.pid);
	assert_int_equal(opd_config_parse(&cfg, 3, argv, stdout, stderr), OPD_PARSE_RUN);
	if (opd_events_resolve(&cfg, &error))
		fail_msg("%s", error.text);
	assert_int_equal(opd_perf_cpus_init(&cpus, plan, cfg.nr_events), 0);
	err = opd_perf_plan_init(plan, &cfg, false, &error);
	if (!err)
		err = opd_perf_cpus_open(&cpus, &error);
	if (!err) {
		assert_int_equal(opd_perf_cpus_enable(&cpus, true), 0);
		assert_int_equal(write(child.to, "", 1), 1);
		assert_int_equal(read(child.from, &byte, 1), 1);
		assert_int_equal(opd_perf_cpus_enable(&cpus, false), 0);
		opd_perf_cpus_remove_all(&cpus);
	}
	enabled = (double)cpus.times[0].enabled;
	running = (double)cpus.times[0].running;
	end_child(&child);
	opd_perf_cpus_release(&cpus);
	opd_perf_plan_release(plan);
	free(plan);
	opd_config_release(&cfg);
	if (err == -EACCES || err == -EPERM) {
		print_message("perf_events are not permitted: %s\n", error.text);
		skip();
	}
	if (err)
		fail_msg("%s", error.text);
	assert_true(running > 0);
	if (enabled < .9 * running || enabled > 1.1 * running)
		fail_msg("enabled for %.0f ns, running for %.0f ns", enabled, running);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task_events_report_enabled_and_running_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
