/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h -- selects the target CPU's registers.h.
 */
#ifndef PROBE_ARCH_CHOOSE_REGISTERS_H
#define PROBE_ARCH_CHOOSE_REGISTERS_H

#include <stdint.h>

/* Registers of a frame in the middle of a call. A stack walk may start at this frame. */
struct arch_caller {
	uint64_t pc, sp, fp;		/* registers of the frame; pc 0: unknown */
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
