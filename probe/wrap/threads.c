// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads.c -- threads begin and end: the probe of call paths takes them up, and lets go of them.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "probe/wrap/hooks.h"

#define EXPORT	__attribute__((visibility("default")))

typedef int (*create_fn)(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *arg), void *arg);

static struct {
	create_fn create;
	pthread_key_t key;		/* its destructor runs however a thread ends */
	bool has_key;
} real;

struct start {
	void *(*start)(void *arg);
	void *arg;
};

static void end_thread(void *unused)
{
	(void)unused;
	hook_thread_ends();
}

/* dlsym() may allocate, so before there are threads. */
__attribute__((constructor)) static void find_real(void)
{
	*(void **)&real.create = dlsym(RTLD_NEXT, "pthread_create");
	real.has_key = !pthread_key_create(&real.key, end_thread);
}

/* The return keeps it from being a jump, which would hide that it is ours. */
static void *begin_thread(void *arg)
{
	struct start s = *(struct start *)arg;
	void *ret;

	free(arg);
	if (real.has_key && !pthread_setspecific(real.key, &real))
		hook_thread_begins();
	ret = s.start(s.arg);
	__asm__ volatile("" : "+r"(ret));
	return ret;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *arg), void *arg)
{
	struct start *s;
	int err;

	if (!real.create)
		find_real();
	if (!real.create)
		return EAGAIN;
	hook_allocates(true);
	s = malloc(sizeof(*s));
	hook_allocates(false);
	if (!s)
		return EAGAIN;
	*s = (struct start){ start, arg };
	err = real.create(thread, attr, begin_thread, s);
	if (err)
		free(s);
	return err;
}
