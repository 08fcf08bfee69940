// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jumps.c -- replacements of longjmp() and similar functions, which report that frames will not
 * return.
 */
#include "config.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>

#include "probe/wrap/calls.h"

#define EXPORT	__attribute__((visibility("default")))

typedef void (*jump_fn)(void *env, int value);

/* Use other names for these functions in C, because the C library's headers rename some of them. */
void jump(void *env, int value) __asm__("longjmp");
void jump_plainly(void *env, int value) __asm__("_longjmp");
void jump_with_signals(void *env, int value) __asm__("siglongjmp");
void jump_checked(void *env, int value) __asm__("__longjmp_chk");

/* The real functions of the C library, looked up once per process. Global, because a replacement
 * has only the arguments of the real function. */
static struct {
	jump_fn jump, jump_plainly, jump_with_signals, jump_checked;
} real;

__attribute__((constructor)) static void find_real(void)
{
	*(void **)&real.jump = dlsym(RTLD_NEXT, "longjmp");
	*(void **)&real.jump_plainly = dlsym(RTLD_NEXT, "_longjmp");
	*(void **)&real.jump_with_signals = dlsym(RTLD_NEXT, "siglongjmp");
	*(void **)&real.jump_checked = dlsym(RTLD_NEXT, "__longjmp_chk");
}

#define JUMP(function)				\
do {						\
	opprobe_jumps(env);			\
	if (!real.function)			\
		find_real();			\
	real.function(env, value);		\
	abort();				\
} while (0)

EXPORT void jump(void *env, int value)
{
	JUMP(jump);
}

EXPORT void jump_plainly(void *env, int value)
{
	JUMP(jump_plainly);
}

EXPORT void jump_with_signals(void *env, int value)
{
	JUMP(jump_with_signals);
}

EXPORT void jump_checked(void *env, int value)
{
	JUMP(jump_checked);
}
