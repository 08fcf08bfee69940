/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stubs.h -- rows for code that compilers do not describe: the linker's stubs, .init and .fini,
 * functions of crtbegin.o and crti.o, and the entry point.
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
	CFI_STUB_TM_CLONES,		/* stub: a function of crtbegin.o */
	CFI_STUB_DTORS,
	/* crti.o's function that returns the caller's address to i386 code */
	CFI_STUB_THUNK,
};

struct cfi_stub {
	__u8 kind;
	/* range of the stub's addresses; empty if described functions cover all of the stub */
	__u64 from, to;
};

/* Find the stubs of the ELF file. Fill @stubs and return their number. */
unsigned int cfi_stubs_find(const struct cfi_elf *elf, struct cfi_stub stubs[CFI_MAX_STUBS]);

/* Remove the range of a described function, from @from to @to, from the ranges of @stubs. */
void cfi_stubs_covered(struct cfi_stub *stubs, unsigned int nr, __u64 from, __u64 to);

/*
 * Return whether the @size bytes at @code, of x86_64, are glibc's __start_context(), to which the
 * function of a makecontext() returns. __start_context() changes to another stack at once, which
 * its rows do not describe: call paths end there.
 */
bool cfi_starts_context(const unsigned char *code, __u64 size);

/* Call @emit for the rows of a stub, as cfi_compile() does. Return 0 or the result of @emit. */
int cfi_stub_rows(const struct cfi_elf *elf, const struct cfi_stub *stub, cfi_emit emit,
		  void *data);

#endif
