// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-handlers.c -- a program whose signal handlers do everything that handlers may do, at any
 * instruction: its output must be the same under the probe. The allocator (POOL) has no state that
 * is inconsistent when a handler interrupts and leaves it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <opprobe.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define APART	__attribute__((noinline, noclone))
#define SIZE	100

#ifdef POOL

/* Blocks are allocated in order. The loader keeps some of the first blocks until the end. All other
 * blocks are freed soon, so the blocks can be used in a ring. */
#define KEPT	((size_t)1 << 22)
#define ROUND	((size_t)1 << 25)

static char pool[KEPT + 2 * ROUND] __attribute__((aligned(16)));
static size_t used;

void *malloc(size_t size)
{
	size_t whole = ((size + 15) & ~(size_t)15) + 16, at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);

	if (whole > ROUND)
		return NULL;
	if (at >= KEPT)
		at = KEPT + (at - KEPT) % ROUND;
	memcpy(pool + at, &size, sizeof(size));
	return pool + at + 16;
}

void free(void *at)
{
	(void)at;
}

void *calloc(size_t nr, size_t size)
{
	void *at = malloc(nr * size);

	return at ? memset(at, 0, nr * size) : NULL;
}

void *realloc(void *at, size_t size)
{
	void *to = malloc(size);
	size_t had = 0;

	if (at)
		memcpy(&had, (char *)at - 16, sizeof(had));
	return to && at ? memcpy(to, at, had < size ? had : size) : to;
}

#else

static volatile sig_atomic_t came, wants;
static volatile int sink;
static sigjmp_buf back;

static void must(bool is_so)
{
	if (!is_so) {
		perror("opprobe-handlers");
		exit(9);
	}
}

static void handle(int sig, void (*handler)(int sig), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	sigemptyset(&action.sa_mask);
	must(!sigaction(sig, &action, NULL) && !sigaction(sig, NULL, &old));
	must(old.sa_handler == handler && (old.sa_flags & ~0x04000000) == flags);
}

static void every(int us)
{
	struct itimerval value = { { 0, us }, { 0, us } };

	must(!setitimer(ITIMER_REAL, &value, NULL));
}

APART void *take(size_t size)
{
	void *at = malloc(size);

	sink = 0;
	return at;
}

static void jump(int sig)
{
	(void)sig;
	came++;
	siglongjmp(back, 1);
}

/* Leave the interrupted function by siglongjmp(), 2000 times. */
static void jump_out(void)
{
	handle(SIGALRM, jump, 0);
	while (came < 2000) {
		if (sigsetjmp(back, 1))
			continue;
		if (!came)
			every(150);
		for (;;)
			free(take(SIZE));
	}
	every(0);
	for (int i = 0; i < 1000; i++)
		take(SIZE);
	puts("left");
}

static volatile pid_t child = -1;

static void branch(int sig)
{
	(void)sig;
	if (!wants)
		return;
	wants = 0;
	child = fork();
}

/* Fork in a handler: the child continues where its parent was interrupted. */
static void fork_in_handler(void)
{
	int status, whole = 0;

	handle(SIGALRM, branch, SA_RESTART);
	every(1000);
	for (int i = 0; i < 100; i++) {
		for (child = -1, wants = 1; child < 0; )
			free(take(SIZE));
		if (!child) {
			every(0);
			for (int n = 0; n < 100; n++)
				take(SIZE);
			exit(7);
		}
		must(waitpid(child, &status, 0) == child);
		whole += WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	every(0);
	printf("%d children\n", whole);
}

static void note(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	came += info->si_code == POLL_IN && info->si_fd == wants;
}

/*
 * Let the kernel send SIGRTMAX - 1, the signal that a profiler would choose for its samples,
 * whenever a pipe becomes readable (F_SETSIG). Print how many signals named the pipe.
 */
static void descriptor(void)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART };
	int fds[2];
	char byte;

	must(!sigaction(SIGRTMAX - 1, &action, NULL) && !pipe(fds));
	wants = fds[0];
	must(!fcntl(fds[0], F_SETSIG, SIGRTMAX - 1) && !fcntl(fds[0], F_SETOWN, getpid()) &&
	     !fcntl(fds[0], F_SETFL, O_ASYNC));
	for (int i = 0; i < 100; i++) {
		must(write(fds[1], "x", 1) == 1);
		for (clock_t until = clock() + CLOCKS_PER_SEC / 500; clock() < until; )
			free(take(SIZE));
		must(read(fds[0], &byte, 1) == 1);
	}
	printf("%d came\n", (int)came);
}

