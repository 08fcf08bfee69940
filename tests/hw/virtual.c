// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * virtual WHAT -- tests virtual counters on a machine with real counters. judge.sh checks the lines
 * that it prints.
 *
 *   loops      "loop EVENT TURNS COUNT page|call": each slot that fits at once, read in user
 *              mode where possible
 *   reads N    "reads N BACKWARDS BY-CALL", while another thread moves this one between CPUs
 *   overflows  "overflows SIGNALS CYCLES PERIOD"
 *   tree       "tree PROCESSES TOLD COUNT LEAST": instructions of children that have ended
 *   kinds      "kind CPU killed|ran": moved to a CPU that cannot count the slots
 *   costs      "cost WHAT TICKS"
 *
 * A test that cannot run prints "cannot WHAT: REASON".
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libvperf/vperf.h"
#include "libvperf/vperfctr.h"

#define TURNS	100000000u
#define PERIOD	1000000u

static const char *what;

static void __attribute__((noreturn)) cannot(const char *why)
{
	printf("cannot %s: %s\n", what, why);
	exit(0);
}

static struct vperf *open_slot(const char *event, unsigned int flags)
{
	struct vperf *v = NULL;

	if (vperf_open(&v, VPERF_MODULE | flags) || vperf_add(v, event) < 0)
		cannot(vperf_error(v));
	return v;
}

static void start(struct vperf *v)
{
	if (vperf_start(v))
		cannot(vperf_error(v));
}

static uint64_t count_of(struct vperf *v, unsigned int slot)
{
	uint64_t n = 0;

	if (vperf_read_one(v, slot, &n))
		cannot(vperf_error(v));
	return n;
}

static bool is_mapped(const struct vperf *v, unsigned int slot)
{
	const struct vperf_view *view = vperf_view_of(v);

	return view->state && view->state->cpu_state.pmc[slot].map & VPERFCTR_MAP_VALID;
}

/* Execute a loop of @turns turns; a turn is two instructions and a branch. */
static void turn(uint64_t turns)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(turns));
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(turns));
#else
	while (turns--)
		__asm__ volatile("");
#endif
}

static void loops(void)
{
	struct vperf *v = open_slot("instructions:u", 0);
	uint64_t before[VPERF_MAX], after[VPERF_MAX];
	unsigned int nr = 1;

	while (nr < VPERF_MAX && vperf_add(v, nr % 2 ? "branches:u" : "instructions:u") >= 0)
		nr++;
	start(v);
	for (unsigned int i = 0; i < nr; i++)
		before[i] = count_of(v, i);
	turn(TURNS);
	for (unsigned int i = 0; i < nr; i++)
		after[i] = count_of(v, i);
	for (unsigned int i = 0; i < nr; i++)
		printf("loop %s %u %llu %s\n", i % 2 ? "branches" : "instructions", TURNS,
		       (unsigned long long)(after[i] - before[i]), is_mapped(v, i) ? "page" : "call");
	vperf_close(v);
}

static atomic_bool done;

static void *move(void *arg)
{
	const pid_t tid = *(pid_t *)arg;
	const long nr = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	for (unsigned int i = 0; !done; i++) {
		CPU_ZERO(&set);
		CPU_SET(i % (unsigned int)nr, &set);
		sched_setaffinity(tid, sizeof(set), &set);
		usleep(500);
	}
	return NULL;
}

static void reads(uint64_t nr)
{
	struct vperf *v = open_slot("instructions:u", 0);
	uint64_t last = 0, now, backwards = 0, by_call = 0;
	pid_t self = gettid();
	pthread_t mover;

	start(v);
	pthread_create(&mover, NULL, move, &self);
	for (uint64_t i = 0; i < nr; i++) {
		by_call += !is_mapped(v, 0);
		now = count_of(v, 0);
		backwards += now < last;
		last = now;
	}
	done = true;
	pthread_join(mover, NULL);
	printf("reads %llu %llu %llu\n", (unsigned long long)nr, (unsigned long long)backwards, (unsigned long long)by_call);
	vperf_close(v);
}

static struct {
	struct vperf *v;
	unsigned int signals;
} handled;

