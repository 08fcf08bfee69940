/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stubs.h -- unwind rows for code that compilers do not describe: the linker's stubs, .init and
 * .fini, functions of crtbegin.o and crti.o, and the entry point.
 */
#ifndef LIBCFI_STUBS_H
#define LIBCFI_STUBS_H

#include <stdbool.h>

#include "libcfi/elf.h"

#define CFI_MAX_STUBS	17

enum cfi_stub_kind {
	CFI_STUB_ENTRY,
	CFI_STUB_PLT,
	CFI_STUB_INIT,
	CFI_STUB_TM_CLONES,		/* the stub is a function of crtbegin.o */
	CFI_STUB_DTORS,
	/* crti.o's function by which i386 code gets its own address */
	CFI_STUB_THUNK,
};

struct cfi_stub {
	__u8 kind;
	/* range of addresses of the stub; empty if the call frame information describes the whole
	 * stub */
	__u64 from, to;
};

/* Find the stubs of the ELF file. Fill @stubs and return their number. */
unsigned int cfi_stubs_find(const struct cfi_elf *elf, struct cfi_stub stubs[CFI_MAX_STUBS]);

/* Remove the addresses from @from to @to from @stubs, because the call frame information describes
 * them. */
void cfi_stubs_covered(struct cfi_stub *stubs, unsigned int nr, __u64 from, __u64 to);

/*
 * Return whether the @size bytes of x86_64 code at @code are glibc's __start_context(). The start
 * function of makecontext(3) returns to __start_context(), which switches to another stack at once.
 * The rows of __start_context() do not describe the switch, so call paths end there.
 */
bool cfi_starts_context(const unsigned char *code, __u64 size);

/* Call @emit for each row of a stub, in ascending order. Return 0 or the result of @emit. */
int cfi_stub_rows(const struct cfi_elf *elf, const struct cfi_stub *stub, cfi_emit emit,
		  void *data);

#endif
