// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-paths.c -- a program whose call paths are known: one part in depth, one by recursion, one
 * in a library.
 *
 * opprobe-paths THREADS WORK [fork|orphan|exec|kill|limit|blocked|late|closes FILE|library
 * FILE|torn FILE|loads FILE|charsets|crashes WAY|leaves WAY|default|sigset]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <iconv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opprobe-burn.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"	/* sigset() */

static int amount;

APART static void right(int depth, uint64_t way);

/* Take one of 2^30 possible paths, so that hardly any path occurs twice. */
APART static void left(int depth, uint64_t way)
{
	burn(2000);
	if (depth)
		(way & 1 ? right : left)(depth - 1, way >> 1);
	sink++;
}

APART static void right(int depth, uint64_t way)
{
	burn(2000);
	if (depth)
		(way & 1 ? left : right)(depth - 1, way >> 1);
	sink++;
}

APART static void many_paths(int nr)
{
	uint64_t way = 1;

	for (int i = 0; i < nr * 20; i++) {
		way = way * 6364136223846793005u + 1442695040888963407u;
		left(30, way >> 20);
	}
}

/*
 * Compute in rounds that are short compared with the sampling period, so that samples do not hit
 * the same points repeatedly.
 */
APART void work(void)
{
	for (int i = 0; i < amount * 20; i++) {
		straight(37500);
		again(20, 12500);
	}
}

static void *in_thread(void *arg)
{
	work();
	sink++;
	return arg;
}

static void in_library(const char *path, bool is_torn)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*spin)(int amount) = library ? (void (*)(int))dlsym(library, "spin") : NULL;
	struct dl_find_object found;

	if (!spin || _dl_find_object((void *)spin, &found))
		exit(9);
	/* Simulate another thread unloading the library, without a race: the code is mapped, but
	 * its unwind data is not. */
	if (is_torn && mprotect((void *)((uintptr_t)found.dlfo_eh_frame & ~4095ul), 4096, PROT_NONE))
		exit(9);
	spin(amount);
	if (!is_torn)
		dlclose(library);
}

static const char *loaded;

static void *load(void *arg)
{
	for (int i = 0; i < 20 * amount; i++) {
		void *library = dlopen(loaded, RTLD_NOW);

		((void (*)(int))dlsym(library, "spin"))(i % 20 == 0);
		dlclose(library);
	}
	return arg;
}

#define SETS	6

/* Use the character sets SET0, SET1, ... once a round in a changing order, so that different ones
 * are loaded at the same addresses. */
static void charsets(void)
{
	for (int i = 0; i < amount * SETS; i++) {
		char name[] = "SET0//", in[] = "a", out[4], *from = in, *to = out;
		size_t from_len = 1, to_len = sizeof(out);
		iconv_t set;

		name[3] += (i * (i / SETS % 2 ? 5 : 1) + i / SETS) % SETS;
		set = iconv_open(name, "UTF-8");
		if (set == (iconv_t)-1)
			exit(9);
		iconv(set, &from, &from_len, &to, &to_len);
		iconv_close(set);
	}
}

static void *volatile nowhere = (void *)16;
static sigjmp_buf back;

APART void down(int depth)
{
	if (depth)
		down(depth - 1);
	else
		*(volatile int *)nowhere = 1;
	sink++;
}

APART int without_end(int depth)
{
	volatile char some[100] = { depth };

	return without_end(depth + 1) + some[99];
}

static void leave_handler(int sig, siginfo_t *info, void *context)
{
	(void)context;
	siglongjmp(back, sig == SIGSEGV && info->si_addr == nowhere ? 1 : 2);
}

static void crash(const char *way)
{
	struct sigaction action = { .sa_sigaction = leave_handler, .sa_flags = SA_SIGINFO }, now;

	if (!strcmp(way, "null"))
		down(4);
	if (!strcmp(way, "deep"))
		sink += without_end(0);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "sent"))
		kill(getpid(), SIGSEGV);
	/* In this case the first crash has a handler, and the second crash has none. */
	sigaction(SIGSEGV, &action, &now);
	if (now.sa_handler != SIG_DFL)
		exit(9);
	for (int i = 0; i < 3; i++)
		switch (sigsetjmp(back, 1)) {
		case 0: down(4); break;
		case 1: puts("handled"); break;
		default: exit(9);
		}
	signal(SIGSEGV, SIG_DFL);
	fflush(stdout);
	down(4);
}

static void leave(const char *way)
{
	if (!strcmp(way, "_exit"))
		_exit(5);
	if (!strcmp(way, "quick_exit"))
		quick_exit(5);
	if (!strcmp(way, "_Exit"))
		_Exit(5);
}

