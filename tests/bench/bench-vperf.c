// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-vperf.c -- measures the cost of being counted and of reading counts: by libvperf, and
 * without it.
 *
 *   bench-vperf reads SOURCE [EVENT]            each way to read the own counters
 *   bench-vperf overflows SOURCE                page faults that overflow, the handler, the resume
 *   bench-vperf switches SOURCE [EVENT...]      switches to another process, counted as a copy
 *   bench-vperf switches-own SOURCE [EVENT...]  the same, each process with own counters
 *   bench-vperf forks SOURCE [EVENT...]         fork, exit and wait, with parent and child counted
 *   bench-vperf by-itself switches|forks        the same in a program that does nothing else,
 *                                               which another process counts, like `perf stat`
 *   bench-vperf runs COMMAND [ARG...]           fork, exec, exit and wait
 *
 * SOURCE: module, perf, or nobody. Prints rows of a name and ns, the minimum of several runs. Where
 * the clock counts instructions (tests/vm/run --icount), the numbers are instructions.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libvperf/private.h"
#include "libvperf/vperf.h"

#define RUNS	9

struct way {
	const char *name;
	unsigned int nr;		/* number of counters in a run */
	void (*once)(void *arg);
};

static uint64_t now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void __attribute__((noreturn)) die(const char *what, const char *why)
{
	printf("FAILED: %s: %s\n", what, why);
	exit(1);
}

static void must(struct vperf *v, int err)
{
	if (err < 0)
		die("libvperf", vperf_error(v));
}

static void tell(const struct way *way, void *arg)
{
	uint64_t least = UINT64_MAX;

	for (int run = 0; run < RUNS; run++) {
		const uint64_t begin = now_ns(CLOCK_MONOTONIC);
		uint64_t took;

		for (unsigned int i = 0; i < way->nr; i++)
			way->once(arg);
		took = now_ns(CLOCK_MONOTONIC) - begin;
		least = took < least ? took : least;
	}
	printf("%s\t%.1f\n", way->name, (double)least / way->nr);
}

/* Benchmarks of reading the own thread's counters. */

struct reads {
	/*
	 * handles that count the time and one slot; the time and all slots; by mapped pages of
	 * perf_events
	 */
	struct vperf *v, *all, *perf;
	int fd;				/* descriptor of the perf event */
};

static void nothing(void *arg)
{
	(void)arg;
	__asm__ volatile("");
}

static void by_counter(void *arg)
{
	uint64_t value = vperf_tsc_now();

	(void)arg;
	__asm__ volatile("" : : "r"(value));
}

static void time_of(struct vperf *v)
{
	uint64_t value;

	must(v, vperf_read_tsc(v, &value));
	__asm__ volatile("" : : "r"(value));
}

static void time_by_libvperf(void *arg)
{
	time_of(((struct reads *)arg)->v);
}

static void time_by_perfs_page(void *arg)
{
	time_of(((struct reads *)arg)->perf);
}

/* Read the time and a slot of the same moment. */
static void slot_by_libvperf(void *arg)
{
	struct vperf_counts counts;

	must(((struct reads *)arg)->v, vperf_read(((struct reads *)arg)->v, &counts));
}

static void slot_by_perfs_page(void *arg)
{
	uint64_t value;

	time_of(((struct reads *)arg)->perf);
	must(((struct reads *)arg)->perf, vperf_read_one(((struct reads *)arg)->perf, 0, &value));
}

static void by_fd(void *arg)
{
	uint64_t told[8];

	if (read(((struct reads *)arg)->fd, told, sizeof(told)) < 0)
		die("read", strerror(errno));
}

