/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.h -- finding the limits of the calling thread's stack.
 */
#ifndef PROBE_STACK_H
#define PROBE_STACK_H

#include <stdint.h>

/* Store the lowest address of the calling thread's stack and its end. Leave both unchanged if they
 * are unknown. Must not be called in signal handlers, because it may allocate. */
void stack_find(uint64_t *low, uint64_t *high);

#endif
