// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fault.c -- failure injection: lets calls of the code under test fail. The linker's --wrap
 * redirects the calls to this file.
 */
#include "config.h"
#include "tests/fault/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

/* The call that will fail. Global, because the wrapped functions have no additional parameter. */
static struct {
	long countdown;		/* number of calls up to the failing one; 0: no call fails */
	const char *always;	/* name of a function whose calls always fail; NULL: none */
	int err;
	/* exit status with which the failing call ends the process; 0: let the call fail instead */
	int status;
	bool failed;
} fault;

void fault_arm(long n, int err)
{
	fault.countdown = n;
	fault.always = NULL;
	fault.err = err;
	fault.status = 0;
	fault.failed = false;
}

void fault_arm_exit(long n, int status)
{
	fault_arm(n, 0);
	fault.status = status;
}

void fault_arm_always(const char *name, int err)
{
	fault_arm(0, err);
	fault.always = name;
}

bool fault_disarm(void)
{
	bool failed = fault.failed;

	fault_arm(0, 0);
	return failed;
}

/* Return 1, with errno set, if this call must fail. */
static bool hit(const char *name, int err)
{
	if (fault.always ? strcmp(name, fault.always) : !fault.countdown || --fault.countdown)
		return false;
	if (fault.status)
		_exit(fault.status);
	fault.failed = true;
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

/* Return the mode argument, which exists only with O_CREAT. */
static mode_t mode_of(int flags, va_list args)
{
	return flags & O_CREAT ? va_arg(args, mode_t) : 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return hit("open", 0) ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return hit("openat", 0) ? -1 : __real_openat(dir, path, flags, mode);
}

ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	return hit("read", 0) ? -1 : __real_read(fd, buf, len);
}

ssize_t __real_pread(int fd, void *buf, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t offset)
{
	return hit("pread", 0) ? -1 : __real_pread(fd, buf, len, offset);
}

ssize_t __real_write(int fd, const void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len)
{
	return hit("write", 0) ? -1 : __real_write(fd, buf, len);
}

int __real_ftruncate(int fd, off_t len);
int __wrap_ftruncate(int fd, off_t len);
int __wrap_ftruncate(int fd, off_t len)
{
	return hit("ftruncate", 0) ? -1 : __real_ftruncate(fd, len);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	return hit("fsync", 0) ? -1 : __real_fsync(fd);
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
	return hit("fdatasync", 0) ? -1 : __real_fdatasync(fd);
}

int __real_msync(void *addr, size_t len, int flags);
int __wrap_msync(void *addr, size_t len, int flags);
int __wrap_msync(void *addr, size_t len, int flags)
{
	return hit("msync", 0) ? -1 : __real_msync(addr, len, flags);
}

int __real_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to);
int __wrap_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return hit("renameat", 0) ? -1 : __real_renameat(from_dir, from, to_dir, to);
}

int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	return hit("renameat2", 0) ? -1 : __real_renameat2(from_dir, from, to_dir, to, flags);
}