static void by_clock(void *arg)
{
	(void)arg;
	now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void all_by_call(void *arg)
{
	struct vperf_counts counts;

	must(((struct reads *)arg)->all, vperf_read_by_call(((struct reads *)arg)->all, &counts));
}

static struct vperf *open_counting(unsigned int source, const char *event, int nr)
{
	struct vperf *v = NULL;

	must(v, vperf_open(&v, source));
	for (int i = 0; i < nr; i++)
		must(v, vperf_add(v, event));
	must(v, vperf_start(v));
	return v;
}

/* Open a perf event that counts the process @pid from its exec on. */
static int open_perf(const char *event, pid_t pid, bool inherit, unsigned int period)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .exclude_kernel = 1, .exclude_hv = 1, .inherit = inherit };
	static struct vperf none;
	struct vperfctr_pmc pmc;
	int fd;

	must(&none, vperf_parse_event(&none, &pmc, event));
	attr.type = pmc.type;
	attr.config = pmc.config;
	attr.sample_period = period;
	attr.wakeup_events = !!period;
	attr.disabled = period || pid;
	attr.enable_on_exec = !!pid;
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die(event, strerror(errno));
	return fd;
}

static void reads(unsigned int source, const char *event)
{
	static const struct way of_time[] = {
		{ "the loop itself", 20000, nothing },
		{ "the CPU's cycle counter", 20000, by_counter },
		{ "the thread's time: libvperf", 20000, time_by_libvperf },
		{ "the thread's time: perf's page", 20000, time_by_perfs_page },
		{ "the thread's time: clock_gettime", 20000, by_clock },
		{ "one event: read(2) of perf", 20000, by_fd },
		{ "the time and an event: libvperf", 20000, slot_by_libvperf },
		{ "the time and an event: perf's pages", 20000, slot_by_perfs_page },
	}, of_all = { "16 events: a read call", 20000, all_by_call };
	struct reads r = { .v = open_counting(source, event, 1) };

	r.perf = source == VPERF_PERF ? r.v : open_counting(VPERF_PERF, event, 1);
	r.fd = open_perf(event, 0, false, 0);
	for (size_t i = 0; i < sizeof(of_time) / sizeof(of_time[0]); i++)
		tell(&of_time[i], &r);
	/* Close this handle first: a thread can have only one handle of the module. */
	vperf_close(r.v);
	r.all = open_counting(source, "page-faults:u", VPERF_MAX);
	tell(&of_all, &r);
	vperf_close(r.all);
}

/* State of the benchmark of overflows, which counts page faults in user mode. */

static struct {
	struct vperf *v;
	int fd;
	unsigned int taken;
} handled;

static void on_overflow(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	handled.taken++;
	if (handled.fd >= 0)
		ioctl(handled.fd, PERF_EVENT_IOC_REFRESH, 1);
	else if (vperf_overflow(handled.v, info))
		vperf_resume(handled.v);
}

/*
 * number of faults between two overflows; if each fault overflowed, page faults would never return
 * with perf_events
 */
#define PERIOD	10

static void faults(void *arg)
{
	for (int i = 0; i < PERIOD; i++) {
		*(volatile char *)arg = 1;
		madvise(arg, (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
	}
}

static void overflows(unsigned int source)
{
	static const struct way way = { "ten faults, an overflow, handler and resume", 500, faults };
	struct sigaction action = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };
	const int signo = SIGRTMIN + 3;
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sigaction(signo, &action, NULL);
	handled.fd = -1;
	if (source == VPERF_MODULE) {
		must(handled.v, vperf_open(&handled.v, source));
		must(handled.v, vperf_add(handled.v, "page-faults:u"));
		must(handled.v, vperf_on_overflow(handled.v, 0, PERIOD, signo));
		must(handled.v, vperf_start(handled.v));
	} else if (source == VPERF_PERF) {
		struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid) };

		handled.fd = open_perf("page-faults:u", 0, false, PERIOD);
		if (fcntl(handled.fd, F_SETSIG, signo) || fcntl(handled.fd, F_SETOWN_EX, &owner) ||
		    fcntl(handled.fd, F_SETFL, O_ASYNC) || ioctl(handled.fd, PERF_EVENT_IOC_REFRESH, 1))
			die("F_SETSIG", strerror(errno));
	}
	tell(&way, page);
	if (handled.taken != (source ? RUNS * way.nr : 0))
		die("overflows", "not as many as faults");
}

