/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opprobe-suites.h -- replaces the harness that glibc's tests include, so that the tests can be
 * built without glibc's sources.
 */
#ifndef OPPROBE_SUITES_H
#define OPPROBE_SUITES_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAIL_EXIT1(...)		(printf(__VA_ARGS__), puts(""), exit(1))
#define FAIL_UNSUPPORTED(...)	(printf(__VA_ARGS__), puts(""), exit(77))
#define FAIL_EXIT(status, ...)	(printf(__VA_ARGS__), puts(""), exit(status))
#define TEST_VERIFY_EXIT(is_so)	((is_so) ? (void)0 : (void)(printf("line %d: %s\n", __LINE__, #is_so), exit(1)))
#define TEST_VERIFY(is_so)	TEST_VERIFY_EXIT(is_so)
#define TEST_COMPARE(a, b)	TEST_VERIFY_EXIT((a) == (b))

/* Exit with a message unless @ret is 0. */
static inline int must_be_0(int ret, const char *what)
{
	if (ret)
		FAIL_EXIT1("%s: %s", what, strerror(ret));
	return ret;
}

static inline int must_not_fail(int ret, const char *what)
{
	if (ret < 0)
		FAIL_EXIT1("%s: %m", what);
	return ret;
}

static inline void *must_be(void *ret, const char *what)
{
	if (!ret || ret == MAP_FAILED)
		FAIL_EXIT1("%s: %m", what);
	return ret;
}

static inline int waited(pthread_barrier_t *b)
{
	int ret = pthread_barrier_wait(b);

	return ret == PTHREAD_BARRIER_SERIAL_THREAD ? ret : must_be_0(ret, "pthread_barrier_wait");
}

static inline pthread_t created(pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	pthread_t ret;

	must_be_0(pthread_create(&ret, attr, start, arg), "pthread_create");
	return ret;
}

static inline void *joined(pthread_t thread)
{
	void *ret;

	must_be_0(pthread_join(thread, &ret), "pthread_join");
	return ret;
}

#define xpthread_create		created
#define xpthread_join		joined
#define xpthread_barrier_wait	waited
#define xpthread_cancel(...)		must_be_0(pthread_cancel(__VA_ARGS__), "pthread_cancel")
#define xpthread_barrier_init(...)	must_be_0(pthread_barrier_init(__VA_ARGS__), "pthread_barrier_init")
#define xpthread_barrier_destroy(...)	must_be_0(pthread_barrier_destroy(__VA_ARGS__), "pthread_barrier_destroy")
#define xmmap(at, size, protection, flags, fd)	must_be(mmap(at, size, protection, flags, fd, 0), "mmap")
#define xfopen(...)		((FILE *)must_be(fopen(__VA_ARGS__), "fopen"))
#define xfclose(...)		must_not_fail(fclose(__VA_ARGS__), "fclose")
#define xclose(...)		must_not_fail(close(__VA_ARGS__), "close")
#define xwrite(...)		must_not_fail(write(__VA_ARGS__), "write")
#define xftruncate(...)		must_not_fail(ftruncate(__VA_ARGS__), "ftruncate")
#define xsem_post(...)		must_not_fail(sem_post(__VA_ARGS__), "sem_post")
#define xstrdup(...)		((char *)must_be(strdup(__VA_ARGS__), "strdup"))
#define xmalloc(...)		must_be(malloc(__VA_ARGS__), "malloc")

static inline char *xasprintf(const char *format, ...)
{
	va_list values;
	char *ret;

	va_start(values, format);
	must_not_fail(vasprintf(&ret, format, values), "vasprintf");
	va_end(values);
	return ret;
}

static const char test_dir[] = "/tmp";

static inline void add_temp_file(const char *name)
{
	(void)name;
}

static inline int create_temp_file(const char *base, char **ret)
{
	char *name;
	int fd;

	must_not_fail(asprintf(&name, "%s/%sXXXXXX", test_dir, base), "asprintf");
	fd = must_not_fail(mkstemp(name), "mkstemp");
	if (ret)
		*ret = name;
	return fd;
}

#define array_length(a)		(sizeof(a) / sizeof((a)[0]))
#define DIAG_PUSH_NEEDS_COMMENT
#define DIAG_POP_NEEDS_COMMENT
#define DIAG_IGNORE_NEEDS_COMMENT(version, option)

#endif

/* At the end of a test. */
#ifdef SUITES_MAIN
#ifndef TEST_FUNCTION
#define TEST_FUNCTION	do_test()
#endif

int main(int argc, char **argv)
{
	(void)argc, (void)argv;
	setbuf(stdout, NULL);
	alarm(120);
#ifdef PREPARE
	PREPARE(argc, argv);
#endif
	return TEST_FUNCTION;
}
#endif
