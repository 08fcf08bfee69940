// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathattack_bad.c -- kinds of pathattack with invalid stacks.
 *   written	another thread overwrites outer frames while the program computes in inner frames
 *   nowhere	the stack pointer, the frame pointer, and frame pointers in code without rows point
 * 		to unmapped memory, into the kernel, to a device, to memory that is never filled,
 * 		and to themselves
 *   restless	a return address changes between any two reads, but always follows a call
 *   unreadable	each return address is at the end of a page, and the next page is unreadable
 *   deep		stacks of as many frames as the module walks; a high-priority thread
 * 		measures its latency
 */
#include "tests/kernel/pathattack.h"

#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned long bad[32];
static unsigned int nr_bad;

static void *map(size_t size, int protection)
{
	void *at = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

/* Map memory of a device, which may return another value at each read. */
static void *device(void)
{
	static const struct { const char *name; long offset; } devices[] = { { "/dev/hpet", 0 }, { "/dev/mem", 0xfed00000 } };

	for (int i = 0; i < 2; i++) {
		int fd = open(devices[i].name, O_RDONLY | O_CLOEXEC);
		void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, devices[i].offset);

		if (at != MAP_FAILED)
			return at;
	}
	err(1, "no device can be mapped");
}

/*
 * Map a page that is registered with userfaultfd and never filled: a thread that accesses the page
 * sleeps.
 */
static void *never_filled(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_register range = {
		.range = { (unsigned long)map(4096, PROT_READ | PROT_WRITE), 4096 }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		err(1, "userfaultfd");
	return (void *)range.range.start;
}

static void find_bad_places(void)
{
	static unsigned long circle[64];
	unsigned long hole = (unsigned long)map(2 * 4096, PROT_READ);
	const unsigned long places[] = {
		0, 8, ~0UL - 7, ~0UL - 15,
		/* addresses of the kernel's memory, its code, and vsyscalls */
		0xffff888000000000UL, 0xffffffff81000000UL, 0xffffffffff600400UL,
		/* the first address beyond user memory, and the last one in it */
		0x0000800000000000UL, 0x00007ffffffffff8UL,
		hole, hole - 8, hole - 4, hole + 4096 - 8, hole + 4096 - 4, hole + 4096,
		(unsigned long)&circle[32], (unsigned long)spin, (unsigned long)spin + 1,
		(unsigned long)device(), (unsigned long)never_filled(), (unsigned long)map(4096, PROT_NONE) + 8,
	};

	munmap((void *)(hole + 4096), 4096);
	for (int i = 0; i < 64; i++)
		circle[i] = (unsigned long)&circle[32];
	memcpy(bad, places, sizeof(places));
	nr_bad = sizeof(places) / sizeof(*places);
}

static volatile bool in_there, writing;

KNOWN static void w_inner(void)
{
	in_there = true;
	spin(50000);
	in_there = false;
	__sync_synchronize();
	while (writing)
		;
}

/*
 * Thread function: overwrite two words of c3's frame. The words are valid while `writing` is false.
 */
static void *write_frame(void *arg)
{
	for (unsigned long n = 0;; n++) {
		volatile unsigned long *frame;
		unsigned long good[2];

		writing = true;
		__sync_synchronize();
		if (in_there) {
			frame = c3_frame;
			good[0] = frame[0];
			good[1] = frame[1];
			for (int i = 0; i < 2000 && in_there; i++) {
				frame[0] = i & 1 ? (unsigned long)frame - 8 * (i & 15) : bad[(n + i) % nr_bad];
				frame[1] = i & 6 ? bad[(n + i / 2) % nr_bad] : good[1];
			}
			frame[0] = good[0];
			frame[1] = good[1];
		}
		__sync_synchronize();
		writing = false;
		usleep(1);
	}
	return arg;
}

void written(char **arg)
{
	pthread_t writer;

	(void)arg;
	find_bad_places();
	if (pthread_create(&writer, NULL, write_frame, NULL))
		errx(1, "no thread");
	for (;;)
		c1(w_inner);
}

/*
 * Functions that compute while @value is in a register: in the first function in the stack pointer,
 * in the second in the frame pointer. The rows of both find the caller by this register. The third
 * function has no rows and can be copied; its last bytes look like a call.
 */
void at_sp(unsigned long value, unsigned long turns);
void at_fp(unsigned long value, unsigned long turns);
void without_rows(unsigned long value, unsigned long turns);
extern char without_rows_end[];
asm(".text\n"
    ".type at_sp, @function\nat_sp: .cfi_startproc\n"
    "	mov %rsp, %rdx\n"
    "	mov %rdi, %rsp\n"
    "1:	dec %rsi\n"
    "	jnz 1b\n"
    "	mov %rdx, %rsp\n"
    "	ret\n"
    "	.cfi_endproc\n.size at_sp, . - at_sp\n"
    ".type at_fp, @function\nat_fp: .cfi_startproc\n"
    "	push %rbp\n"
    "	.cfi_def_cfa_offset 16\n"
    "	.cfi_offset %rbp, -16\n"
    "	mov %rdi, %rbp\n"
    "	.cfi_def_cfa_register %rbp\n"
    "1:	dec %rsi\n"
    "	jnz 1b\n"
    "	pop %rbp\n"
    "	.cfi_def_cfa %rsp, 8\n"
    "	ret\n"
    "	.cfi_endproc\n.size at_fp, . - at_fp\n"
    ".type without_rows, @function\nwithout_rows:\n"
    "	push %rbp\n"
    "	mov %rdi, %rbp\n"
    "1:	dec %rsi\n"
    "	jnz 1b\n"
    "	pop %rbp\n"
    "	ret\n"
    "	call without_rows\n"
    "without_rows_end:\n"
    "	nop\n"
    ".size without_rows, . - without_rows\n");

/* Build a chain of @nr frames as code without unwind rows has, the innermost at @at; the outermost
 * returns to @last. */
static unsigned long chain(unsigned long *at, unsigned int nr, unsigned long after_call, unsigned long last)
{
	for (unsigned int i = 0; i < nr; i++) {
		at[2 * i] = i + 1 < nr ? (unsigned long)&at[2 * i + 2] : last;
		at[2 * i + 1] = after_call;
	}
	return (unsigned long)at;
}

#define LONG_CHAIN	50000

static void *go_nowhere(void *arg)
{
	unsigned long *frames = map(2 * LONG_CHAIN * sizeof(long), PROT_READ | PROT_WRITE), after_call;
	char *code = map(4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	void (*moved)(unsigned long, unsigned long);
	sigset_t all;

	memcpy(code, (void *)without_rows, without_rows_end - (char *)without_rows + 1);
	after_call = (unsigned long)code + (without_rows_end - (char *)without_rows);
	*(void **)&moved = code;
	/* Block all signals, because they cannot be delivered on this stack. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (unsigned int n = 0;; n++) {
		/* A frame pointer of 0 is valid, because it marks the end of a stack. */
		unsigned long value = bad[n % nr_bad], not_end = value ? value : 8;

		at_sp(value, 100000);
		at_fp(value, 100000);
		moved(not_end, 100000);
		moved(chain(frames, 3, after_call, not_end), 100000);
		moved(chain(frames, 1, after_call, (unsigned long)frames), 100000);
		moved(chain(frames, 2, after_call, (unsigned long)frames), 100000);
		moved(chain(frames, LONG_CHAIN, after_call, (unsigned long)frames), 100000);
	}
	return arg;
}

/* Run @body on a stack below all mappings: only memory above the stack pointer is readable. */
static void run_below(void *(*body)(void *arg), void *arg)
{
	static char stack[256 << 10] __attribute__((aligned(4096)));
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, sizeof(stack));
	if (pthread_create(&thread, &attr, body, arg))
		errx(1, "no thread");
	pthread_join(thread, NULL);
}

