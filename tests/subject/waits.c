// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits COUNT -- threads that wait COUNT times each, for known reasons, in functions of their own.
 * Prints for each function the time that it waited, by the program's own clock: "REASON FUNCTION NS".
 * Two more threads share the CPU $CPU, and compute: "runqueue" is the time for which they did not
 * run.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "call.h"
#include "common.h"

#define NAP_NS	7000000

static long count = 400;

static const struct timespec nap = { 0, NAP_NS };

static __attribute__((noinline)) void partner_nap(void)
{
	call(SYS_nanosleep, (long)&nap, 0, 0, 0);
}

static __attribute__((noinline)) void wait_sleep(void)
{
	call(SYS_nanosleep, (long)&nap, 0, 0, 0);
}

static __attribute__((noinline)) void wait_poll(void)
{
	call(SYS_ppoll, 0, 0, (long)&nap, 0);
}

static int pipe_fds[2], net_fds[2], slow_fds[2];
/* Semaphores, which are taken at these values. A thread that waits for a mutex of the C library gives
 * 2 to futex, and a thread that waits for a condition or for work gives 0 in many libraries. */
enum { LOCKED = 2, NO_WORK = 0 };
static unsigned int lock_word = LOCKED, work_word = NO_WORK;

static __attribute__((noinline)) void wait_pipe(void)
{
	char byte;

	call(SYS_read, pipe_fds[0], (long)&byte, 1, 0);
}

static __attribute__((noinline)) void wait_net(void)
{
	char byte;

	call(SYS_read, net_fds[0], (long)&byte, 1, 0);
}

static __attribute__((noinline)) void wait_lock(void)
{
	while (__atomic_load_n(&lock_word, __ATOMIC_SEQ_CST) == LOCKED)
		call(SYS_futex, (long)&lock_word, FUTEX_WAIT_PRIVATE, LOCKED, 0);
	__atomic_fetch_sub(&lock_word, 1, __ATOMIC_SEQ_CST);
}

static __attribute__((noinline)) void wait_condition(void)
{
	while (__atomic_load_n(&work_word, __ATOMIC_SEQ_CST) == NO_WORK)
		call(SYS_futex, (long)&work_word, FUTEX_WAIT_PRIVATE, NO_WORK, 0);
	__atomic_fetch_sub(&work_word, 1, __ATOMIC_SEQ_CST);
}

static pid_t child;

/* Begin a child that ends after a nap. The fork is not part of the wait: other threads may get the
 * CPU during it, for which the reason is the run queue. */
static void begin_child(void)
{
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		partner_nap();
		_exit(0);
	}
}

static __attribute__((noinline)) void wait_child(void)
{
	siginfo_t info;

	call(SYS_waitid, P_PID, child, (long)&info, WEXITED);
}

#define PIECE	4096

/* One system call that waits @count times, each time until the reader has made room in the pipe. */
static __attribute__((noinline)) void wait_in_one_call(void)
{
	long size = (count + 16) * PIECE;	/* a pipe holds 16 pieces */
	char *bytes = malloc(size);

	if (!bytes)
		err(1, "malloc");
	memset(bytes, 1, size);
	call(SYS_write, slow_fds[1], (long)bytes, size, 0);
	free(bytes);
}

static void *read_slowly(void *unused)
{
	static char piece[PIECE];

	(void)unused;
	for (long i = 0; i < count + 16; i++) {
		partner_nap();
		if (read(slow_fds[0], piece, PIECE) != PIECE)
			err(1, "read");
	}
	return NULL;
}

static void *write_bytes(void *fd)
{
	for (long i = 0; i < count; i++) {
		partner_nap();
		if (write(*(int *)fd, "", 1) != 1)
			err(1, "write");
	}
	return NULL;
}

static void *wake(void *word)
{
	for (long i = 0; i < count; i++) {
		partner_nap();
		__atomic_fetch_add((unsigned int *)word, 1, __ATOMIC_SEQ_CST);
		call(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1, 0);
	}
	return NULL;
}

struct waiter {
	const char *reason, *name;
	/* prepare the next wait, or NULL; its time does not count */
	void (*prepare)(void);
	void (*wait)(void);
	void *(*partner)(void *arg);
	void *arg;
	/* divides the number of calls, because a fork takes long; 0: one call */
	int divisor;
	long long ns;
};

static void *run(void *arg)
{
	struct waiter *w = arg;
	pthread_t partner;

	if (w->partner && pthread_create(&partner, NULL, w->partner, w->arg))
		errx(1, "pthread_create");
	for (long i = 0; i < (w->divisor ? count / w->divisor : 1); i++) {
		long long since, cpu;

		if (w->prepare)
			w->prepare();
		since = ns_of(CLOCK_MONOTONIC);
		cpu = ns_of(CLOCK_THREAD_CPUTIME_ID);
		w->wait();
		w->ns += ns_of(CLOCK_MONOTONIC) - since - (ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu);
	}
	if (w->partner)
		pthread_join(partner, NULL);
	return NULL;
}

static __attribute__((noinline)) void wait_runqueue(volatile unsigned long *n)
{
	for (int i = 0; i < 100000; i++)
		++*n;
}

static long long not_run[2];

static void *compute(void *arg)
{
	long long *ret = arg, since, cpu, end;
	volatile unsigned long n = 0;

	pin();
	since = ns_of(CLOCK_MONOTONIC);
	cpu = ns_of(CLOCK_THREAD_CPUTIME_ID);
	end = since + count * NAP_NS;
	while (ns_of(CLOCK_MONOTONIC) < end)
		wait_runqueue(&n);
	*ret = ns_of(CLOCK_MONOTONIC) - since - (ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu);
	return NULL;
}

int main(int argc, char **argv)
{
	struct waiter waiters[] = {
		{ "sleep", "wait_sleep", NULL, wait_sleep, NULL, NULL, 1, 0 },
		{ "poll", "wait_poll", NULL, wait_poll, NULL, NULL, 1, 0 },
		{ "pipe", "wait_pipe", NULL, wait_pipe, write_bytes, &pipe_fds[1], 1, 0 },
		{ "net", "wait_net", NULL, wait_net, write_bytes, &net_fds[1], 1, 0 },
		{ "lock", "wait_lock", NULL, wait_lock, wake, &lock_word, 1, 0 },
		{ "condition", "wait_condition", NULL, wait_condition, wake, &work_word, 1, 0 },
		{ "child", "wait_child", begin_child, wait_child, NULL, NULL, 4, 0 },
		{ "pipe", "wait_in_one_call", NULL, wait_in_one_call, read_slowly, NULL, 0, 0 },
	};
	enum { NR = sizeof(waiters) / sizeof(waiters[0]) };
	pthread_t threads[NR + 2];

	if (argc > 1)
		count = atol(argv[1]);
	if (pipe(pipe_fds) || pipe(slow_fds) || socketpair(AF_UNIX, SOCK_STREAM, 0, net_fds))
		err(1, "pipe");
	for (int i = 0; i < NR; i++)
		if (pthread_create(&threads[i], NULL, run, &waiters[i]))
			errx(1, "pthread_create");
	for (int i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[NR + i], NULL, compute, &not_run[i]))
			errx(1, "pthread_create");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[NR + i], NULL);
	for (int i = 0; i < NR; i++)
		printf("%s %s %lld\n", waiters[i].reason, waiters[i].name, waiters[i].ns);
	printf("runqueue wait_runqueue %lld\n", not_run[0] + not_run[1]);
	return 0;
}
