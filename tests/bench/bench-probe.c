// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-probe.c -- the load for measuring probes, whichever probe is preloaded. Prints nanoseconds
 * of the process's CPU time: for one signal or pair of calls, or for all of the work where "(all)".
 *
 *   stand DEPTH N          send N sample signals to itself on a constant stack of DEPTH functions
 *   turns DEPTH N          the same, but all return addresses change before each signal
 *   again DEPTH N          the same, but an equal stack is built anew before each signal
 *   pairs DEPTH THREADS N  call malloc() and free() N times in each thread
 *   fib N                  compute a Fibonacci number recursively (all)
 *   spin THREADS N         compute N steps in each thread (all)
 *   gaps MS                the longest time, within MS milliseconds, in which it did not run
 *   sizes N DEPTH          N allocations of random sizes on 2^DEPTH paths, freed in another
 *                          order (all)
 *
 * With BENCH_EMPTY in the environment, SIGPROF has a handler that does nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS	64
#define KEPT		4096	/* number of blocks that are live at the same time */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void nothing(int sig)
{
	(void)sig;
}

struct work {
	void (*leaf)(uint64_t n);
	uint64_t n;
};

/* Like descend(), but with other return addresses. */
static __attribute__((noinline)) uint64_t descend_too(const struct work *work, unsigned int depth)
{
	uint64_t ret;

	if (!depth) {
		work->leaf(work->n);
		return 0;
	}
	ret = descend_too(work, depth - 1);
	__asm__ volatile("" : "+r"(ret));
	return ret + 2;
}

static __attribute__((noinline)) uint64_t descend(const struct work *work, unsigned int depth)
{
	uint64_t ret;

	if (!depth) {
		work->leaf(work->n);
		return 0;
	}
	ret = descend(work, depth - 1);
	/* like descend(), but with other return addresses */
	__asm__ volatile("" : "+r"(ret));
	return ret + 1;
}

/* Build the siginfo of a sample signal as the kernel would: from the perf event if there is one,
 * otherwise from setitimer(2). */
static siginfo_t signal_of_samples(void)
{
	siginfo_t info = { .si_signo = SIGPROF, .si_code = SI_KERNEL };
	char name[64], path[64];

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, name, sizeof(name) - 1);
		name[len > 0 ? len : 0] = '\0';
		if (strcmp(name, "anon_inode:[perf_event]") || fcntl(fd, F_GETSIG) <= 0)
			continue;
		info = (siginfo_t){ .si_signo = fcntl(fd, F_GETSIG), .si_code = POLL_IN };
		info.si_fd = fd;
	}
	return info;
}

static siginfo_t sample;

static void raise_samples(uint64_t n)
{
	while (n--)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), sample.si_signo, &sample);
}

static void stand(unsigned int depth, uint64_t n)
{
	const struct work work = { raise_samples, n };
	uint64_t begun = now();

	descend(&work, depth);
	printf("%.1f\n", (double)(now() - begun) / n);
}

static void turns(unsigned int depth, uint64_t n, bool is_same)
{
	const struct work work = { raise_samples, 1 };
	uint64_t begun = now();

	for (uint64_t i = 0; i < n; i++)
		if (i & 1 && !is_same)
			descend_too(&work, depth);
		else
			descend(&work, depth);
	printf("%.1f\n", (double)(now() - begun) / n);
}

static void pairs(uint64_t n)
{
	while (n--) {
		void *volatile block = malloc(100);

		free(block);
	}
}

struct thread {
	pthread_t id;
	struct work work;
	unsigned int depth;
};

static void *thread_main(void *arg)
{
	struct thread *t = arg;

	descend(&t->work, t->depth);
	return NULL;
}

/* Run @work in @nr threads. Return their total CPU time. */
static uint64_t in_threads(struct work work, unsigned int depth, unsigned int nr)
{
	struct thread threads[MAX_THREADS];
	uint64_t begun = now();

	for (unsigned int i = 0; i < nr; i++) {
		threads[i] = (struct thread){ .work = work, .depth = depth };
		if (nr == 1)
			thread_main(&threads[0]);
		else if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i]))
			exit(1);
	}
	for (unsigned int i = 0; i < nr && nr > 1; i++)
		pthread_join(threads[i].id, NULL);
	return now() - begun;
}

static void spin(uint64_t n)
{
	uint64_t x = 1;

	while (n--) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

static __attribute__((noinline)) unsigned int fib(unsigned int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* state of the xorshift64 generator (Marsaglia, 2003) */
static uint64_t random_state = 88172645463325252;

static uint64_t below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void *kept[KEPT];

/*
 * Two functions that call each other or themselves according to the bits of @path, so that each
 * value of @path makes another call path.
 */
static void *left(unsigned int path, unsigned int depth, size_t size);

static __attribute__((noinline)) void *right(unsigned int path, unsigned int depth, size_t size)
{
	void *volatile ret = !depth ? malloc(size) : path & 1 ? left(path >> 1, depth - 1, size) : right(path >> 1, depth - 1, size);

	return ret;
}

static __attribute__((noinline)) void *left(unsigned int path, unsigned int depth, size_t size)
{
	void *volatile ret = !depth ? malloc(size) : path & 1 ? left(path >> 1, depth - 1, size) : right(path >> 1, depth - 1, size);

	return ret;
}

static void sizes(uint64_t n, unsigned int depth)
{
	while (n--) {
		size_t at = below(KEPT);

		free(kept[at]);
		kept[at] = left((unsigned int)below(1u << depth), depth, 1 + below(2000));
	}
}

static uint64_t wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t gaps(uint64_t ms)
{
	const uint64_t end = wall() + ms * 1000000;
	uint64_t before = wall(), at, longest = 0;

	for (; (at = wall()) < end; before = at)
		if (at - before > longest)
			longest = at - before;
	return longest;
}

static uint64_t number(int argc, char **argv, int i)
{
	return i < argc ? strtoull(argv[i], NULL, 0) : 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	uint64_t begun = now(), a = number(argc, argv, 2), b = number(argc, argv, 3), c = number(argc, argv, 4);

	if (getenv("BENCH_EMPTY"))
		signal(SIGPROF, nothing);
	sample = signal_of_samples();
	if (!strcmp(what, "stand"))
		stand(a, b);
	else if (!strcmp(what, "turns"))
		turns(a, b, false);
	else if (!strcmp(what, "again"))
		turns(a, b, true);
	else if (!strcmp(what, "pairs") && b <= MAX_THREADS)
		printf("%.1f\n", (double)in_threads((struct work){ pairs, c }, a, b) / b / c);
	else if (!strcmp(what, "spin") && a <= MAX_THREADS)
		printf("%" PRIu64 "\n", in_threads((struct work){ spin, b }, 0, a));
	else if (!strcmp(what, "gaps"))
		printf("%" PRIu64 "\n", gaps(a));
	else if (!strcmp(what, "fib"))
		printf("%" PRIu64 "\n", fib(a) ? now() - begun : 0);
	else if (!strcmp(what, "sizes") && b <= 30) {
		sizes(a, b);
		printf("%" PRIu64 "\n", now() - begun);
	} else {
		fprintf(stderr, "usage: see the top of the source\n");
		return 1;
	}
	return 0;
}
