/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.S -- selects the target CPU's syscall.S.
 */
#if defined(__x86_64__) && !defined(__ILP32__)
#include "probe/arch/x86_64/syscall.S"
#elif defined(__aarch64__) && defined(__LP64__)
#include "probe/arch/aarch64/syscall.S"
#else
#include "probe/arch/generic/syscall.S"
#endif
