// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads.c -- replacements of pthread_create() and thrd_create() that report the start and end of
 * each thread to the collector.
 */
#include "config.h"
#include "probe/wrap/threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>

#include "probe/wrap/hooks.h"
#include "probe/wrap/real.h"

#define EXPORT	__attribute__((visibility("default")))

/* number of thread-specific data keys for which pthread_setspecific() does not allocate memory */
#define FIRST_KEYS	32

typedef int (*create_fn)(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *arg),
			 void *arg);

/* The real functions of the C library, looked up once per process. Global, because a replacement
 * has only the arguments of the real function. */
static struct {
	create_fn create;
	int (*thrd_create)(thrd_t *thread, thrd_start_t start, void *arg);
	/* a thread-specific data key whose destructor runs at the end of each thread, even after
	 * pthread_exit() */
	pthread_key_t key;
	bool has_key;
} real;

struct start {
	void *(*start)(void *arg);
	thrd_start_t start_thrd;
	void *arg;
};

static void end_thread(void *unused)
{
	(void)unused;
	hooks()->thread_ends();
}

__attribute__((constructor)) static void find_real(void)
{
	*(void **)&real.create = real_function("pthread_create");
	*(void **)&real.thrd_create = real_function("thrd_create");
	real.has_key = !pthread_key_create(&real.key, end_thread);
}

void threads_report(void)
{
	if (real.has_key && !pthread_setspecific(real.key, &real))
		hooks()->thread_begins(false);
}

void threads_report_in_handler(void)
{
	if (real.has_key && real.key < FIRST_KEYS && !pthread_setspecific(real.key, &real))
		hooks()->thread_begins(true);
}

/* Allocate a struct start, the argument of a new thread. Return NULL if out of memory. */
static struct start *make_start(void)
{
	const struct hooks *h = hooks();
	struct start *s;

	if (!real.create)
		find_real();
	h->allocates(true);
	s = malloc(sizeof(*s));
	h->allocates(false);
	return s;
}

static struct start copy_start(void *arg)
{
	struct start s = *(struct start *)arg;

	free(arg);
	threads_report();
	return s;
}

/* Run a new thread. The code after the call of the thread's function prevents a tail call, which
 * would remove this frame from the stack. */
static void *begin_thread(void *arg)
{
	struct start s = copy_start(arg);
	void *ret = s.start(s.arg);

	__asm__ volatile("" : "+r"(ret));
	return ret;
}

static int begin_thrd(void *arg)
{
	struct start s = copy_start(arg);
	int ret = s.start_thrd(s.arg);

	__asm__ volatile("" : "+r"(ret));
	return ret;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *arg),
			  void *arg)
{
	struct start *s = make_start();
	int err;

	if (!s)
		return EAGAIN;
	*s = (struct start){ .start = start, .arg = arg };
	err = real.create ? real.create(thread, attr, begin_thread, s) : EAGAIN;
	if (err)
		free(s);
	return err;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	struct start *s = make_start();
	int err;

	if (!s)
		return thrd_nomem;
	*s = (struct start){ .start_thrd = start, .arg = arg };
	err = real.thrd_create ? real.thrd_create(thread, begin_thrd, s) : thrd_error;
	if (err != thrd_success)
		free(s);
	return err;
}
