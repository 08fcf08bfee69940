/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h -- selects the target CPU's context.h.
 */
#ifndef PROBE_ARCH_CHOOSE_CONTEXT_H
#define PROBE_ARCH_CHOOSE_CONTEXT_H

#if defined(__x86_64__) && !defined(__ILP32__)
#include "probe/arch/x86_64/context.h"
#elif defined(__aarch64__) && !defined(__ILP32__)
#include "probe/arch/aarch64/context.h"
#elif defined(__i386__)
#include "probe/arch/i386/context.h"
#else
#include "probe/arch/generic/context.h"
#endif

#endif
