/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker_stubs.h -- the trampoline's stubs (marker.h), and the return addresses that they replace.
 */
#ifndef PROBE_CORE_MARKER_STUBS_H
#define PROBE_CORE_MARKER_STUBS_H

#include <stdint.h>

#include "probe/arch/trampoline.h"

#if ARCH_HAS_TRAMPOLINE
extern char marker_stubs[], marker_slots[], marker_called[], marker_trampoline_end[];

/* The function that the trampoline calls when a marked frame has returned. @sp: the caller's stack
 * pointer. Set by marker_begin(). */
extern void (*marker_handler)(uint64_t sp);

/* Return the real return address if @address is in a stub of the trampoline; otherwise @address. */
static inline uint64_t marker_real(uint64_t address)
{
	uint64_t offset = address - (uintptr_t)marker_stubs - ARCH_STUB_ENTRY, to;

	if (offset >= ARCH_STUBS_SIZE)
		return address;
	to = __atomic_load_n((uint64_t *)(marker_slots + offset / ARCH_STUB_SIZE * ARCH_STUB_SIZE),
			     __ATOMIC_RELAXED);
	return to ? to : address;
}

#else
static inline uint64_t marker_real(uint64_t address)
{
	return address;
}
#endif

#endif
