/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- selects the target CPU's call.h.
 */
#ifndef PROBE_ARCH_CHOOSE_CALL_H
#define PROBE_ARCH_CHOOSE_CALL_H

#if defined(__x86_64__) && !defined(__ILP32__)
#include "probe/arch/x86_64/call.h"
#elif defined(__aarch64__) && !defined(__ILP32__)
#include "probe/arch/aarch64/call.h"
#elif defined(__i386__)
#include "probe/arch/i386/call.h"
#else
#include "probe/arch/generic/call.h"
#endif

#endif
