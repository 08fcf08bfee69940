/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trampoline.S -- selects the target CPU's trampoline.S.
 */
#if defined(__x86_64__) && !defined(__ILP32__)
#include "probe/arch/x86_64/trampoline.S"
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__)
#include "probe/arch/aarch64/trampoline.S"
#else
#include "probe/arch/generic/trampoline.S"
#endif
