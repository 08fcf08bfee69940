// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opattach KIND [THREADS] -- computes until the file "stop" exists, and checks that an attached
 * profiler does not change the program's state. Exits with 3 if the state was changed.
 *
 * The checked state: results in general and vector registers, the signal mask, errno, and the
 * duration of sleeps. The file "ready" is created when all threads run, and gets a byte for each
 * round of the first thread: "i" while pthread_create() resolves to another function than at the
 * start.
 * KIND: work; urgent (with a handler for SIGURG); sleep (only sleeps); malloc (only allocates);
 * trim (the heap grows and shrinks); vectors (keeps its data in vector registers); fork (three
 * children compute); late (computes only in threads that are created when the file "go" exists);
 * loads (like late, in a library that is loaded then); exec (like late, in three children, which
 * execute this program again as the kind child).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "die_with.h"

static const char *kind;
static bool is_wrong;

#define WRONG(what) (fprintf(stderr, "wrong: %s\n", what), __atomic_store_n(&is_wrong, true, __ATOMIC_RELAXED))

__attribute__((noinline)) unsigned long hot(unsigned long x, unsigned long n)
{
	double a = 1, b = 2, c = 3, d = 4;

	for (unsigned long i = 0; i < n; i++) {
		x = x * 6364136223846793005UL + i;
		a = a * 0.999 + b;
		b = b * 0.998 + c;
		c = c * 0.997 + d;
		d = d * 0.996 + 1;
	}
	return x ^ (unsigned long)(a + b + c + d);
}

__attribute__((noinline)) unsigned long middle(unsigned long n)
{
	unsigned long x = hot(1, n);

	__asm__ volatile("" : "+r"(x));
	return x;
}

#ifdef __x86_64__
/*
 * Check that vector registers, the rounding modes of vectors and of the x87, and data on the stack
 * are unchanged.
 */