static char stack_in_use[65536] __attribute__((aligned(16)));

static void leave_thread(int sig)
{
	(void)sig;
	pthread_exit(NULL);
}

static void *raise_in_thread(void *unused)
{
	raise(SIGUSR1);
	return unused;
}

static void *own_stack(void *unused)
{
	stack_t stack = { .ss_sp = stack_in_use, .ss_size = sizeof(stack_in_use) };

	must(!sigaltstack(&stack, NULL));
	raise(SIGUSR1);
	return unused;
}

static void exit_threads(void)
{
	pthread_t other;

	handle(SIGUSR1, leave_thread, SA_ONSTACK);
	for (int i = 0; i < 100; i++) {
		must(!pthread_create(&other, NULL, i % 2 ? own_stack : raise_in_thread, NULL));
		must(!pthread_join(other, NULL));
	}
	puts("100 threads left");
}

APART int in_thrd(void *unused)
{
	(void)unused;
	for (int i = 0; i < 50; i++)
		free(take(SIZE));
	sink = 0;
	return 5;
}

static volatile bool is_done;

APART void in_notified(union sigval value)
{
	(void)value;
	for (int i = 0; i < 50; i++)
		free(take(SIZE));
	__atomic_store_n(&is_done, true, __ATOMIC_RELEASE);
}

/* Create threads without pthread_create(). */
static void others(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_notified };
	struct itimerspec once = { .it_value = { 0, 1000000 } };
	timer_t timer;
	thrd_t t;
	int got;

	must(thrd_create(&t, in_thrd, NULL) == thrd_success && thrd_join(t, &got) == thrd_success);
	must(!timer_create(CLOCK_MONOTONIC, &event, &timer) && !timer_settime(timer, 0, &once, NULL));
	while (!__atomic_load_n(&is_done, __ATOMIC_ACQUIRE))
		usleep(1000);
	printf("%d\n", got);
}

/* Enable traps for inexact results: from here on, each rounded floating-point result is an
 * error. */
static void rounds(void)
{
	feclearexcept(FE_ALL_EXCEPT);
	must(feenableexcept(FE_INEXACT | FE_UNDERFLOW) >= 0);
	for (int i = 0; i < 20000; i++)
		free(take(i));
	printf("%d\n", fetestexcept(FE_ALL_EXCEPT));
	fflush(stdout);
}

static int things;

APART void count(void)
{
	int ret = opprobe_record(things, 1);

	must(!ret || ret == -ENOSYS);
}

/*
 * The same for metrics that the program counts itself, with handlers that were installed before the
 * first metric.
 */
static void count_and_jump_out(void)
{
	handle(SIGALRM, jump, 0);
	things = opprobe_new_metric("things", 0, 1);
	while (came < 2000) {
		if (sigsetjmp(back, 1))
			continue;
		if (!came)
			every(150);
		for (;;)
			count();
	}
	every(0);
	puts("left");
}

/* Restrict the process by strict seccomp to read(), write(), exit() and sigreturn(). */
static void sealed(void)
{
	int fds[2];
	char byte;

	must(!pipe(fds));
	fflush(stdout);
	must(!prctl(PR_SET_SECCOMP, 1));
	for (int i = 0; i < 1000; i++)
		if (write(fds[1], "x", 1) != 1 || read(fds[0], &byte, 1) != 1)
			break;
	if (write(1, "sealed\n", 7) == 7)
		syscall(SYS_exit, 0);
}

/* From here on, the kernel kills the program if it blocks signals by rt_sigprocmask(). */
static void masks(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
	/* The probe is not informed of a system call that the C library makes itself; it would stop
	 * counting then. */
	void *library = dlopen("libc.so.6", RTLD_LAZY);
	int (*own)(int what, ...);

	*(void **)&own = library ? dlsym(library, "prctl") : NULL;
	things = opprobe_new_metric("things", 0, 1);
	must(own && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !own(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
	for (int i = 0; i < 1000; i++)
		count();
	if (write(1, "counted\n", 8) == 8)
		syscall(SYS_exit_group, 0);
}

int main(int argc, char *argv[])
{
	static const struct { const char *name; void (*run)(void); } modes[] = {
		{ "leaves", jump_out }, { "forks", fork_in_handler }, { "descriptor", descriptor },
		{ "exits", exit_threads }, { "others", others },
		{ "rounds", rounds }, { "sealed", sealed }, { "counts", count_and_jump_out }, { "masks", masks },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc == 2 && !strcmp(argv[1], modes[i].name))
			modes[i].run();
	return 0;
}
#endif
