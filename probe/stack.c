// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack.c -- finding the limits of the calling thread's stack.
 */
#include "config.h"
#include "probe/stack.h"

#include <pthread.h>

#include "probe/linux/calls.h"

extern void *__libc_stack_end;

void stack_find(uint64_t *low, uint64_t *high)
{
	pthread_attr_t attr;
	size_t size;
	void *at;

	if (call_getpid() == arch_call(SYS_gettid, 0, 0, 0, 0, 0, 0)) {
		*low = (uintptr_t)__builtin_frame_address(0) & ~(uint64_t)4095;
		*high = (uintptr_t)__libc_stack_end;
	} else if (!pthread_getattr_np(pthread_self(), &attr)) {
		if (!pthread_attr_getstack(&attr, &at, &size)) {
			*low = (uintptr_t)at;
			*high = *low + size;
		}
		pthread_attr_destroy(&attr);
	}
}
