// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opprobe-user.c -- a program that counts its own metrics through opprobe.h and, for the old names,
 * through csprof.h.
 */
#include <csprof.h>

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__clang__)
#define APART	__attribute__((noinline))
#else
#define APART	__attribute__((noinline, noclone))
#endif

static int expects;	/* the test expects that the program's metrics are counted */
static int things, ticks;
static volatile int sink;

static void must(bool is_so, const char *what)
{
	if (is_so)
		return;
	printf("opprobe-user: %s\n", what);
	exit(9);
}

#define GIVES(call, with)	must((call) == (expects ? (with) : -ENOSYS), #call)

/* Record a value by the last call of the function, which the compiler may turn into a jump. */
APART void direct(uint64_t value)
{
	GIVES(opprobe_record(things, value), 0);
}

APART int record_by_jump(uint64_t value)
{
	return opprobe_record(things, value);
}

/* Record the caller of this function, as a replacement of malloc() does. */
APART int stand_in(uint64_t value)
{
	return opprobe_record_with_unwind(things, value, 2);
}

APART void quux(void)
{
	for (int i = 0; i < 100; i++)
		GIVES(stand_in(i), 0);
}

APART int deeper(uint64_t value)
{
	int ret = opprobe_record_with_unwind(things, value, 3);

	sink = 0;
	return ret;
}

APART int between(uint64_t value)
{
	int ret = deeper(value);

	sink = 0;
	return ret;
}

APART void outer(void)
{
	GIVES(between(1000), 0);
	sink = 0;
}

/* Any other argument is an error. */
APART void unknown(void)
{
	const int ids[] = { -1, 0, 1, 63, 64, 77, INT32_MAX, INT32_MIN };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (ids[i] == things || ids[i] == ticks)
			continue;
		GIVES(opprobe_record(ids[i], 1), -EINVAL);
		GIVES(opprobe_delete_metric(ids[i]), -EINVAL);
		GIVES(opprobe_sample_metric(ids[i], 1, ids), -EINVAL);
	}
	GIVES(opprobe_record_with_unwind(things, 1, 0), -EINVAL);
	GIVES(opprobe_new_metric("things", 0, 1), -EEXIST);
	must(opprobe_new_metric("", 0, 1) < 0 && opprobe_new_metric("a name of more than thirty-one of them", 0, 1) < 0,
	     "names that are none");
	must(opprobe_new_metric("flagged", 4, 1) < 0, "flags that are none");
}

APART void late(int metric)
{
	for (int i = 0; i < 10; i++)
		GIVES(opprobe_record(metric, 3), 0);
	sink = 0;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	GIVES(opprobe_sample(context), 0);
	GIVES(csprof_sample_callstack(&((ucontext_t *)context)->uc_mcontext, ticks, 4), 0);
}

APART void interrupted(void)
{
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	sink = 0;
}

static void *in_thread(void *unused)
{
	for (int i = 0; i < 1000; i++)
		direct(1);
	/* If more frames are skipped than the path has, the outermost frame of the program is
	 * recorded. */
	GIVES(opprobe_record_with_unwind(things, 1, 100), 0);
	/* The caller's caller is the start function of the thread. */
	GIVES(opprobe_record_with_unwind(things, 1, 2), 0);
	return unused;
}

static void threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		must(!pthread_create(&t[i], NULL, in_thread, NULL), "pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

APART void in_child(void)
{
	direct(7);
	sink = 0;
}

static void record_in_child(void)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		in_child();
		exit(0);
	}
	must(waitpid(pid, &status, 0) == pid && !status, "a child");
}

APART void stopped(void)
{
	GIVES(opprobe_record(things, 1000000), 0);
	free(malloc(1000000));
	sink = 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	int added, named;

	(void)argv;
	expects = argc > 1;
	GIVES(opprobe_set_max_metrics(0), -EINVAL);
	GIVES(opprobe_set_max_metrics(4), 0);
	things = opprobe_new_metric("things", 0, 1);
	ticks = opprobe_new_metric("ticks", OPPROBE_ASYNC, 1000);
	must(expects ? things >= 0 && ticks > things : things == -ENOSYS && ticks == -ENOSYS, "ids");
	unknown();
	direct(5);
	must(record_by_jump(50) == (expects ? 0 : -ENOSYS), "jumps");
	quux();
	outer();
	sigaction(SIGUSR1, &action, NULL);
	interrupted();
	threads();
	opprobe_stop();
	stopped();
	opprobe_start();

	/* From here on, new metrics have columns of their own. Deleted metrics have no column. */
	GIVES(opprobe_delete_metric(things), 0);
	GIVES(opprobe_record(things, 1), -EINVAL);
	added = opprobe_new_metric("added", 0, 1);
	must(!expects || added != things, "an id for two");
	late(added);
	must(opprobe_new_metric("things", 0, 1) == things, "what was deleted has its id back");
	record_in_child();
	named = csprof_new_metric();
	GIVES(csprof_record_metric(named, 1), -EINVAL);
	GIVES(csprof_set_metric_info_and_period(named, "named", 0, 1), 0);
	GIVES(csprof_set_metric_info_and_period(named, "again", 0, 1), -EBUSY);
	GIVES(csprof_record_metric_with_unwind(named, 11, 1), 0);
	must(csprof_new_metric() == (expects ? -ENOSPC : -ENOSYS), "more than the most");
	puts("said");
	return 0;
}
