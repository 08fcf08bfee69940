/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach_state.h -- the state word of a library that opattach(1) has loaded into a process: whether
 * the library accepts calls.
 *
 * opattach reads this word from the process before each call of the library (the collector). It
 * must not call a library that dlopen(3) has mapped but not relocated yet, and two calls must not
 * run at the same time.
 */
#ifndef LIBOP_RAW_ATTACH_STATE_H
#define LIBOP_RAW_ATTACH_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* States of the collector. LOADING is 0, because memory that has not been written yet contains
 * 0. */
enum { RAW_ATTACH_LOADING, RAW_ATTACH_READY, RAW_ATTACH_BUSY };

/* Begin a call. Return false, and change nothing, while the library is being loaded or another call
 * runs. */
static inline bool raw_attach_enter(uint32_t *state)
{
	uint32_t expected = RAW_ATTACH_READY;

	return __atomic_compare_exchange_n(state, &expected, RAW_ATTACH_BUSY, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* End a call, or the loading of the library: the collector is ready again. */
static inline void raw_attach_leave(uint32_t *state)
{
	__atomic_store_n(state, RAW_ATTACH_READY, __ATOMIC_RELEASE);
}

#endif
