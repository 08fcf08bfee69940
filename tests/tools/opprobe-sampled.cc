// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-sampled.cc -- a program that allocates known amounts of memory on known paths, in C and in C++.
 *
 * opprobe-sampled [free]: allocates; free: prints how many instructions the free() of a block takes.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#define APART extern "C" __attribute__((noinline, noclone))

static void *volatile sink;

APART void many_small()
{
	for (int i = 0; i < 2000000; i++) {
		void *p = malloc(100);

		sink = p;
		if (i % 2)
			free(p);
	}
	sink = nullptr;
}

APART void some_large()
{
	for (int i = 0; i < 3000; i++) {
		void *p = malloc(200000);

		sink = p;
		free(p);
	}
	sink = nullptr;
}

APART void by_realloc()
{
	void *p = nullptr;

	for (int i = 1; i <= 200000; i++)
		sink = p = realloc(p, 1000 + i % 2);
	free(p);
	sink = nullptr;
}

APART void in_threads()
{
	for (int i = 0; i < 200000; i++) {
		void *p = malloc(500);

		sink = p;
		free(p);
	}
	sink = nullptr;
}

struct alignas(64) Wide { char bytes[192]; };

/* Allocate 10 blocks of 40 bytes, 10 of 80, 10 of 192 and 1 of 56. Keep one block of each size. */
APART void by_new()
{
	for (int i = 0; i < 10; i++) {
		char *one = (char *)::operator new(40), *many = new char[80];
		Wide *wide = new Wide;

		sink = one;
		sink = many;
		sink = wide;
		if (i) {
			::operator delete(one, (std::size_t)40);
			delete[] many;
			delete wide;
		}
	}
	sink = ::operator new(56, std::nothrow);
}

/* Count the instructions between two SIGSTOPs that the child sends to itself. */
static long steps(void *block)
{
	pid_t child = fork();
	int status;
	long nr = 0;

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		free(block);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, &status, 0);
	do {
		ptrace(PTRACE_SINGLESTEP, child, 0, 0);
		waitpid(child, &status, 0);
		nr++;
	} while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return nr;
}

int main(int argc, char **)
{
	std::thread threads[4];

	if (argc > 1) {
		void *block = malloc(100), *other = malloc(100);

		free(other);
		printf("%ld\n", steps(block));
		return 0;
	}
	many_small();
	some_large();
	by_realloc();
	for (auto &t : threads)
		t = std::thread(in_threads);
	for (auto &t : threads)
		t.join();
	by_new();
	return 0;
}
