/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.h -- the known limits of the calling thread's stack.
 */
#ifndef PROBE_STACK_H
#define PROBE_STACK_H

#include <stdint.h>

/* Store the limits; leave both unchanged if they are unknown. Not for handlers: this may
 * allocate. */
void stack_find(uint64_t *low, uint64_t *high);

#endif
