// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads.c -- the begin and end of threads, which start and stop sampling in each thread.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>

#include "probe/wrap/hooks.h"
#include "probe/wrap/real.h"

#define EXPORT	__attribute__((visibility("default")))

/* the C library has room for the values of these keys in each thread */
#define FIRST_KEYS	32

typedef int (*create_fn)(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *arg),
			 void *arg);

/* The functions of the C library behind the replaced ones, found once for the process. */
static struct {
	create_fn create;
	int (*thrd_create)(thrd_t *thread, thrd_start_t start, void *arg);
	pthread_key_t key;		/* its destructor runs at every kind of thread end */
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
	hook_thread_ends();
}

__attribute__((constructor)) static void find_real(void)
{
	*(void **)&real.create = real_function("pthread_create");
	*(void **)&real.thrd_create = real_function("thrd_create");
	real.has_key = !pthread_key_create(&real.key, end_thread);
}

/* The C library creates threads of its own, which call the program: they begin when they
 * allocate. */
void hook_thread_shows(void)
{
	if (real.has_key && !pthread_setspecific(real.key, &real))
		hook_thread_begins(false);
}

/* The value of a later key is in memory that pthread_setspecific() allocates. */
void hook_thread_is_met(void)
{
	if (real.has_key && real.key < FIRST_KEYS && !pthread_setspecific(real.key, &real))
		hook_thread_begins(true);
}

/* Return NULL without memory. */
static struct start *make_start(void)
{
	struct start *s;

	if (!real.create)
		find_real();
	hook_allocates(true);
	s = malloc(sizeof(*s));
	hook_allocates(false);
	return s;
}

static struct start take_start(void *arg)
{
	struct start s = *(struct start *)arg;

	free(arg);
	hook_thread_shows();
	return s;
}

/* The return after the call keeps it from being a jump, which would hide our frame. */
static void *begin_thread(void *arg)
{
	struct start s = take_start(arg);
	void *ret = s.start(s.arg);

	__asm__ volatile("" : "+r"(ret));
	return ret;
}

static int begin_thrd(void *arg)
{
	struct start s = take_start(arg);
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
