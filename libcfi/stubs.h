/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stubs.h -- rows for code that no compiler has described: the linker's stubs, .init and .fini, crtbegin.o's and crti.o's, the entry point.
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
	CFI_STUB_TM_CLONES,		/* crtbegin.o's functions */
	CFI_STUB_DTORS,
	CFI_STUB_THUNK,			/* crti.o's, which tells i386 code where it is */
};

struct cfi_stub {
	__u8 kind;
	/* addresses; @from >= @to: described functions cover all of it */
	__u64 from, to;
};

/* Fills @stubs, and returns how many there are. */
unsigned int cfi_stubs_find(const struct cfi_elf *elf, struct cfi_stub stubs[CFI_MAX_STUBS]);

/* Takes from @stubs what a described function covers. */
void cfi_stubs_covered(struct cfi_stub *stubs, unsigned int nr, __u64 from, __u64 to);

/* Whether the @size bytes at @code, of x86_64, are glibc's __start_context(), to which the function of a makecontext() returns. It
 * exchanges the stack pointer at once, which its rows do not say: no path leads beyond it. */
bool cfi_starts_context(const unsigned char *code, __u64 size);

/* Gives the rows of one stub to @emit, as cfi_compile() does. */
int cfi_stub_rows(const struct cfi_elf *elf, const struct cfi_stub *stub, cfi_emit emit, void *data);

#endif
