// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-static.c -- a program with opprobe.o linked in, whose call paths are known.
 *
 * opprobe-static THREADS WORK [bracket|unseen|crash|calls]
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "probe/opprobe.h"

#include "opprobe-burn.h"

/* Find the C library's own function, not its replacement. */
extern int __pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *arg), void *arg);

static int amount;

APART void work(void)
{
	for (int i = 0; i < amount * 20; i++) {
		straight(37500);
		again(20, 12500);
	}
}

APART void outside(void)
{
	work();
	sink++;
}

APART void inside(void)
{
	work();
	sink++;
}

static void *in_thread(void *arg)
{
	work();
	sink++;
	return arg;
}

static int in_thrd(void *arg)
{
	work();
	sink++;
	return *(int *)arg;
}

static void crash(void)
{
	*(volatile int *)8 = 1;
}

static int caught;

static void on_signal(int sig)
{
	caught += sig;
}

static void want(int is_so, const char *what)
{
	if (is_so)
		return;
	printf("%s\n", what);
	exit(9);
}

/* Check that the replaced functions work like those of the C library. */
static void check_calls(char **argv)
{
	struct itimerval timer = { { 0, 0 }, { 1000, 0 } }, now;
	struct sigaction action = { .sa_handler = on_signal }, old;
	const struct timespec none = { 0, 0 };
	struct signalfd_siginfo info;
	int sig, fd, one = 1, ret;
	sigset_t all, usr, was;
	siginfo_t got;
	thrd_t thread;

	sigfillset(&all);
	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR1);
	want(!sigaction(SIGUSR2, &action, &old) && old.sa_handler == SIG_DFL, "sigaction");
	want(!sigaction(SIGUSR2, NULL, &old) && old.sa_handler == on_signal, "sigaction, asked");
	want(!raise(SIGUSR2) && caught == SIGUSR2, "raise");
	want(signal(SIGUSR2, SIG_IGN) == on_signal && !raise(SIGUSR2) && caught == SIGUSR2, "signal");
	want(!pthread_sigmask(SIG_BLOCK, &all, &was) && !sigprocmask(SIG_BLOCK, NULL, &was) && sigismember(&was, SIGUSR1), "masks");
	want(!raise(SIGUSR1) && !sigwait(&all, &sig) && sig == SIGUSR1, "sigwait");
	want(!raise(SIGUSR1) && sigwaitinfo(&all, &got) == SIGUSR1, "sigwaitinfo");
	want(sigtimedwait(&usr, &got, &none) == -1 && errno == EAGAIN, "sigtimedwait");
	fd = signalfd(-1, &usr, SFD_CLOEXEC);
	want(fd >= 0 && !raise(SIGUSR1) && read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGUSR1, "signalfd");
	close(fd);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	want(!setitimer(ITIMER_PROF, &timer, NULL) && !getitimer(ITIMER_PROF, &now) && now.it_value.tv_sec > 0, "setitimer");
	timer.it_value.tv_sec = 0;
	setitimer(ITIMER_PROF, &timer, NULL);
	want(thrd_create(&thread, in_thrd, &one) == thrd_success && thrd_join(thread, &ret) == thrd_success && ret == 1, "thrd_create");
	if (!fork()) {
		execl("/nowhere/at/all", "none", (char *)NULL);
		want(errno == ENOENT, "execl");
		execlp(argv[0], argv[0], "0", argv[2], (char *)NULL);
		_exit(9);
	}
	want(wait(&ret) > 0 && WIFEXITED(ret) && WEXITSTATUS(ret) == 3, "exec");
}

int main(int argc, char **argv)
{
	int nr = atoi(argv[1]);
	const char *what = argc > 3 ? argv[3] : "";
	pthread_t threads[16];

	amount = atoi(argv[2]);
	if (!strcmp(what, "bracket")) {
		outside();
		opprobe_start();
		inside();
		opprobe_stop();
		outside();
		opprobe_start();
		inside();
		opprobe_stop();
		outside();
	} else if (!strcmp(what, "calls")) {
		check_calls(argv);
	}
	for (int i = 0; i < nr; i++)
		if ((!strcmp(what, "unseen") ? __pthread_create : pthread_create)(&threads[i], NULL, in_thread, NULL))
			return 9;
	if (!strcmp(what, "crash"))
		crash();
	if (strcmp(what, "bracket"))
		work();
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	puts("said");
	return 3;
}
