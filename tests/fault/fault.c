// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fault.c -- the calls that tests make fail, by the linker's --wrap.
 */
#include "config.h"
#include "tests/fault/fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

/* What is armed. A test program has one of these; --wrap leaves no place to pass it. */
static struct {
	long countdown;		/* 0: none by number */
	const char *always;	/* or by name */
	int err;
	int failed;
} fault;

void fault_arm(long n, int err)
{
	fault.countdown = n;
	fault.always = NULL;
	fault.err = err;
	fault.failed = 0;
}

void fault_arm_always(const char *name, int err)
{
	fault_arm(0, err);
	fault.always = name;
}

int fault_disarm(void)
{
	int failed = fault.failed;

	fault_arm(0, 0);
	return failed;
}

/* 1, with errno set, when this call is to fail. */
static bool hit(const char *name, int err)
{
	if (fault.always ? strcmp(name, fault.always) : !fault.countdown || --fault.countdown)
		return false;
	fault.failed = 1;
	errno = err ? err : fault.err;
	return true;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return hit("malloc", ENOMEM) ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	return hit("calloc", ENOMEM) ? NULL : __real_calloc(n, size);
}

void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return hit("reallocarray", ENOMEM) ? NULL : __real_reallocarray(p, n, size);
}

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
	return hit("strdup", ENOMEM) ? NULL : __real_strdup(s);
}

char *__real_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n)
{
	return hit("strndup", ENOMEM) ? NULL : __real_strndup(s, n);
}

void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	return hit("mmap", 0) ? MAP_FAILED : __real_mmap(addr, len, prot, flags, fd, offset);
}

void *__real_mremap(void *old, size_t old_len, size_t len, int flags, ...);
void *__wrap_mremap(void *old, size_t old_len, size_t len, int flags, ...);
void *__wrap_mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	return hit("mremap", 0) ? MAP_FAILED : __real_mremap(old, old_len, len, flags);
}

int __real_fallocate(int fd, int mode, off_t offset, off_t len);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t len);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t len)
{
	return hit("fallocate", 0) ? -1 : __real_fallocate(fd, mode, offset, len);
}

ssize_t __real_pwrite(int fd, const void *buf, size_t len, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t offset)
{
	return hit("pwrite", 0) ? -1 : __real_pwrite(fd, buf, len, offset);
}
