// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_waits.c -- tests that records of context switches become samples of waits: the
 * samples stand for the time waited, have the place and the reason of the wait, and lost records
 * never count as waiting. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/source/perf_regs.h"
#include "daemon/source/perf_waits.h"
#include "module/uapi/offcpu.h"

#define KALLSYMS	"perf_waits.kallsyms"
#define MS		1000000ull
#define USER_PC		0x401234ull

struct fixture {
	struct opd_perf_waits *waits;
	struct op_event_spec events[2];
	uint64_t samples[2];		/* by event */
	struct opd_perf_record last;
	uint32_t cpu;
};

static void on_samples(void *arg, uint32_t cpu, int event, const struct opd_perf_record *r,
		       uint64_t nr)
{
	struct fixture *f = arg;

	f->samples[event] += nr;
	f->last = *r;
	f->cpu = cpu;
}

static void create(struct fixture *f, bool stack, uint64_t memory)
{
	const struct opd_config cfg = { .events = f->events, .nr_events = 2, .memory = memory };

	assert_int_equal(opd_perf_waits_create(&f->waits, &cfg, KALLSYMS, stack, on_samples, f), 0);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	FILE *kallsyms = fopen(KALLSYMS, "w");

	assert_non_null(kallsyms);
	fputs("1000 T do_syscall_64\n2000 T __x64_sys_futex\n3000 T __x64_sys_poll\n"
	      "3800 T do_task_dead\n4000 T __sched_text_start\n5000 T schedule\n6000 T __sched_text_end\n", kallsyms);
	fclose(kallsyms);
	f->events[0] = (struct op_event_spec){ .name = (char *)"OFFCPU", .count = MS, .um = OPROFILE_OFFCPU_LOCK };
	f->events[1] = (struct op_event_spec){ .name = (char *)"OFFCPU", .count = MS, .um = OPROFILE_OFFCPU_RUNQUEUE };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_perf_waits_destroy(f->waits);
	free(f);
	unlink(KALLSYMS);
	return 0;
}

/* The thread @tid leaves its CPU in the system call @call (an address). */
static void leave_in(struct fixture *f, int32_t tid, uint64_t time, uint64_t call, bool can_run)
{
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0x5010, call, 0x1010 };
	uint64_t regs[64];
	struct opd_perf_record r = { .kind = OPD_PERF_SAMPLE, .time = time, .pid = 7, .tid = tid };

	for (size_t i = 0; i < 64; i++)
		regs[i] = USER_PC;
	r.sample.stack = (struct opd_perf_stack){
		.chain = (const unsigned char *)chain, .nr_chain = 4,
		.abi = PERF_SAMPLE_REGS_ABI_64, .regs = (const unsigned char *)regs,
	};
	opd_perf_waits_apply(f->waits, 1, &r);
	r = (struct opd_perf_record){ .kind = OPD_PERF_SWITCH, .time = time, .pid = 7, .tid = tid };
	r.change.out = true;
	r.change.can_run = can_run;
	opd_perf_waits_apply(f->waits, 1, &r);
}

static void come(struct fixture *f, int32_t tid, uint64_t time)
{
	struct opd_perf_record r = { .kind = OPD_PERF_SWITCH, .time = time, .pid = 7, .tid = tid };

	opd_perf_waits_apply(f->waits, 0, &r);
}

static void check_sums(struct fixture *f, uint64_t ns)
{
	const struct opd_perf_waits_counters *c = opd_perf_waits_counters(f->waits);
	uint64_t rest, ahead;

	opd_perf_waits_rests(f->waits, &rest, &ahead);
	assert_int_equal(c->ns, ns);
	assert_int_equal(c->ns, (f->samples[0] + f->samples[1] + c->not_asked) * MS + rest - ahead);
}

static void waits_have_samples(void **state)
{
	struct fixture *f = *state;

	create(f, false, 0);
	leave_in(f, 8, 100, 0x2010, false);
	come(f, 8, 100 + 5 * MS);
	assert_in_range(f->samples[0], 4, 5);
	assert_int_equal(f->last.mode, OPD_PERF_MODE_USER);
	assert_int_equal(f->last.sample.ip, USER_PC);
	assert_int_equal(f->last.tid, 8);
	assert_int_equal(f->cpu, 1);
	/* preempted in a system call */
	leave_in(f, 8, 10 * MS, 0x2010, true);
	come(f, 8, 20 * MS);
	assert_in_range(f->samples[1], 9, 11);
	/* a reason without an event */
	leave_in(f, 9, 10 * MS, 0x3010, false);
	come(f, 9, 20 * MS);
	assert_in_range(opd_perf_waits_counters(f->waits)->not_asked, 9, 11);
	check_sums(f, 25 * MS);
}

/* With call paths, the place is the kernel function that called the scheduler. */
static void paths_begin_outside_the_scheduler(void **state)
{
	struct fixture *f = *state;
	uint64_t chain[3];

	create(f, true, 0);
	leave_in(f, 8, 1, 0x2010, false);
	come(f, 8, 5 * MS);
	assert_int_equal(f->last.mode, OPD_PERF_MODE_KERNEL);
	assert_int_equal(f->last.sample.ip, 0x200f);
	assert_int_equal(f->last.sample.stack.nr_chain, 3);
	memcpy(chain, f->last.sample.stack.chain, sizeof(chain));
	assert_true(chain[0] == (uint64_t)PERF_CONTEXT_KERNEL && chain[1] == 0x2010 && chain[2] == 0x1010);
}