__attribute__((target("avx"))) static bool vectors_are_unchanged(void)
{
	static const unsigned int rounds_up = 0x5f80;
	static const unsigned short control = 0x0f7f;
	unsigned long turns = 3000000, in[8] = { 0 }, out[8] = { 0 };
	unsigned int before, after;
	unsigned short x87;
	long double top;

	for (int i = 0; i < 8; i++)
		in[i] = 0x9e3779b97f4a7c15UL * (i + 1);
	__asm__ volatile("stmxcsr %[before]; ldmxcsr %[up]; fninit; fldcw %[control]; fldpi\n\t"
			 "vmovdqu %[in], %%ymm0; vmovdqu 32%[in], %%ymm15; vmovdqa %%ymm0, %%ymm7\n"
			 "1: dec %[turns]; jnz 1b\n\t"
			 "vpxor %%xmm0, %%xmm7, %%xmm0; vptest %%xmm0, %%xmm0; jnz 2f\n\t"
			 "vmovdqu %%ymm7, %[out]; vmovdqu %%ymm15, 32%[out]\n"
			 "2: stmxcsr %[after]; fnstcw %[x87]; fstpt %[top]; fninit; ldmxcsr %[before]; vzeroupper"
			 : [turns] "+r"(turns), [out] "+o"(out), [before] "=m"(before), [after] "=m"(after), [x87] "=m"(x87), [top] "=m"(top)
			 : [in] "o"(in), [up] "m"(rounds_up), [control] "m"(control)
			 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
			   "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
	return !memcmp(in, out, sizeof(in)) && (after & ~0x3fU) == rounds_up && x87 == control && top > 3.14L && top < 3.15L;
}
#else
static bool vectors_are_unchanged(void)
{
	return true;
}
#endif

/* Sleep @wanted, and report by how much the sleep was too short. A late wakeup is not an error. */
static void sleep_ns(long wanted)
{
	struct timespec t = { wanted / 1000000000, wanted % 1000000000 }, begin, end;
	long ns;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (nanosleep(&t, NULL))
		WRONG("nanosleep() was interrupted");
	clock_gettime(CLOCK_MONOTONIC, &end);
	ns = (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
	if (ns < wanted)
		WRONG("nanosleep() was too short");
}

static void allocate_blocks(void)
{
	for (int i = 0; i < 20000; i++) {
		void *block = malloc(16 + i);

		/* Prevent the compiler from removing both calls. */
		__asm__ volatile("" : "+r"(block));
		free(block);
	}
}

/*
 * Let free() return the top of the heap to the kernel in each round, which takes about half of this
 * function's time.
 */
static void trim_heap(void)
{
	for (int i = 0; i < 500; i++) {
		void *volatile first = malloc(120000), *volatile second = malloc(120000);

		free(second);
		free(first);
	}
	middle(500000);
}

/* If there are hundreds of tasks, each does little, to leave CPU time for others. */
static void one_round(bool is_one_of_many)
{
	static unsigned long firsts[2];
	unsigned long *first = &firsts[is_one_of_many];
	sigset_t mask;
	unsigned long now;

	if (!strcmp(kind, "sleep")) {
		sleep_ns(30000000);
	} else if (!strcmp(kind, "malloc")) {
		allocate_blocks();
	} else if (!strcmp(kind, "trim")) {
		trim_heap();
	} else if (!strcmp(kind, "vectors")) {
		if (__builtin_cpu_supports("avx") && !vectors_are_unchanged())
			WRONG("a vector register");
	} else {
		errno = 4711;
		now = middle(is_one_of_many ? 50000 : 1000000);
		if (errno != 4711)
			WRONG("errno");
		if (!__atomic_load_n(first, __ATOMIC_RELAXED))
			__atomic_store_n(first, now, __ATOMIC_RELAXED);
		if (now != __atomic_load_n(first, __ATOMIC_RELAXED))
			WRONG("the sum");
	}
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int sig = 1; sig < 32; sig++)
		if (sigismember(&mask, sig) == 1 && sig != SIGUSR2)
			WRONG("the signal mask");
	if (!sigismember(&mask, SIGUSR2))
		WRONG("the signal mask has lost SIGUSR2");
}

/*
 * Thread function. With hundreds of threads, opattach attaches while each sleeps for the first
 * time; the signals of samples may shorten later sleeps.
 */
static void *work(void *is_one_of_many)
{
	bool is_first = true;

	while (access("stop", F_OK)) {
		one_round(is_one_of_many);
		if (is_one_of_many && is_first)
			sleep_ns(10000000000L);
		else if (is_one_of_many)
			usleep(500000);
		is_first = false;
	}
	return NULL;
}

static int work_thrd(void *is_one_of_many)
{
	work(is_one_of_many);
	return 0;
}

/* Create thread @i, alternately by the two functions that create threads. */
static void create_thread(pthread_t *thread, const pthread_attr_t *attr, int i, void *is_one_of_many)
{
	thrd_t thrd;

	if (i % 2 || is_one_of_many) {
		pthread_create(thread, attr, work, is_one_of_many);
	} else {
		thrd_create(&thrd, work_thrd, NULL);
		*thread = thrd;
	}
}

static bool is_late(void)
{
	return !strcmp(kind, "late") || !strcmp(kind, "loads") || !strcmp(kind, "exec");
}

static void *import(void)
{
	void *volatile at = (void *)pthread_create;

	return at;
}

static void report_start(int ready)
{
	static void *first;
	void *now = import();

	if (!first)
		first = now;
	if (write(ready, now == first ? "." : "i", 1) != 1)
		WRONG("write()");
}

/* Load the library opattach-late and let it compute. */
static void load_late_library(void)
{
#ifdef LOADS
	char *path = realpath("../late.so", NULL);
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	void (*compute)(void) = (void (*)(void))(library ? dlsym(library, "compute_late") : NULL);

	if (compute)
		compute();
	else
		WRONG("dlopen()");
#endif
}

/* Wait until the file "go" exists. */
static void wait_for_go(int ready)
{
	while (is_late() && access("go", F_OK) && access("stop", F_OK)) {
		report_start(ready);
		usleep(20000);
	}
}

/* In a child: compute, or execute this program again as @name. */
static void run_child(pid_t parent, char *name)
{
	char of[16];

	if (!die_with(parent))
		_exit(1);
	if (!strcmp(kind, "exec")) {
		snprintf(of, sizeof(of), "%d", (int)parent);
		setenv("SUBJECT_OF", of, 1);
		execl("/proc/self/exe", name, "child", (char *)NULL);
		_exit(1);
	}
	work(NULL);
	_exit(is_wrong);
}

static void ignore_signal(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	int nr = argc > 2 ? atoi(argv[2]) : 1, ready, status = 0;
	const pid_t parent = getpid();
	pthread_t threads[1000];
	pthread_attr_t attr;
	sigset_t usr2;

	if (!die_with_test())
		return 1;
	kind = argc > 1 ? argv[1] : "work";
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &usr2, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 262144);
	ready = open("ready", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	wait_for_go(ready);
	if (!strcmp(kind, "loads"))
		load_late_library();
	if (!strcmp(kind, "urgent"))
		signal(SIGURG, ignore_signal);
	for (int i = 1; i < nr; i++)
		create_thread(&threads[i], &attr, i, nr > 16 ? argv : NULL);
	for (int i = 0; i < 3 && (!strcmp(kind, "exec") || !strcmp(kind, "fork")); i++)
		if (!fork())
			run_child(parent, argv[0]);
	while (access("stop", F_OK)) {
		/*
		 * Only one of the children may write to "ready"; the others do not open it, because
		 * three writers would block each other.
		 */
		if (strcmp(kind, "child"))
			report_start(ready);
		if (is_late())
			usleep(20000);
		else
			one_round(false);
	}
	for (int i = 1; i < nr; i++)
		pthread_join(threads[i], NULL);
	while (wait(&status) > 0)
		if (status)
			WRONG("a child");
	if (!strcmp(kind, "child"))
		return is_wrong;
	puts(is_wrong ? "wrong" : "right");
	return 3;
}
