// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * soak.c -- random valid calls of several processes for a long time: owners of counters, their
 * forked copies, tracers, readers of pages. Each call must have a documented result. The caller of
 * this program checks the kernel's log.
 *
 * Environment: CALLS: total number of calls of all processes; SECONDS: time limit; SEED: seed of
 * the random numbers; COPIES: mean number of calls between two trees of child processes (default
 * 64).
 */
#include "vp.h"

#define PROCESSES	3
#define PAGES		2	/* maximum number of pages of a ring */

struct shared {
	uint64_t calls, controls, reads, copies, traced, signals;
};

static struct shared *shared;
static uint64_t state, copies;

static uint64_t below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void count(uint64_t *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->calls, what != &shared->calls, __ATOMIC_RELAXED);
}

static struct vperfctr_control any_control(void)
{
	static const uint64_t events[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_CPU_CLOCK,
	};
	struct vperfctr_control c = settings(below(2), below(5));

	c.preserve = below(1 << c.nrctrs);
	c.flags = below(4) ? 0 : VPERFCTR_ANY_CPU;
	c.ring_pages = below(4) ? 0 : below(PAGES + 1);
	c.si_signo = below(2) ? SIGUSR1 : 0;
	for (uint32_t i = 0; i < c.nrctrs; i++) {
		c.pmc[i].config = events[below(4)];
		if ((c.si_signo || c.ring_pages) && !below(3))
			c.pmc[i].ireset = VPERFCTR_MIN_IRESET_NS + below(1000000);
		if (!below(4))
			c.pmc[i].flags |= VPERFCTR_SHARE;
	}
	return c;
}

static void resume(int signo)
{
	int saved = errno, fd = open_tid(0, 0);

	(void)signo;
	if (fd >= 0) {
		ioctl(fd, VPERFCTR_IOC_IRESUME);
		close(fd);
	}
	count(&shared->signals);
	errno = saved;
}

static void set_any(int fd)
{
	struct vperfctr_control c = any_control();

	want_ok(control(fd, &c));
	count(&shared->controls);
}

static void read_any(int fd)
{
	struct vperfctr_read r = { .size = sizeof(r), .want = below(8) };
	volatile const struct vperfctr_state *page;

	want_ok(ioctl(fd, VPERFCTR_IOC_READ, &r));
	if (!below(8)) {
		page = map(fd);
		(void)page->cpu_state.tsc_sum;
		munmap((void *)page, PAGE);
	}
	count(&shared->reads);
}

/* Fork a tree of child processes, some of which change their settings, exec, or are killed. */
static void copy(int depth)
{
	pid_t pid = fork();

	if (!pid) {
		int fd = open_tid(0, 0);

		touch(1 + below(3));
		if (fd >= 0 && below(2))
			read_any(fd);
		if (depth < 3 && !below(2))
			copy(depth + 1);
		if (!below(8))
			execl("/bin/true", "true", NULL);
		if (!below(8))
			kill(getpid(), SIGKILL);
		_exit(failed);
	}
	count(&shared->copies);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Call as a tracer on a tracee that stops and continues, and may be killed between the calls. */
static void trace(void)
{
	pid_t pid = fork();
	int fd, status;

	if (!pid) {
		for (;;)
			touch(2);
	}
	if (ptrace(PTRACE_SEIZE, pid, 0, 0))
		goto end;
	for (int i = below(4); i >= 0; i--) {
		ptrace(PTRACE_INTERRUPT, pid, 0, 0);
		if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
			return;
		fd = open_tid(pid, below(3) ? VPERFCTR_OPEN_CREAT : 0);
		if (fd >= 0) {
			set_any(fd);
			read_any(fd);
			if (!below(2))
				want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
			close(fd);
		} else if (errno != ENOENT && errno != EEXIST) {
			fail("open a tracee: %s", strerror(errno));
		}
		if (!below(4))
			break;
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
end:
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	count(&shared->traced);
}

static void run(uint64_t seed, uint64_t calls, double end)
{
	int fd = -1;

	state = seed * 0x9e3779b97f4a7c15ULL | 1;
	signal(SIGUSR1, resume);
	while (!failed && shared->calls < calls && seconds() < end) {
		if (fd < 0)
			want_ok(fd = open_tid(0, VPERFCTR_OPEN_CREAT));
		count(&shared->calls);
		if (!below(copies)) {
			copy(0);
			continue;
		}
		if (!below(4 * copies)) {
			trace();
			continue;
		}
		switch (below(64)) {
		case 2:
			want_ok(ioctl(fd, VPERFCTR_IOC_UNLINK));
			close(fd);
			fd = -1;
			break;
		case 3: case 4: case 5: case 6: case 7: case 8: case 9: case 10:
			set_any(fd);
			break;
		case 11: case 12:
			touch(1 + below(8));
			break;
		default:
			read_any(fd);
		}
	}
	_exit(failed);
}

void test_soak(void)
{
	uint64_t calls = getenv("CALLS") ? strtoull(getenv("CALLS"), NULL, 0) : 100000;
	uint64_t seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 1;
	double end = seconds() + (getenv("SECONDS") ? atoi(getenv("SECONDS")) : 1e9);

	copies = getenv("COPIES") ? strtoull(getenv("COPIES"), NULL, 0) : 64;
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		exit(1);
	for (int i = 0; i < PROCESSES; i++)
		if (!fork())
			run(seed + i, calls, end);
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		if (wait(&status) < 0 || status)
			fail("a process: status %#x", status);
	}
	printf("soak: %llu well-formed calls of %d processes, seed %llu: %llu settings, %llu reads, %llu copies, %llu tracees, "
	       "%llu signals\n", (unsigned long long)shared->calls, PROCESSES, (unsigned long long)seed,
	       (unsigned long long)shared->controls, (unsigned long long)shared->reads, (unsigned long long)shared->copies,
	       (unsigned long long)shared->traced, (unsigned long long)shared->signals);
}
