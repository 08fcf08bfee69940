/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole_calls.h -- system calls with 64-bit arguments, for 64-bit CPUs: each argument is passed in
 * one register.
 */
#ifndef PROBE_LINUX_WHOLE_CALLS_H
#define PROBE_LINUX_WHOLE_CALLS_H

#include <stdint.h>

static inline long call_mmap(unsigned long len, int prot, int flags, int fd, uint64_t at)
{
	return arch_call(SYS_mmap, 0, len, prot, flags, fd, at);
}

static inline long call_pread(int fd, void *buf, unsigned long len, uint64_t at)
{
	return arch_call(SYS_pread64, fd, (long)buf, len, at, 0, 0);
}

static inline long call_pwrite(int fd, const void *buf, unsigned long len, uint64_t at)
{
	return arch_call(SYS_pwrite64, fd, (long)buf, len, at, 0, 0);
}

static inline long call_ftruncate(int fd, uint64_t size)
{
	return arch_call(SYS_ftruncate, fd, size, 0, 0, 0, 0);
}

static inline long call_fallocate(int fd, int mode, uint64_t at, uint64_t len)
{
	return arch_call(SYS_fallocate, fd, mode, at, len, 0, 0);
}

#endif
