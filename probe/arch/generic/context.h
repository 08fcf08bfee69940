/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h -- no registers of interrupted code on other CPUs: all samples are outside all regions.
 */
#ifndef PROBE_ARCH_CONTEXT_H
#define PROBE_ARCH_CONTEXT_H

#include <stdint.h>

static inline uintptr_t arch_pc(const void *context)
{
	(void)context;
	return 0;
}

#endif