/* A wait that goes on is accounted up to now, and only once. */
static void unfinished_waits_are_accounted(void **state)
{
	struct fixture *f = *state;
	const uint64_t week = 604800000 * MS;

	create(f, false, 0);
	leave_in(f, 8, 1, 0x2010, false);
	opd_perf_waits_until(f->waits, 1 + week);
	assert_in_range(f->samples[0], 604800000 - 1, 604800000 + 1);
	opd_perf_waits_until(f->waits, 1 + week);
	check_sums(f, week);
	come(f, 8, 1 + week + 3 * MS);
	check_sums(f, week + 3 * MS);
}

static void lost_records_do_not_count(void **state)
{
	struct fixture *f = *state;
	struct opd_perf_record out = { .kind = OPD_PERF_SWITCH, .time = 30 * MS, .pid = 7, .tid = 8 };

	create(f, false, 0);
	/* the return is lost */
	leave_in(f, 8, 1, 0x2010, false);
	leave_in(f, 8, 10 * MS, 0x2010, false);
	come(f, 8, 12 * MS);
	check_sums(f, 2 * MS);
	/* the stack is lost */
	out.change.out = true;
	opd_perf_waits_apply(f->waits, 1, &out);
	come(f, 8, 40 * MS);
	check_sums(f, 2 * MS);
	assert_int_equal(opd_perf_waits_counters(f->waits)->lost_waits, 1);
	/* sampling was off */
	leave_in(f, 8, 50 * MS, 0x2010, false);
	opd_perf_waits_forget(f->waits);
	come(f, 8, 60 * MS);
	/* the return of a thread that never left */
	come(f, 80, 60 * MS);
	/* a clock that goes back */
	leave_in(f, 8, 70 * MS, 0x2010, false);
	come(f, 8, 69 * MS);
	check_sums(f, 2 * MS);
}

/* The last switch of a thread that exits frees its account, and a new thread has a new account. */
static void threads_end(void **state)
{
	struct fixture *f = *state;
	struct opd_perf_record r = { .kind = OPD_PERF_EXIT, .pid = 7, .tid = 8 };

	create(f, false, 4 * 1024);	/* room for one account */
	leave_in(f, 8, 1, 0x2010, false);
	come(f, 8, 3 * MS);
	leave_in(f, 9, 1, 0x2010, false);
	assert_int_equal(opd_perf_waits_counters(f->waits)->lost_waits, 1);
	opd_perf_waits_notice(f->waits, &r);
	leave_in(f, 8, 4 * MS, 0x2010, true);
	leave_in(f, 9, 5 * MS, 0x2010, false);
	come(f, 9, 6 * MS);
	assert_int_equal(opd_perf_waits_counters(f->waits)->lost_waits, 1);
	r = (struct opd_perf_record){ .kind = OPD_PERF_FORK, .pid = 9, .tid = 9 };
	leave_in(f, 9, 7 * MS, 0x2010, false);
	opd_perf_waits_notice(f->waits, &r);
	come(f, 9, 100 * MS);
	check_sums(f, 4 * MS - 1);
}

/* A thread that exits does not wait, although its exit record has not come. */
static void dead_threads_do_not_wait(void **state)
{
	struct fixture *f = *state;

	create(f, false, 0);
	leave_in(f, 8, 100, 0x2010, false);
	come(f, 8, 100 + 5 * MS);
	leave_in(f, 8, 10 * MS, 0x3810, false);
	opd_perf_waits_until(f->waits, 1000 * MS);
	check_sums(f, 5 * MS);
}

/* Threads with deep stacks use no more than an eighth of the memory; the waits of others are lost. */
static void deep_stacks_have_a_limit(void **state)
{
	enum { THREADS = 2000, FRAMES = 100, COPY = 2048, MEMORY = 8 << 20 };
	static unsigned char copy[COPY];
	struct fixture *f = *state;
	uint64_t chain[FRAMES + 1] = { (uint64_t)PERF_CONTEXT_KERNEL }, regs[64] = { USER_PC };

	create(f, true, MEMORY);
	for (size_t i = 1; i <= FRAMES; i++)
		chain[i] = 0x2010;
	for (int32_t tid = 1; tid <= THREADS; tid++) {
		struct opd_perf_record r = { .kind = OPD_PERF_SAMPLE, .time = 1, .pid = tid, .tid = tid };

		r.sample.stack = (struct opd_perf_stack){
			.chain = (const unsigned char *)chain, .nr_chain = FRAMES + 1,
			.abi = PERF_SAMPLE_REGS_ABI_64, .regs = (const unsigned char *)regs,
			.bytes = copy, .size = COPY,
		};
		opd_perf_waits_apply(f->waits, 0, &r);
		r = (struct opd_perf_record){ .kind = OPD_PERF_SWITCH, .time = 1, .pid = tid, .tid = tid };
		r.change.out = true;
		opd_perf_waits_apply(f->waits, 0, &r);
	}
	assert_in_range(opd_perf_waits_counters(f->waits)->lost_waits,
			THREADS - MEMORY / 8 / (COPY + 8 * FRAMES), THREADS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(waits_have_samples, setup, teardown),
		cmocka_unit_test_setup_teardown(paths_begin_outside_the_scheduler, setup, teardown),
		cmocka_unit_test_setup_teardown(unfinished_waits_are_accounted, setup, teardown),
		cmocka_unit_test_setup_teardown(lost_records_do_not_count, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_end, setup, teardown),
		cmocka_unit_test_setup_teardown(dead_threads_do_not_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(deep_stacks_have_a_limit, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
