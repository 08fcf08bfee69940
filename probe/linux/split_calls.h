/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split_calls.h -- system calls with 64-bit arguments, for 32-bit CPUs: each 64-bit argument is
 * passed in two registers, the lower half first.
 */
#ifndef PROBE_LINUX_SPLIT_CALLS_H
#define PROBE_LINUX_SPLIT_CALLS_H

#include <stdint.h>

#define SPLIT(n)	(long)(uint32_t)(n), (long)(uint32_t)((n) >> 32)

/* Map a file at offset @at. The system call mmap2 expects the offset in units of 4096 bytes,
 * independent of the page size. */
static inline long call_mmap(unsigned long len, int prot, int flags, int fd, uint64_t at)
{
	return arch_call(SYS_mmap2, 0, len, prot, flags, fd, at >> 12);
}

static inline long call_pread(int fd, void *buf, unsigned long len, uint64_t at)
{
	return arch_call(SYS_pread64, fd, (long)buf, len, SPLIT(at), 0);
}

static inline long call_pwrite(int fd, const void *buf, unsigned long len, uint64_t at)
{
	return arch_call(SYS_pwrite64, fd, (long)buf, len, SPLIT(at), 0);
}

static inline long call_ftruncate(int fd, uint64_t size)
{
	return arch_call(SYS_ftruncate64, fd, SPLIT(size), 0, 0, 0);
}

static inline long call_fallocate(int fd, int mode, uint64_t at, uint64_t len)
{
	return arch_call(SYS_fallocate, fd, mode, SPLIT(at), SPLIT(len));
}

#endif