static void on_signal(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	if (vperf_overflow(handled.v, info)) {
		handled.signals++;
		vperf_resume(handled.v);
	}
}

static void overflows(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	struct vperf *v = open_slot("cpu-cycles:u", 0);

	handled.v = v;
	sigaction(SIGRTMIN + 3, &action, NULL);
	if (vperf_on_overflow(v, 0, PERIOD, SIGRTMIN + 3))
		cannot(vperf_error(v));
	start(v);
	while (count_of(v, 0) < 1000ull * PERIOD)
		turn(TURNS / 1000);
	vperf_stop(v);
	printf("overflows %u %llu %u\n", handled.signals, (unsigned long long)count_of(v, 0), PERIOD);
	vperf_close(v);
}

static void grow(int levels)
{
	turn(TURNS / 100);
	for (int i = 0; levels && i < 4; i++) {
		pid_t pid = fork();

		if (!pid) {
			grow(levels - 1);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void tree(void)
{
	struct vperf *v = open_slot("instructions:u", VPERF_CHILDREN);
	const unsigned int processes = 4 + 16 + 64;
	struct vperf_counts c;

	start(v);
	grow(3);
	if (vperf_read_children(v, &c))
		cannot(vperf_error(v));
	printf("tree %u %llu %llu %llu\n", processes, (unsigned long long)c.nr_children, (unsigned long long)c.slot[0].count,
	       2ull * processes * (TURNS / 100));
	vperf_close(v);
}

static void kinds(void)
{
	static struct vperfctr_cpus cpus;
	unsigned int tried = 0;

	if (sys_vperfctr_cpus(&cpus))
		cannot(strerror(errno));
	fflush(stdout);
	for (unsigned int cpu = 0; cpu < cpus.nr_cpus; cpu++) {
		int status = 0;
		pid_t pid;

		if (!(cpus.forbidden[cpu / 64] >> cpu % 64 & 1))
			continue;
		tried++;
		pid = fork();
		if (!pid) {
			struct vperf *v = open_slot("instructions:u", 0);
			cpu_set_t set;

			start(v);
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
			turn(TURNS / 10);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		printf("kind %u %s\n", cpu, WIFSIGNALED(status) && WTERMSIG(status) == SIGILL ? "killed" : "ran");
	}
	if (!tried)
		cannot("all cores are of one kind (the module's parameter forbidden_cpus makes another)");
}

static uint64_t least_of(struct vperf *v, int way)
{
	uint64_t least = UINT64_MAX, value = 0;

	for (int run = 0; run < 10000; run++) {
		struct vperf_counts counts;
		uint64_t begin = vperf_tsc_now(), took;

		for (int i = 0; i < 10; i++) {
			if (way == 0)
				value += vperf_tsc_now();
			else if (way == 1)
				value += vperf_pmc_now(VPERFCTR_MAP_INDEX(vperf_view_of(v)->state->cpu_state.pmc[0].map));
			else if (way == 2)
				vperf_read(v, &counts);
			else
				vperf_read_by_call(v, &counts);
		}
		took = (vperf_tsc_now() - begin) / 10;
		least = took < least ? took : least;
	}
	__asm__ volatile("" : : "r"(value));
	return least;
}

static void costs(void)
{
	static const char *const ways[] = { "counter", "pmc", "both", "call" };
	struct vperf *v = open_slot("instructions:u", 0);

	start(v);
	for (int way = 0; way < 4; way++)
		if (way != 1 || is_mapped(v, 0))
			printf("cost %s %llu\n", ways[way], (unsigned long long)least_of(v, way));
	if (!is_mapped(v, 0))
		cannot("user mode may not read the counter");
	vperf_close(v);
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "loops"))
		loops();
	else if (!strcmp(what, "reads"))
		reads(argc > 2 ? strtoull(argv[2], NULL, 10) : TURNS);
	else if (!strcmp(what, "overflows"))
		overflows();
	else if (!strcmp(what, "tree"))
		tree();
	else if (!strcmp(what, "kinds"))
		kinds();
	else if (!strcmp(what, "costs"))
		costs();
	else
		return 2;
	return 0;
}
