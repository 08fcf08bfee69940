// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-drivers.c -- a program whose threads use a known CPU time in one function, and print this
 * time and the process's time in user mode, in ns.
 *
 * opprobe-drivers THREADS MS [waits|profiles]: the main thread is one of the threads. waits: it
 * also makes each system call that waits, and prints how many of the calls were interrupted;
 * profiles: it uses SIGPROF and the profiling timer itself.
 * opprobe-drivers THREADS MS joins: the main thread waits for the others instead.
 * opprobe-drivers 1 MS faults: it touches new pages, and prints the kernel's number of faults and
 * the CPU time used before.
 * opprobe-drivers refuse ERRNO COMMAND [ARG]...: run the command while perf_event_open() fails with
 * ERRNO.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "opprobe-burn.h"

static uint64_t wanted_ns, used_ns;

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#define SOME	3000000ull		/* loop iterations that take some milliseconds */

/* Compute without system calls, in which a thread waiting for a CPU would often be interrupted. */
static void *work(void *arg)
{
	uint64_t before = cpu_time(), after;

	burn(SOME);
	after = cpu_time();
	if (after < wanted_ns)
		burn((double)SOME * (wanted_ns - after) / (after - before));
	__atomic_fetch_add(&used_ns, cpu_time(), __ATOMIC_RELAXED);
	return arg;
}

/*
 * Wait by each system call that waits. A busy thread runs at the same time, so that process-wide
 * timers expire.
 */
static void wait_by_calls(void)
{
	const struct timespec some = { 0, 30000000 }, none = { 0, 0 };
	struct timespec left;
	sigset_t all;
	siginfo_t info;
	char buf[256];
	int bad = 0, fd;

	for (int i = 0; i < 10; i++) {
		burn(SOME);
		bad += nanosleep(&some, &left) != 0;
		burn(SOME);
		bad += poll(NULL, 0, 30) != 0;
	}
	/* No process sends this signal: a pending one was sent by the probe. */
	sigfillset(&all);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, 8);
	for (int i = 0; i < 5; i++)
		burn(SOME);
	bad += sigtimedwait(&all, &info, &none) != -1;
	fd = signalfd(-1, &all, SFD_NONBLOCK);
	bad += read(fd, buf, sizeof(buf)) != -1;
	close(fd);
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &all, NULL, 8);
	printf("%d waits were interrupted\n", bad);
}

static volatile int ticks;

static void on_tick(int sig)
{
	(void)sig;
	ticks++;
}

static void use_profiling_timer(bool is_kept)
{
	const struct itimerval own = { { 0, 10000 }, { 0, 10000 } };
	const struct itimerval wrong = { { 0, 0 }, { 0, 1000000 } };
	struct itimerval is;

	if (setitimer(ITIMER_PROF, &wrong, NULL) != -1 || errno != EINVAL)
		puts("a time that is none was taken");
	signal(SIGPROF, on_tick);
	setitimer(ITIMER_PROF, &own, NULL);
	for (uint64_t end = cpu_time() + 300000000; cpu_time() < end && (is_kept || ticks < 3); )
		burn(SOME);
	getitimer(ITIMER_PROF, &is);
	printf("SIGPROF %s, every %d ms\n", ticks ? "came" : "did not come", (int)is.it_interval.tv_usec / 1000);
	raise(SIGPROF);
	printf("sent: %s\n", signal(SIGPROF, SIG_IGN) == on_tick && ticks ? "came" : "did not come");
}

#define PAGES	4000
#define PAGE	4096

APART void touch(volatile char *at)
{
	for (size_t i = 0; i < PAGES; i++)
		at[i * PAGE] = 1;
}

/* Return the process's time in user mode in ns, as the kernel estimates it from its ticks. */
static uint64_t user_time(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec * 1000000000ull + usage.ru_utime.tv_usec * 1000ull;
}

static long faults_until_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

static void faults(void)
{
	char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before = faults_until_now();

	madvise(at, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (int i = 0; i < 5; i++) {
		touch(at);
		madvise(at, PAGES * PAGE, MADV_DONTNEED);
	}
	printf("%ld %llu\n", faults_until_now() - before, (unsigned long long)used_ns);
}

static int run_with_refused_perf(int err, char **command)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("seccomp");
		return 77;
	}
	execvp(command[0], command);
	perror(command[0]);
	return 127;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	int nr = argc > 1 ? atoi(argv[1]) : 1;

	if (argc > 3 && !strcmp(argv[1], "refuse"))
		return run_with_refused_perf(atoi(argv[2]), argv + 3);
	wanted_ns = argc > 2 ? atoi(argv[2]) * 1000000ull : 0;
	for (int i = 1; i < nr && i < 16; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	if (argc < 4 || strcmp(argv[3], "joins"))
		work(NULL);
	for (int i = 1; i < nr && i < 16; i++)
		pthread_join(threads[i], NULL);
	if (argc > 3 && !strcmp(argv[3], "waits"))
		wait_by_calls();
	else if (argc > 3 && !strcmp(argv[3], "faults"))
		faults();
	else if (argc > 3 && strcmp(argv[3], "joins"))
		use_profiling_timer(!strcmp(argv[3], "kept"));
	else
		printf("%llu %llu\n", (unsigned long long)used_ns, (unsigned long long)user_time());
	return 3;
}