/* Create a child that continues after its parent has ended, until its stdin ends. */
static void orphan(void)
{
	char byte;

	if (!fork()) {
		printf("%d\n", getpid());
		fflush(stdout);
		_exit(read(0, &byte, 1) < 0);
	}
	raise(SIGKILL);
}

/* Make the system call without the C library, like runtimes of other languages. */
static void mask_all(int how)
{
	uint64_t all = ~0ull;

	syscall(SYS_rt_sigprocmask, how, &all, NULL, sizeof(all));
}

static void unmask(void *arg)
{
	(void)arg;
	mask_all(SIG_UNBLOCK);
}

/* Send signals to this thread after it has released all its other resources. */
static void *late_signals(void *arg)
{
	pthread_key_t key;

	pthread_key_create(&key, unmask);
	pthread_setspecific(key, &amount);
	mask_all(SIG_BLOCK);
	work();
	return arg;
}

static void one_thread(void *(*run)(void *arg))
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
}

#define MOST	1000

/*
 * Close all open descriptors, and open the file @path with each of their numbers. Check at the end
 * that the numbers still refer to this file.
 */
static void close_all(const char *path)
{
	int own, taken = 0, still = 0;
	struct stat st;

	closefrom(3);
	own = open(path, O_RDWR | O_CREAT, 0600);
	for (int fd = own + 1; fd <= MOST; fd++)
		taken += dup2(own, fd) == fd;
	for (int i = 0; i < 4; i++)
		work();
	one_thread(in_thread);
	for (int fd = own + 1; fd <= MOST; fd++)
		still += !fstat(fd, &st) && !st.st_size;
	puts(taken == MOST - own && still == taken ? "mine" : "not mine");
}

static void work_blocked(void)
{
	sigset_t all, is;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < 4; i++)
		work();
	pthread_sigmask(SIG_SETMASK, NULL, &is);
	puts(sigismember(&is, SIGTERM) && !sigismember(&is, SIGKILL) ? "blocked" : "not blocked");
}

static void set_all(void)
{
	for (int sig = 1; sig <= 64; sig++)
		sigset(sig, SIG_DFL);
	printf("%s, ", sigset(SIGSEGV, SIG_HOLD) == SIG_DFL ? "default" : "wrong");
	printf("%s, ", sigset(SIGSEGV, SIG_IGN) == SIG_HOLD ? "held" : "wrong");
	printf("%s\n", sigignore(SIGSEGV) || sigset(SIGSEGV, SIG_DFL) != SIG_IGN ? "wrong" : "ignored");
	work();
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 0, status = 0;
	const char *then = argc > 3 ? argv[3] : "";
	pthread_t threads[8];

	amount = argc > 2 ? atoi(argv[2]) : 1;
	for (int i = 0; i < nr && i < 8; i++)
		pthread_create(&threads[i], NULL, in_thread, NULL);
	work();
	for (int i = 0; i < nr && i < 8; i++)
		pthread_join(threads[i], NULL);
	if (!strcmp(then, "fork")) {
		if (!fork()) {
			work();
			exit(4);
		}
		wait(&status);
		puts(WIFEXITED(status) && WEXITSTATUS(status) == 4 ? "child" : "no child");
	} else if (!strcmp(then, "orphan")) {
		orphan();
	} else if (!strcmp(then, "late")) {
		one_thread(late_signals);
	} else if (!strcmp(then, "closes") && argc > 4) {
		close_all(argv[4]);
	} else if (!strcmp(then, "exec")) {
		execlp("no such program", "none", NULL);
		execlp(argv[0], argv[0], "0", argv[2], NULL);
	} else if (!strcmp(then, "blocked")) {
		work_blocked();
	} else if (!strcmp(then, "limit")) {
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4096, 4096 });
		many_paths(amount);
	} else if (!strcmp(then, "kill")) {
		if (argc > 4)
			many_paths(amount);
		raise(SIGKILL);
	} else if (!strcmp(then, "default")) {
		for (int sig = 1; sig <= 64; sig++)
			signal(sig, SIG_DFL);
		work();
	} else if (!strcmp(then, "sigset")) {
		set_all();
	} else if (!strcmp(then, "charsets")) {
		charsets();
	} else if (!strcmp(then, "crashes") && argc > 4) {
		crash(argv[4]);
	} else if (!strcmp(then, "leaves") && argc > 4) {
		leave(argv[4]);
	} else if (!strcmp(then, "library") && argc > 4) {
		in_library(argv[4], false);
	} else if (!strcmp(then, "torn") && argc > 4) {
		in_library(argv[4], true);
	} else if (!strcmp(then, "loads") && argc > 4) {
		loaded = argv[4];
		one_thread(load);
	}
	puts("said");
	return 3;
}
