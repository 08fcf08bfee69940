/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch.h -- registers of a stopped thread, and what lets it return by itself from a call that it never made: this machine's.
 */
#ifndef UTILS_OPATTACH_ARCH_ARCH_H
#define UTILS_OPATTACH_ARCH_ARCH_H

#ifdef __x86_64__
#include "utils/opattach/arch/registers_x86_64.h"
#else
#include "utils/opattach/arch/registers_generic.h"
#endif

#endif
