/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* read_none.h -- substitute for architectures whose counters cannot be read in user mode: each
 * read needs a system call. */
#ifndef VPERF_READ_NONE_H
#define VPERF_READ_NONE_H

#include <stdint.h>

static inline uint64_t vperf_tsc_now(void)
{
	return 0;
}

static inline uint64_t vperf_pmc_now(uint32_t index)
{
	(void)index;
	return 0;
}

#define VPERF_HAVE_PMC	0

#endif
