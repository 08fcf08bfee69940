/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch.h -- the registers of a stopped thread, and the signal frame that a called function returns
 * through, for this machine.
 */
#ifndef UTILS_OPATTACH_ARCH_ARCH_H
#define UTILS_OPATTACH_ARCH_ARCH_H

#ifdef __x86_64__
#include "utils/opattach/arch/registers_x86_64.h"
#else
#include "utils/opattach/arch/registers_generic.h"
#endif

#endif
