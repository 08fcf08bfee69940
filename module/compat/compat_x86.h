/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/compat_x86.h -- compatibility with older kernels on x86.
 */
#ifndef OPROFILE_COMPAT_X86_H
#define OPROFILE_COMPAT_X86_H

#include <asm/msr.h>
#include <asm/processor.h>
#ifdef OPROFILE_HAVE_CPUID_API
#include <asm/cpuid/api.h>
#endif

#ifndef OPROFILE_HAVE_RDMSRQ
#define rdmsrq		rdmsrl
#define rdmsrq_safe	rdmsrl_safe
#define wrmsrq		wrmsrl
#define wrmsrq_safe	wrmsrl_safe
#endif

#endif
