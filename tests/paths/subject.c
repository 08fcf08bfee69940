// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * subject.c -- a program for judge.c to single-step: it uses its stack repeatedly in all ways that
 * C code can.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE	__attribute__((noinline, noclone))
#if defined(__clang__)
#undef NOINLINE
#define NOINLINE	__attribute__((noinline))
#endif

volatile int sink;
static jmp_buf back;

NOINLINE static void leaf(int n)
{
	sink += n;
}

NOINLINE static void with_alloca(int n)
{
	char *p = alloca(n * 16);

	memset(p, n, n * 16);
	leaf(p[n]);
	sink += p[0];
}

NOINLINE static void aligned(int n)
{
	char a[64] __attribute__((aligned(64))), *p = alloca(n + 8);

	memset(a, n, sizeof(a));
	memset(p, n, n + 8);
	sink += p[n];
	with_alloca(n % 5 + 1);
	leaf(a[n & 63]);
	sink += (uintptr_t)a & 63;
}

NOINLINE static void with_array(int n)
{
	int a[n];

	for (int i = 0; i < n; i++)
		a[i] = i;
	aligned(a[n - 1]);	/* aligned() must save this function's frame pointer */
	sink += a[n / 2];
}

NOINLINE static void large(int n)
{
	char a[20000];

	a[n] = n;
	__asm__ volatile("" : : "r"(a) : "memory");
	leaf(a[n]);
	sink += a[n];
}

NOINLINE static void tail(int n)
{
	if (n & 1)
		leaf(n);
	else
		with_array(n + 1);
}

NOINLINE static void recursive(int n)
{
	if (n)
		recursive(n - 1);
	tail(n);
	sink++;
}

NOINLINE __attribute__((noreturn)) static void never_returns(int n)
{
	leaf(n);
	longjmp(back, n);
}

/* The call is the function's last instruction, so its return address is in another function. */
NOINLINE static void calls_one_that_never_returns(int n)
{
	if (n > 1000)
		leaf(n);
	never_returns(n | 1);
}

static int compare(const void *a, const void *b)
{
	leaf(1);
	return *(const int *)a - *(const int *)b;
}

NOINLINE static void library(void)
{
	int numbers[] = { 5, 3, 9, 1, 7, 2 };
	char text[64];

	qsort(numbers, 6, sizeof(int), compare);
	snprintf(text, sizeof(text), "%d %s %5.2f", numbers[0], "x", 3.25);
	sink += strtod("1.5e3", NULL) > 1;
	sink += strlen(text);
}

static void handler(int sig)
{
	recursive(3);
	leaf(sig);
}

static void handler_with_info(int sig, siginfo_t *info, void *context)
{
	(void)context;
	aligned(sig & 7);
	sink += info->si_signo;
}

static void handler_that_jumps(int sig)
{
	leaf(sig);
	siglongjmp(back, 1);
}

static char other_stack[65536] __attribute__((aligned(16)));

NOINLINE static void signals(void)
{
	stack_t stack = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	struct sigaction act = { .sa_handler = handler };

	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	act.sa_flags = SA_SIGINFO | SA_ONSTACK;
	act.sa_sigaction = handler_with_info;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR2, &act, NULL);
	raise(SIGUSR2);
	act.sa_flags = SA_NODEFER;
	act.sa_handler = handler_that_jumps;
	sigaction(SIGSEGV, &act, NULL);
	if (!sigsetjmp(back, 1))
		*(volatile int *)NULL = 1;
}

NOINLINE static void load(void)
{
#ifndef STATIC
	void *library = dlopen("libm.so.6", RTLD_LAZY);
	double (*function)(double) = library ? (double (*)(double))dlsym(library, "cos") : NULL;

	if (function)
		sink += function(1) > 0;
	if (library)
		dlclose(library);
#endif
}

NOINLINE static void spawn(void)
{
	char *argv[] = { "/bin/true", NULL };
	pid_t pid;

	if (!posix_spawn(&pid, argv[0], NULL, NULL, argv, NULL))
		waitpid(pid, NULL, 0);
	pid = vfork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000000;

	for (int i = 0; i < rounds; i++) {
		recursive(4 + i % 3);
		aligned(i % 7);
		large(i % 100);
		if (!setjmp(back))
			calls_one_that_never_returns(i);
		signals();
		library();
		load();
		spawn();
	}
	return 0;
}
