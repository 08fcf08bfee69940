/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch.h -- includes this machine's header for the registers of a stopped thread, and declares the
 * functions for signal frames.
 */
#ifndef UTILS_OPATTACH_ARCH_ARCH_H
#define UTILS_OPATTACH_ARCH_ARCH_H

#ifdef __x86_64__
#include "utils/opattach/arch/registers_x86_64.h"
#else
#include "utils/opattach/arch/registers_generic.h"
#endif

#endif
