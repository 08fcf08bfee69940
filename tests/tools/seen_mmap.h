/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seen_mmap.h -- included before all else where the probe is compiled for ThreadSanitizer, which sees no system calls: memory that is
 * mapped where a library was would seem to be that library's still.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "probe/arch/call.h"

static inline long seen_mmap(unsigned long len, int prot, int flags, int fd, uint64_t at)
{
	void *ret = mmap(NULL, len, prot, flags, fd, at);

	return ret == MAP_FAILED ? -errno : (long)ret;
}

#define call_mmap seen_mmap