void nowhere(char **arg)
{
	(void)arg;
	find_bad_places();
	run_below(go_nowhere, NULL);
}

#define CLOCK		0xf0		/* the HPET's counter, in its page */
#define AHEAD		(1UL << 28)	/* clock ticks of some seconds */

/*
 * Map the file @fd repeatedly, from @end on, at the addresses that the clock's values of the next
 * seconds are. Return the new end.
 */
static unsigned long map_ahead(int fd, size_t size, volatile unsigned long *clock, unsigned long end)
{
	unsigned long at = *clock / size * size, behind = at + AHEAD;

	for (at = at > end ? at : end; at < behind; at += size)
		if (mmap((void *)at, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE | MAP_POPULATE, fd, 0) !=
		    (void *)at)
			err(1, "mmap at the clock's %#lx", at);
	return at;
}

/* Compute in the frame whose return address is at @word. Return the seconds that it took. */
static double took(void *word)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	at_fp((unsigned long)word - 8, 100000);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) * 1e-9;
}

/*
 * Thread function: use the device's clock as a return address that changes constantly, and compare
 * the time with that for a constant one. @arg: name of a file in which each byte follows a call.
 */
static void *go_by_the_clock(void *arg)
{
	volatile unsigned long *clock = (void *)((char *)device() + CLOCK);
	unsigned long begin = *clock, end = 0, *still = map(4096, PROT_READ | PROT_WRITE);
	double restless = 0, at_rest = 0;
	int fd = open(arg, O_RDONLY | O_CLOEXEC);
	off_t size = lseek(fd, 0, SEEK_END) & -4096L;

	if (size < 4096)
		err(1, "%s", (char *)arg);
	while (begin == *clock)
		;
	begin = *clock / size * size;
	for (int i = 0; i < 500; i++) {
		if (*clock + AHEAD / 2 >= end) {
			end = map_ahead(fd, size, clock, end);
			munmap((void *)begin, *clock / size * size - begin);
			begin = *clock / size * size;
			still[1] = end - size / 2;
		}
		restless += took((void *)clock);
		at_rest += took(&still[1]);
	}
	printf("restless takes %.0f %% of at rest\n", restless * 100 / at_rest);
	return NULL;
}

