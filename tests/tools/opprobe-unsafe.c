// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-unsafe.c -- a program that counts, allocates, is interrupted and computes a given number
 * of times in each of two functions, and in a library (LIBRARY) that is loaded, unloaded and loaded
 * again.
 */
#include <dlfcn.h>
#include <opprobe.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART	__attribute__((noinline, noclone))

#ifdef LIBRARY

APART void late(int metric)
{
	for (int i = 0; i < 90; i++)
		opprobe_record(metric, 1);
	__asm__ volatile("");
}

#else

static volatile uint64_t sink;
static int things, ticks;

/* Trap handler: call functions that get the address of the trap. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	opprobe_sample(context);
}

#define WORK(calls, blocks, traps)					\
{									\
	struct timespec t;						\
	uint64_t n = 1;							\
									\
	for (int i = 0; i < (calls); i++)				\
		opprobe_record(things, 1);				\
	for (int i = 0; i < (blocks); i++)				\
		free(malloc(100));					\
	for (int i = 0; i < (traps); i++)				\
		__asm__ volatile("int3; nop");				\
	do {								\
		for (int i = 0; i < 1000000; i++)			\
			n = n * 6364136223846793005 + 1;		\
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);		\
	} while (t.tv_sec * 1000000000ll + t.tv_nsec < until);		\
	sink = n;							\
}

static APART void hot(long long until) WORK(300, 50, 40)
static APART void cold(long long until) WORK(500, 70, 60)

static void with_library(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	void (*late)(int metric) = library ? (void (*)(int))dlsym(library, "late") : NULL;

	if (!late)
		exit(9);
	late(things);
	dlclose(library);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	things = opprobe_new_metric("things", 0, 1);
	ticks = opprobe_new_metric("ticks", OPPROBE_ASYNC, 1);
	sigaction(SIGTRAP, &action, NULL);
	hot(argc > 2 ? 500000000 : 0);
	cold(argc > 2 ? 1000000000 : 0);
	with_library(argv[1]);
	with_library(argv[1]);
	puts("said");
	return 0;
}
#endif
