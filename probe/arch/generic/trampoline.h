/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.h -- fallback for CPUs without a directory here: without a trampoline, stacks are
 * walked without markers (marker.h).
 */
#ifndef PROBE_ARCH_TRAMPOLINE_H
#define PROBE_ARCH_TRAMPOLINE_H

#include <stdint.h>

#define ARCH_HAS_TRAMPOLINE	0

static inline uint64_t arch_jump_sp(const void *env)
{
	(void)env;
	return 0;
}

#endif
