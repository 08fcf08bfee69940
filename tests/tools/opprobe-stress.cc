// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-stress.cc -- a program that changes all the time while the probe samples it: its threads throw exceptions, load
 * libraries at the addresses of unloaded libraries, and allocate memory; detached threads end at any time.
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

/* The name of this function on a path shows the library whose code must follow. */
extern "C" APART void need_a()
{
	call("./a.so");
	sink = sink + 1;
}

extern "C" APART void need_b()
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

static void *throw_often(void *)
{
	for (int i = 0; i < rounds; i++) {
		try {
			throw_from(i % 20);
		} catch (const std::runtime_error &) {
			sink = sink + 1;
		}
		allocate(i % 3000);
		if (i % 8 == 0)
			i % 16 ? need_b() : need_a();
	}
	return nullptr;
}

static void *load_library(void *is_b)
{
	for (int i = 0; i < rounds; i++)
		is_b ? need_b() : need_a();
	return nullptr;
}

/* Load the two libraries in turn, so that both are loaded at the same address. */
static void *swap_libraries(void *)
{
	for (int i = 0; i < rounds; i++)
		i % 2 ? need_b() : need_a();
	return nullptr;
}

static void *allocate_often(void *)
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
		run(2, throw_often, false);
	else if (!strcmp(what, "load"))
		run(2, load_library, false);
	else if (!strcmp(what, "swap"))
		run(1, swap_libraries, false);
	else if (!strcmp(what, "allocate"))
		run(64, allocate_often, false);
	else if (!strcmp(what, "detach"))
		run(100, detached, true);
	puts("said");
	return 3;
}
