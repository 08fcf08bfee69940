/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.h -- selects the target CPU's trampoline.h.
 */
#ifndef PROBE_ARCH_CHOOSE_TRAMPOLINE_H
#define PROBE_ARCH_CHOOSE_TRAMPOLINE_H

#if defined(__x86_64__) && !defined(__ILP32__)
#include "probe/arch/x86_64/trampoline.h"
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__)
#include "probe/arch/aarch64/trampoline.h"
#else
#include "probe/arch/generic/trampoline.h"
#endif

#endif
