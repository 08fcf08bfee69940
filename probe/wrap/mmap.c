// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmap.c -- libopprobe_mmap.so: replaces mmap(), munmap() and mremap(), and reports the bytes of
 * address space mapped and unmapped to libopprobe.so.
 *
 * While dlsym() looks up the real functions, the program's malloc() may call mmap(). Until the real
 * functions are known, the replacements make system calls directly.
 */
#include "config.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/wrap/calls.h"
#include "probe/wrap/next.h"

#define EXPORT	__attribute__((visibility("default")))

/* Weak, so that this library has no effect without libopprobe.so. */
#pragma weak opprobe_source
#pragma weak opprobe_called

/* Indexes of the metrics of the event "mmap". Each index is the number of bytes; the next index is
 * the number of calls. */
enum { MAPPED = 0, UNMAPPED = 2 };

/* The C library's functions that this library replaces, looked up once per process. Global, because
 * a replacement has only the arguments of the real function. */
static struct {
	void *(*mmap)(void *at, size_t size, int prot, int flags, int fd, off_t offset);
	void *(*mmap64)(void *at, size_t size, int prot, int flags, int fd, off64_t offset);
	int (*munmap)(void *at, size_t size);
	void *(*mremap)(void *at, size_t size, size_t new_size, int flags, void *to);
	/* state of looking up the real functions: 0: not started; 1: a thread is looking them up;
	 * 2: done; atomic */
	int state;
} real;

static bool is_ready(void)
{
	int not_started = 0;

	if (__atomic_load_n(&real.state, __ATOMIC_ACQUIRE) == 2)
		return true;
	if (!__atomic_compare_exchange_n(&real.state, &not_started, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	*(void **)&real.mmap = next_function("mmap");
	*(void **)&real.mmap64 = next_function("mmap64");
	*(void **)&real.munmap = next_function("munmap");
	*(void **)&real.mremap = next_function("mremap");
	__atomic_store_n(&real.state, 2, __ATOMIC_RELEASE);
	return true;
}

__attribute__((constructor)) static void begin(void)
{
	is_ready();
}

/* Round @size up to whole pages. */
static size_t whole(size_t size)
{
	size_t page = getpagesize();

	return (size + page - 1) & ~(page - 1);
}

static inline __attribute__((always_inline)) void count_mapping(int metric, size_t size)
{
	int first = opprobe_source ? opprobe_source("mmap") : -1;

	if (first >= 0)
		opprobe_called(first + metric, whole(size));
	__asm__ volatile("");
}

#if __SIZEOF_LONG__ == 8
EXPORT void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *ret = is_ready() ? real.mmap(at, size, prot, flags, fd, offset) :
		(void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);

	if (ret != MAP_FAILED)
		count_mapping(MAPPED, size);
	return ret;
}

EXPORT void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset)
{
	void *ret = is_ready() ? real.mmap64(at, size, prot, flags, fd, offset) :
		(void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);

	if (ret != MAP_FAILED)
		count_mapping(MAPPED, size);
	return ret;
}
#else
/* Map memory and report it. The system call mmap2 expects the offset in units of 4096 bytes. */
static inline __attribute__((always_inline)) void *map(void *at, size_t size, int prot, int flags,
						       int fd, off64_t offset)
{
	void *ret = is_ready() ? real.mmap64(at, size, prot, flags, fd, offset)
			       : (void *)syscall(SYS_mmap2, at, size, prot, flags, fd,
						 (unsigned long)(offset >> 12));

	if (ret != MAP_FAILED)
		count_mapping(MAPPED, size);
	return ret;
}

EXPORT void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	return map(at, size, prot, flags, fd, offset);
}

EXPORT void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset)
{
	return map(at, size, prot, flags, fd, offset);
}
#endif

EXPORT int munmap(void *at, size_t size)
{
	int err = is_ready() ? real.munmap(at, size) : (int)syscall(SYS_munmap, at, size);

	if (!err)
		count_mapping(UNMAPPED, size);
	return err;
}

/* Report only the number of bytes by which mremap() enlarges or shrinks the mapping. */
EXPORT void *mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
	void *to = NULL, *ret;
	va_list args;

	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) {
		va_start(args, flags);
		to = va_arg(args, void *);
		va_end(args);
	}
	ret = is_ready() ? real.mremap(at, size, new_size, flags, to) :
		(void *)syscall(SYS_mremap, at, size, new_size, flags, to);
	if (ret == MAP_FAILED)
		return ret;
	if (flags & MREMAP_DONTUNMAP)
		count_mapping(MAPPED, new_size);
	else if (whole(new_size) > whole(size))
		count_mapping(MAPPED, whole(new_size) - whole(size));
	else if (whole(new_size) < whole(size))
		count_mapping(UNMAPPED, whole(size) - whole(new_size));
	return ret;
}
