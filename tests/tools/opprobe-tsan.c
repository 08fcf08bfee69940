// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-tsan.c -- threads that use all shared data of the probe at the same time: they allocate
 * blocks that others free, create and delete metrics, load and unload libraries, start and end.
 *
 * opprobe-tsan ROUNDS: in a directory with tell.so (this file with TELL), and a.so and b.so (this
 * file with LATE).
 */
#define _GNU_SOURCE
#include "probe/arch/registers.h"
#include "probe/opprobe.h"
#include "probe/wrap/calls.h"

/* The replacements of malloc() and free() have other names, because ThreadSanitizer itself replaces
 * these functions. */
void report_allocated(const void *at, size_t size);
void report_freed(const void *at);

#if defined(TELL)

void report_allocated(const void *at, size_t size)
{
	static __thread uint64_t gap;
	struct arch_caller caller;

	arch_caller(&caller);
	opprobe_allocated(at, size, &caller, &gap);
	__asm__ volatile("");
}

void report_freed(const void *at)
{
	struct opprobe_block block = { 0 };

	/* Report the block as free() does, or as realloc() does. */
	if ((uintptr_t)at & 16) {
		opprobe_free(at);
	} else {
		opprobe_frees(at, &block);
		if (block.at)
			opprobe_freed(&block);
	}
	__asm__ volatile("");
}

#elif defined(LATE)

int late(int metric);

int late(int metric)
{
	return opprobe_record(metric, 1);
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS	64
#define LOADERS	2
#define SLOTS	97

/* blocks that any thread may take and free; accessed atomically */
static void *slots[SLOTS];
static int metric;
static long rounds;

static __attribute__((noinline)) void replace_block(void **slot, size_t size)
{
	void *block = size ? malloc(size) : NULL;

	if (block)
		report_allocated(block, size);
	block = __atomic_exchange_n(slot, block, __ATOMIC_ACQ_REL);
	if (block)
		report_freed(block);
	free(block);
}

static void *replace_blocks(void *number)
{
	for (long i = 0; i < rounds; i++)
		replace_block(&slots[((uintptr_t)number * 31 + i) % SLOTS], 16 + i % 100 * 16);
	return NULL;
}

static void *load_libraries(void *is_b)
{
	char name[32];

	for (long i = 0; i < rounds / 8; i++) {
		void *library = dlopen(is_b ? "./b.so" : "./a.so", RTLD_NOW | RTLD_LOCAL);
		int (*late)(int) = library ? (int (*)(int))dlsym(library, "late") : NULL;

		if (!late)
			_exit(9);
		late(metric);
		dlclose(library);
		snprintf(name, sizeof(name), "%s %ld", is_b ? "b" : "a", i % 8);
		if (i % 16 < 8)
			opprobe_new_metric(name, 0, 1);
		else
			opprobe_delete_metric(metric + 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS + LOADERS];

	rounds = argc > 1 ? atol(argv[1]) : 0;
	metric = opprobe_new_metric("own", 0, 1);
	/* Run the threads twice: the second round reuses the states of ended threads. */
	for (int turn = 0; turn < 2; turn++) {
		for (uintptr_t i = 0; i < THREADS + LOADERS; i++)
			if (pthread_create(&threads[i], NULL, i < THREADS ? replace_blocks : load_libraries, (void *)(i < THREADS ? i : i - THREADS)))
				_exit(9);
		for (int i = 0; i < THREADS + LOADERS; i++)
			pthread_join(threads[i], NULL);
	}
	for (int i = 0; i < SLOTS; i++)
		replace_block(&slots[i], 0);
	puts("said");
	return 3;
}

#endif
