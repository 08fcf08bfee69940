/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack.h -- the stack of the calling thread, as far as it is known to be there.
 */
#ifndef PROBE_STACK_H
#define PROBE_STACK_H

#include <stdint.h>

/* Both stay as they are where nobody knows. Not for handlers: it may allocate. */
void stack_find(uint64_t *low, uint64_t *high);

#endif
