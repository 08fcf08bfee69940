/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h -- the file of this name of the CPU that is compiled for.
 */
#ifndef PROBE_ARCH_CHOOSE_REGISTERS_H
#define PROBE_ARCH_CHOOSE_REGISTERS_H

#include <stdint.h>

/* A frame outside of where a walk is wanted, to begin it there. */
struct arch_caller {
	uint64_t pc, sp, fp;		/* pc 0: it is not told */
};

#if defined(__x86_64__) && !defined(__ILP32__)
#include "probe/arch/x86_64/registers.h"
#elif defined(__aarch64__) && !defined(__ILP32__)
#include "probe/arch/aarch64/registers.h"
#elif defined(__i386__)
#include "probe/arch/i386/registers.h"
#else
#include "probe/arch/generic/registers.h"
#endif

#endif
