// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-stress.cc -- a program that changes under the probe all the time: threads that throw, load and unload libraries where others
 * were, allocate, and end unseen.
 *
 * opprobe-stress throw|load|swap|allocate|detach ROUNDS: in a directory with a.so and b.so.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>

#define APART __attribute__((noinline))

static int rounds;
static volatile long sink;
static int ended;

APART static void call(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	auto run = (void (*)(uint64_t))(library ? dlsym(library, "run") : nullptr);

	if (!run)
		_exit(9);
	run(2000);
	dlclose(library);
	sink = sink + 1;
}

/* By whose name is on the path it is known whose code was run. */
extern "C" APART void wants_a()
{
	call("./a.so");
	sink = sink + 1;
}

extern "C" APART void wants_b()
{
	call("./b.so");
	sink = sink + 1;
}

extern "C" APART void allocate(size_t size)
{
	void *volatile block = malloc(size);

	free(block);
	sink = sink + 1;
}

APART static void throw_from(int depth)
{
	if (!depth)
		throw std::runtime_error("thrown");
	throw_from(depth - 1);
	sink = sink + 1;
}

static void *throws(void *)
{
	for (int i = 0; i < rounds; i++) {
		try {
			throw_from(i % 20);
		} catch (const std::runtime_error &) {
			sink = sink + 1;
		}
		allocate(i % 3000);
		if (i % 8 == 0)
			i % 16 ? wants_b() : wants_a();
	}
	return nullptr;
}

static void *loads(void *is_b)
{
	for (int i = 0; i < rounds; i++)
		is_b ? wants_b() : wants_a();
	return nullptr;
}

/* One after the other comes to the same place. */
static void *swaps(void *)
{
	for (int i = 0; i < rounds; i++)
		i % 2 ? wants_b() : wants_a();
	return nullptr;
}

static void *allocates(void *)
{
	for (int i = 0; i < rounds; i++)
		allocate(100);
	return nullptr;
}

static void *detached(void *)
{
	for (int i = 0; i < rounds; i++)
		allocate(10);
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
	return nullptr;
}

static void run(int nr, void *(*start)(void *), bool is_detached)
{
	pthread_t threads[100];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, is_detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
	for (long i = 0; i < nr; i++)
		if (pthread_create(&threads[i], &attr, start, (void *)i))
			_exit(9);
	for (int i = 0; !is_detached && i < nr; i++)
		pthread_join(threads[i], nullptr);
	while (is_detached && __atomic_load_n(&ended, __ATOMIC_SEQ_CST) < nr)
		usleep(1000);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	rounds = argc > 2 ? atoi(argv[2]) : 0;
	if (!strcmp(what, "throw"))
		run(2, throws, false);
	else if (!strcmp(what, "load"))
		run(2, loads, false);
	else if (!strcmp(what, "swap"))
		run(1, swaps, false);
	else if (!strcmp(what, "allocate"))
		run(64, allocates, false);
	else if (!strcmp(what, "detach"))
		run(100, detached, true);
	puts("said");
	return 3;
}
