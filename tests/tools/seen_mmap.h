/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seen_mmap.h -- reports the probe's mmap() to ThreadSanitizer, which does not intercept this call.
 * Included first when the probe is compiled for ThreadSanitizer. Otherwise memory that is mapped at
 * the address of an unloaded library would seem to belong to this library.
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
