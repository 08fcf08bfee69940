/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- making system calls through the C library, for CPUs without a directory here. The
 * functions preserve errno.
 */
#ifndef PROBE_ARCH_CALL_H
#define PROBE_ARCH_CALL_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long arch_result(long ret, int saved)
{
	long err = errno;

	errno = saved;
	return ret == -1 ? -err : ret;
}

static inline long arch_call(long nr, long a, long b, long c, long d, long e, long f)
{
	int saved = errno;

	return arch_result(syscall(nr, a, b, c, d, e, f), saved);
}

static inline long call_mmap(unsigned long len, int prot, int flags, int fd, uint64_t at)
{
	int saved = errno;

	return arch_result((long)mmap(NULL, len, prot, flags, fd, at), saved);
}

static inline long call_pread(int fd, void *buf, unsigned long len, uint64_t at)
{
	int saved = errno;

	return arch_result(pread(fd, buf, len, at), saved);
}

static inline long call_pwrite(int fd, const void *buf, unsigned long len, uint64_t at)
{
	int saved = errno;

	return arch_result(pwrite(fd, buf, len, at), saved);
}

static inline long call_ftruncate(int fd, uint64_t size)
{
	int saved = errno;

	return arch_result(ftruncate(fd, size), saved);
}

static inline long call_fallocate(int fd, int mode, uint64_t at, uint64_t len)
{
	int saved = errno;

	return arch_result(fallocate(fd, mode, at, len), saved);
}

/* 0: the C library sets signal actions, so no restorer is needed. */
#define ARCH_SA_RESTORER	0
#define ARCH_RESTORER(name)	enum { name = 0 }

#endif