/* Count this process and its children as SOURCE says. */

static void count(unsigned int source, char **events, unsigned int flags)
{
	struct vperf *v = NULL;

	if (source == VPERF_MODULE) {
		must(v, vperf_open(&v, source | flags));
		for (; *events; events++)
			must(v, vperf_add(v, *events));
		must(v, vperf_start(v));
	}
	for (; source == VPERF_PERF && *events; events++)
		open_perf(*events, 0, true, 0);
}

/*
 * Execute this program again as a counted command, from a process that shares neither memory nor
 * files with the command. The program then behaves identically for each SOURCE, so the difference
 * of the times is the cost of counting. Return whether it could be started.
 */
static bool run_counted(const char *what, unsigned int source, char **events)
{
	int go[2], status;
	char byte = 0;
	pid_t pid;

	personality(ADDR_NO_RANDOMIZE);
	if (pipe2(go, O_CLOEXEC))
		die("pipe", strerror(errno));
	pid = fork();
	if (!pid) {
		if (source == VPERF_MODULE)
			count(source, events, VPERF_ON_EXEC);
		if (read(go[0], &byte, 1) == 1)
			execl("/proc/self/exe", "bench-vperf", "by-itself", what, NULL);
		_exit(1);
	}
	for (; source == VPERF_PERF && *events; events++)
		open_perf(*events, pid, true, 0);
	if (pid < 0 || write(go[1], &byte, 1) != 1 || waitpid(pid, &status, 0) != pid)
		die(what, strerror(errno));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

struct pipes {
	int to, from;
};

static void there_and_back(void *arg)
{
	const struct pipes *p = arg;
	char byte = 0;

	if (write(p->to, &byte, 1) != 1 || read(p->from, &byte, 1) != 1)
		die("pipe", strerror(errno));
}

/*
 * Benchmark of switches between two processes on one CPU, where the other process is counted as a
 * copy.
 */
static void switches(unsigned int source, char **events)
{
	static const struct way way = { "there and back, two switches", 2000, there_and_back };
	int there[2], back[2];
	cpu_set_t set;
	pid_t pid;
	char byte;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (pipe(there) || pipe(back))
		die("pipe", strerror(errno));
	pid = fork();
	count(source, events, 0);
	if (!pid) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	tell(&way, &(struct pipes){ there[1], back[0] });
	close(there[1]);
	waitpid(pid, NULL, 0);
}

static void fork_and_wait(void *arg)
{
	char **command = arg;
	pid_t pid = fork();

	if (pid < 0)
		die("fork", strerror(errno));
	if (!pid) {
		if (command) {
			int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

			dup2(null, 1);
			dup2(null, 2);
			execvp(command[0], command);
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	static const struct way runs = { "run", 3, fork_and_wait }, forks = { "fork, exit, wait", 300, fork_and_wait };
	const char *what = argc > 2 ? argv[1] : "", *by = argc > 2 ? argv[2] : "";
	const unsigned int source = !strcmp(by, "module") ? VPERF_MODULE : !strcmp(by, "perf") ? VPERF_PERF : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(what, "reads")) {
		reads(source, argc > 3 ? argv[3] : "page-faults:u");
	} else if (!strcmp(what, "overflows")) {
		overflows(source);
	} else if (!strcmp(what, "switches") || !strcmp(what, "forks")) {
		return !run_counted(what, source, argv + 3);
	} else if (!strcmp(what, "by-itself") && !strcmp(by, "forks")) {
		tell(&forks, NULL);
	} else if (!strcmp(what, "by-itself") && !strcmp(by, "switches")) {
		switches(0, argv + 3);
	} else if (!strcmp(what, "switches-own")) {
		switches(source, argv + 3);
	} else if (!strcmp(what, "runs")) {
		tell(&runs, argv + 2);
	} else {
		fprintf(stderr, "usage: %s reads|overflows|switches|switches-own|forks SOURCE [EVENT...], or runs COMMAND\n", argv[0]);
		return 2;
	}
	return 0;
}