void restless(char **arg)
{
	run_below(go_by_the_clock, arg[0]);
	exit(0);
}

#define APART		(16UL << 20)	/* two addresses at this distance share an entry in the walk's cache of rules */
#define FRAMES		60		/* fewer frames than a handler walks */

/*
 * Pages of calls are at @code and @code + APART. Make @nr frames that return alternately to these
 * pages, behind the call that ends at @offset. The outermost frame has no caller: the module caches
 * no frames of an incomplete stack, so each walk visits all frames.
 */
static unsigned long *chain_by_turns(unsigned long code, unsigned long offset, int nr)
{
	unsigned long *at = map(2 * (nr + 1) * sizeof(long), PROT_READ | PROT_WRITE);

	for (int i = 0; i < nr; i++) {
		at[2 * i] = (unsigned long)&at[2 * i + 2];
		at[2 * i + 1] = code + (i & 1 ? APART : 0) + offset;
	}
	at[2 * nr] = 1;
	return at;
}

/*
 * Map the two pages of calls. Some calls end in the middle of a page, others at its end. Return the
 * first page.
 */
static unsigned long calls_apart(void)
{
	char *code = map(APART + 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC);

	madvise(code, APART + 2 * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < 2; i++) {
		char *page = code + i * APART;

		memset(page, 0x90, 4096);
		page[2048 - 5] = page[4096 - 5] = 0xe8;
	}
	return (unsigned long)code;
}

static void *go_to_the_edge(void *arg)
{
	unsigned long code = calls_apart();
	unsigned long *edge = chain_by_turns(code, 4096, FRAMES), *inside = chain_by_turns(code, 2048, FRAMES);
	double at_edge = 0, within = 0;

	for (int i = 0; i < 500; i++) {
		at_edge += took(edge + 1);
		within += took(inside + 1);
	}
	printf("unreadable takes %.0f %% of readable\n", at_edge * 100 / within);
	return arg;
}

void unreadable(char **arg)
{
	run_below(go_to_the_edge, arg);
	exit(0);
}

#define WAKE_UPS	100

static volatile bool measured;

struct delay {
	long mean, longest;	/* wakeup latency in ns */
};

/*
 * Thread function with high priority: measure the time from its wakeup until it runs. @arg: a
 * struct delay.
 */
static void *measure_delay(void *arg)
{
	struct timespec now, next;
	struct delay *delay = arg;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int i = 0; i < WAKE_UPS; i++) {
		long late;

		next.tv_nsec += 3141593;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
		late = (now.tv_sec - next.tv_sec) * 1000000000 + now.tv_nsec - next.tv_nsec;
		delay->mean += late / WAKE_UPS;
		if (late > delay->longest)
			delay->longest = late;
	}
	measured = true;
	return NULL;
}

/* Compute in the innermost of the frames @chain, while another thread measures its latency. */
static struct delay delay_of(unsigned long *chain)
{
	struct sched_param highest = { .sched_priority = 99 };
	struct delay delay = { 0 };
	pthread_attr_t attr;
	pthread_t thread;

	measured = false;
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &highest);
	if (pthread_create(&thread, &attr, measure_delay, &delay))
		errx(1, "no thread of a higher priority");
	while (!measured)
		took(chain + 1);
	pthread_join(thread, NULL);
	return delay;
}

static void *go_deep(void *arg)
{
	unsigned long code = calls_apart();
	struct delay deep = delay_of(chain_by_turns(code, 2048, 1000)), flat = delay_of(chain_by_turns(code, 2048, FRAMES));

	printf("deep delays a thread of higher priority by %ld ns on average, flat by %ld ns; at most %ld and %ld ns\n", deep.mean,
	       flat.mean, deep.longest, flat.longest);
	return arg;
}

void deep(char **arg)
{
	run_below(go_deep, arg);
	exit(0);
}
