/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.h -- system calls without the C library: they do not set errno, are not cancellation
 * points, and cannot be replaced by the program. All functions return the kernel's value, which is
 * a negative errno on failure.
 */
#ifndef PROBE_LINUX_CALLS_H
#define PROBE_LINUX_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/stat.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mman.h>

#include "probe/arch/call.h"

static inline bool call_failed(long ret)
{
	return ret < 0 && ret >= -4095;
}

static inline long call_openat(int dirfd, const char *path, int flags, unsigned int mode)
{
	return arch_call(SYS_openat, dirfd, (long)path, flags, mode, 0, 0);
}

static inline long call_close(int fd)
{
	return arch_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long call_read(int fd, void *buf, size_t len)
{
	return arch_call(SYS_read, fd, (long)buf, len, 0, 0, 0);
}

/* Write to @fd without killing the program: a pipe without a reader would raise SIGPIPE, and
 * exceeding RLIMIT_FSIZE would raise SIGXFSZ. Block both signals in the thread during the call, and
 * discard a signal that the call raised. */
static inline long call_write(int fd, const void *buf, size_t len)
{
	uint64_t ends = 1ULL << (SIGPIPE - 1) | 1ULL << (SIGXFSZ - 1), before, pending = 0;
	const long now[2] = { 0, 0 };
	long ret;

	arch_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&ends, (long)&before, sizeof(ends), 0, 0);
	arch_call(SYS_rt_sigpending, (long)&pending, sizeof(pending), 0, 0, 0, 0);
	ret = arch_call(SYS_write, fd, (long)buf, len, 0, 0, 0);
	ends &= ~pending;
	if (ends && (ret == -EPIPE || ret == -EFBIG))
		arch_call(SYS_rt_sigtimedwait, (long)&ends, 0, (long)now, sizeof(ends), 0, 0);
	arch_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof(before), 0, 0);
	return ret;
}

/* Copy memory of this process, whose id is @pid, by a system call: at an unmapped address, a direct
 * access would kill the program. Return 0, or -EFAULT if part of the memory is unreadable. */
static inline long call_read_memory(int pid, uint64_t at, void *buf, size_t len)
{
	struct { const void *at; size_t len; } to = { buf, len },
		from = { (const void *)(uintptr_t)at, len };
	long got = arch_call(SYS_process_vm_readv, pid, (long)&to, 1, (long)&from, 1, 0);

	return got == (long)len ? 0 : -EFAULT;
}

static inline long call_mprotect(void *at, size_t size, int prot)
{
	return arch_call(SYS_mprotect, (long)at, size, prot, 0, 0, 0);
}

static inline long call_munmap(void *at, size_t len)
{
	return arch_call(SYS_munmap, (long)at, len, 0, 0, 0, 0);
}

/* Return whether the word at @at is writable, without changing it: use a futex operation that
 * ORs 0 into the word and wakes no thread. */
static inline bool call_may_write(uint32_t *at)
{
	uint32_t word = 0;

	return !call_failed(arch_call(SYS_futex, (long)&word, FUTEX_WAKE_OP_PRIVATE, 0, 0, (long)at,
				      FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_LT, 0)));
}

static inline long call_madvise(void *at, size_t len, int advice)
{
	return arch_call(SYS_madvise, (long)at, len, advice, 0, 0, 0);
}

static inline long call_flock(int fd, int how)
{
	return arch_call(SYS_flock, fd, how, 0, 0, 0, 0);
}

static inline long call_statx(int dirfd, const char *path, int flags, struct statx *st)
{
	return arch_call(SYS_statx, dirfd, (long)path, flags, STATX_BASIC_STATS, (long)st, 0);
}

static inline long call_fstat(int fd, struct statx *st)
{
	return call_statx(fd, "", 0x1000 /* AT_EMPTY_PATH */, st);
}

static inline long call_unlinkat(int dirfd, const char *path)
{
	return arch_call(SYS_unlinkat, dirfd, (long)path, 0, 0, 0, 0);
}

static inline long call_renameat(int dirfd, const char *from, const char *to)
{
	return arch_call(SYS_renameat2, dirfd, (long)from, dirfd, (long)to, 0, 0);
}

static inline long call_mkdirat(int dirfd, const char *path, unsigned int mode)
{
	return arch_call(SYS_mkdirat, dirfd, (long)path, mode, 0, 0, 0);
}

static inline long call_getdents(int fd, void *buf, size_t len)
{
	return arch_call(SYS_getdents64, fd, (long)buf, len, 0, 0, 0);
}

static inline long call_getcwd(char *buf, size_t len)
{
	return arch_call(SYS_getcwd, (long)buf, len, 0, 0, 0, 0);
}

static inline long call_getpid(void)
{
	return arch_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline long call_geteuid(void)
{
	return arch_call(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

/* Replace the descriptor @fd by a duplicate with a high number, because programs expect that low
 * numbers are free. Return the new descriptor, or @fd on failure. */
static inline int call_raise_fd(int fd)
{
	static const int places[] = { 900, 200, 100 };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		long high = arch_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, places[i], 0, 0, 0);

		if (!call_failed(high)) {
			call_close(fd);
			return high;
		}
	}
	return fd;
}

/* Return the address of a word that the kernel sets to 0 in child processes, except in children of
 * vfork(). Return NULL if the kernel does not support this. */
static inline int *call_word_here(void)
{
	long at = call_mmap(4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return call_failed(at) || call_madvise((void *)at, 4096, MADV_WIPEONFORK) ? NULL
										  : (int *)at;
}

/* Return the maximum size of a file (RLIMIT_FSIZE). Writing beyond it raises SIGXFSZ, which kills
 * the program. */
static inline uint64_t call_file_limit(void)
{
	uint64_t limit[2] = { UINT64_MAX, UINT64_MAX };

	arch_call(SYS_prlimit64, 0, 1 /* RLIMIT_FSIZE */, 0, (long)limit, 0, 0);
	return limit[0];
}

static inline uint64_t call_now_ns(void)
{
	long t[2] = { 0, 0 };

	arch_call(SYS_clock_gettime, 0, (long)t, 0, 0, 0, 0);
	return (uint64_t)t[0] * 1000000000 + t[1];
}

static inline void call_sleep_ms(long ms)
{
	long t[2] = { ms / 1000, ms % 1000 * 1000000 };

	arch_call(SYS_nanosleep, (long)t, 0, 0, 0, 0, 0);
}

#endif
