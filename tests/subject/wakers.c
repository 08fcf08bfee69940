// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wakers COUNT PROGRAM -- wakes PROGRAM, a copy of this program, which waits COUNT times for a pipe,
 * COUNT times for a futex and COUNT times for a thread of its own. Each waker calls the kernel in a
 * function of its own: wake_by_pipe(), wake_by_futex(), wake_by_thread().
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "call.h"
#include "common.h"

#define NAP_NS	7000000

enum { FULL, EMPTY };

struct shared {
	unsigned int word;		/* EMPTY: the waiting program waits */
};

static struct shared *shared;
static int pipe_fd;
static long count;
static const struct timespec nap = { 0, NAP_NS };
static unsigned int own_word = EMPTY;

static void nap_before_wake(void)
{
	call(SYS_nanosleep, (long)&nap, 0, 0, 0);
}

static __attribute__((noinline)) void wake_by_pipe(void)
{
	char byte = 0;

	call(SYS_write, pipe_fd, (long)&byte, 1, 0);
}

static __attribute__((noinline)) void wait_pipe(void)
{
	char byte;

	if (call(SYS_read, pipe_fd, (long)&byte, 1, 0) != 1)
		errx(1, "the pipe is closed");
}

static void wait_word(unsigned int *word, long op)
{
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == EMPTY)
		call(SYS_futex, (long)word, op, EMPTY, 0);
	__atomic_store_n(word, EMPTY, __ATOMIC_SEQ_CST);
}

static __attribute__((noinline)) void wake_by_futex(void)
{
	__atomic_store_n(&shared->word, FULL, __ATOMIC_SEQ_CST);
	call(SYS_futex, (long)&shared->word, FUTEX_WAKE, 1, 0);
}

static __attribute__((noinline)) void wake_by_thread(void)
{
	__atomic_store_n(&own_word, FULL, __ATOMIC_SEQ_CST);
	call(SYS_futex, (long)&own_word, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void *run_waker(void *arg)
{
	for (long i = 0; i < count; i++) {
		while (__atomic_load_n(&own_word, __ATOMIC_SEQ_CST) == FULL)
			nap_before_wake();
		nap_before_wake();
		wake_by_thread();
	}
	return arg;
}

static int run_woken(void)
{
	pthread_t thread;

	for (long i = 0; i < count; i++)
		wait_pipe();
	for (long i = 0; i < count; i++)
		wait_word(&shared->word, FUTEX_WAIT);
	if (pthread_create(&thread, NULL, run_waker, NULL))
		errx(1, "no thread");
	for (long i = 0; i < count; i++)
		wait_word(&own_word, FUTEX_WAIT_PRIVATE);
	pthread_join(thread, NULL);
	return 0;
}

static void map_shared(int fd)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		err(1, "no shared memory");
}

static void start(const char *program, const char *times, int read_fd, int memory_fd)
{
	char fds[2][16];

	snprintf(fds[0], sizeof(fds[0]), "%d", read_fd);
	snprintf(fds[1], sizeof(fds[1]), "%d", memory_fd);
	if (!fork()) {
		execl(program, program, times, fds[0], fds[1], NULL);
		err(1, "cannot execute %s", program);
	}
}

int main(int argc, char **argv)
{
	int fds[2], memory, status;

	if (argc != 3 && argc != 4)
		errx(1, "usage: wakers COUNT PROGRAM");
	count = atol(argv[1]);
	if (argc == 4) {
		pipe_fd = atoi(argv[2]);
		map_shared(atoi(argv[3]));
		return run_woken();
	}
	memory = memfd_create("wakers", 0);
	if (memory < 0 || ftruncate(memory, sizeof(*shared)) || pipe(fds))
		err(1, "no pipe or memory");
	map_shared(memory);
	shared->word = EMPTY;
	pipe_fd = fds[1];
	start(argv[2], argv[1], fds[0], memory);
	for (long i = 0; i < count; i++) {
		nap_before_wake();
		wake_by_pipe();
	}
	for (long i = 0; i < count; i++) {
		while (__atomic_load_n(&shared->word, __ATOMIC_SEQ_CST) == FULL)
			nap_before_wake();
		nap_before_wake();
		wake_by_futex();
	}
	if (wait(&status) < 0 || status)
		errx(1, "%s failed", argv[2]);
	return 0;
}
