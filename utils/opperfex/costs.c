// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * costs.c -- measures the cost of counting on this machine.
 *
 * Each result is the minimum of several runs, because disturbances only make a run longer. The time
 * of a context switch is half the time in which a byte is sent to another process on the same CPU
 * and back. The cost of counting is the difference between switches with and without counters.
 */
#include "config.h"
#include "utils/opperfex/info.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/clock.h"
#include "utils/opperfex/event.h"

#define RUNS		7
#define READS		20000
#define ROUND_TRIPS	5000

struct cost {
	const char *name;
	void (*once)(struct vperf *v);
};

static void read_counter(struct vperf *v)
{
	uint64_t value = vperf_tsc_now();

	(void)v;
	__asm__ volatile("" : : "r"(value));
}

static void read_time(struct vperf *v)
{
	uint64_t value;

	vperf_read_tsc(v, &value);
}

static void read_time_by_call(struct vperf *v)
{
	struct timespec t;

	(void)v;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
}

static void read_slot(struct vperf *v)
{
	uint64_t value;

	vperf_read_one(v, 0, &value);
}

static void read_all(struct vperf *v)
{
	struct vperf_counts counts;

	vperf_read(v, &counts);
}

static void read_by_call(struct vperf *v)
{
	struct vperf_counts counts;

	vperf_read_by_call(v, &counts);
}

static double ns_of(const struct cost *cost, struct vperf *v)
{
	uint64_t least = UINT64_MAX;

	for (int run = 0; run < RUNS; run++) {
		uint64_t begin = op_now_ns(), took;

		for (int i = 0; i < READS; i++)
			cost->once(v);
		took = op_now_ns() - begin;
		least = took < least ? took : least;
	}
	return (double)least / READS;
}

/* In the child: send each received byte back, until the pipe is closed. */
static void __attribute__((noreturn)) answer(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1)
		if (write(to, &byte, 1) != 1)
			break;
	_exit(0);
}

static int exchange(int to, int from, double *ret)
{
	uint64_t least = UINT64_MAX;
	char byte = 0;

	for (int run = 0; run < RUNS; run++) {
		uint64_t begin = op_now_ns(), took;

		for (int i = 0; i < ROUND_TRIPS; i++)
			if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
				return -EPIPE;
		took = op_now_ns() - begin;
		least = took < least ? took : least;
	}
	*ret = (double)least / ROUND_TRIPS / 2;
	return 0;
}

/* Measure the time of a context switch without counters and with counters. This function binds the
 * process permanently to one CPU. */
static int measure_switch(struct vperf *v, double *without, double *with)
{
	int there[2], back[2], cpu = sched_getcpu(), err;
	cpu_set_t set;
	pid_t pid = -1;

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (pipe2(there, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(back, O_CLOEXEC) < 0) {
		err = -errno;
		goto close_there;
	}
	err = vperf_stop(v);
	pid = err ? -1 : fork();
	if (!pid) {
		close(there[1]);
		answer(there[0], back[1]);
	}
	if (pid < 0) {
		err = err ? err : -errno;
		goto close_back;
	}
	err = exchange(there[1], back[0], without);
	if (!err)
		err = vperf_start(v);
	if (!err)
		err = exchange(there[1], back[0], with);
close_back:
	close(back[0]);
	close(back[1]);
close_there:
	close(there[0]);
	close(there[1]);
	if (pid > 0)
		waitpid(pid, NULL, 0);	/* the child exits because its pipe was closed */
	return err;
}

static int measure(FILE *out, struct vperf *v, const char *event)
{
	static const struct cost of_time[] = {
		{ "the CPU's cycle counter", read_counter },
		{ "virtual time", read_time },
		{ "clock_gettime, the thread's", read_time_by_call },
	}, of_slot[] = {
		{ "one event", read_slot },
		{ "everything", read_all },
		{ "everything, by call", read_by_call },
	};
	double without = 0, with = 0;
	int err;

	for (size_t i = 0; i < sizeof(of_time) / sizeof(of_time[0]); i++)
		fprintf(out, "%-32s%10.1f ns\n", of_time[i].name, ns_of(&of_time[i], v));
	for (size_t i = 0; event && i < sizeof(of_slot) / sizeof(of_slot[0]); i++)
		fprintf(out, "%-32s%10.1f ns\n", of_slot[i].name, ns_of(&of_slot[i], v));
	err = measure_switch(v, &without, &with);
	if (!err)
		fprintf(out, "%-32s%10.1f ns\n%-32s%10.1f ns\n", "a switch, not counting", without,
			"... counting", with);
	return err;
}

int perfex_costs(FILE *out, const struct perfex_options *o, struct op_reason *error)
{
	struct vperf *v = NULL;
	int err = vperf_open(&v, o->source);

	if (err)
		op_fail(error, err, "%s", vperf_error(v));
	for (size_t i = 0; i < o->nr_events && !err; i++)
		err = perfex_event_add(v, o->events[i], error);
	if (!err && !o->nr_events)
		err = perfex_event_add(v, "page-faults", error);
	if (!err) {
		err = vperf_start(v);
		if (err)
			op_fail(error, err, "%s", vperf_error(v));
	}
	if (!err) {
		fprintf(out, "%-32s%s\n", "counted by", vperf_source(v));
		err = measure(out, v, o->nr_events ? o->events[0] : "page-faults");
		if (err)
			op_fail(error, err, "measuring: %s", strerror(-err));
	}
	vperf_close(v);
	return err;
}
