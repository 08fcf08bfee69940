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
	CFI_STUB_TM_CLONES,		/* a function of crtbegin.o */
	CFI_STUB_DTORS,
	/* crti.o's function by which i386 code gets its own address */
	CFI_STUB_THUNK,
};

struct cfi_stub {
	__u8 kind;
	/* range of the stub's addresses; empty if all of it has rows */
	__u64 from, to;
};

/* Find the stubs of the ELF file. Fill @stubs and return their number. */
unsigned int cfi_stubs_find(const struct cfi_elf *elf, struct cfi_stub stubs[CFI_MAX_STUBS]);

/* The file has rows for the range from @from to @to: remove the range from @stubs. */
void cfi_stubs_covered(struct cfi_stub *stubs, unsigned int nr, __u64 from, __u64 to);

/*
 * Return whether the @size bytes of x86_64 code at @code are glibc's __start_context(). The
 * function of a makecontext() returns to it. It switches to another stack at once, which its rows
 * do not describe, so call paths end there.
 */
bool cfi_starts_context(const unsigned char *code, __u64 size);

/* Call @emit for each row of a stub, as cfi_compile() does. Return 0 or the result of @emit. */
int cfi_stub_rows(const struct cfi_elf *elf, const struct cfi_stub *stub, cfi_emit emit,
		  void *data);

#endif
