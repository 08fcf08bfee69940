/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker_code.h -- code that markers (marker.h) treat specially. First, the stubs of the
 * trampoline, with the return addresses that the stubs replace. Second, functions that read return
 * addresses: their frames are never marked.
 *
 * setjmp(), vfork() and similar functions save their own return address. dlopen(), dlsym() and
 * functions of the dynamic loader identify their caller by the return address. The exception
 * unwinder reads the return addresses of all frames. While such a function is active, no frame
 * outside of it is marked.
 */
#ifndef PROBE_CORE_MARKER_CODE_H
#define PROBE_CORE_MARKER_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/arch/trampoline.h"

#define MARKER_CODE_RANGES	32

struct marker_code {
	struct { uint64_t start, end; } ranges[MARKER_CODE_RANGES];
	uint32_t nr;
};

/* Written only by marker_code_find(), before the first marker is placed. */
extern struct marker_code marker_code;

/* Find the functions that read return addresses. Return 0; or -EPERM if frames of this program must
 * not be marked, because it contains gprof code, has its own unwinder, or was started without the
 * library that replaces the unwinder. */
int marker_code_find(void);

/* Return whether a frame at @pc must never be marked. Inline, because marker_returned() may only
 * call functions that are compiled without vector registers. */
static inline bool marker_is_never(uint64_t pc)
{
	for (uint32_t i = 0; i < marker_code.nr; i++)
		if (pc >= marker_code.ranges[i].start && pc < marker_code.ranges[i].end)
			return true;
	return false;
}

#if ARCH_HAS_TRAMPOLINE
extern char marker_stubs[], marker_slots[], marker_called[], marker_trampoline_end[];

/* Called by the trampoline when a marked frame has returned. @sp: the caller's stack pointer. Set
 * by marker_begin(). */
extern void (*marker_handler)(uint64_t sp);

/* If @address is in a stub of the trampoline, return the return address that the stub replaces,
 * otherwise return @address. */
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
