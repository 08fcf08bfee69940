/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entry.h -- the entries of a section: those of functions (FDE), and those that functions share
 * (CIE).
 */
#ifndef LIBCFI_ENTRY_H
#define LIBCFI_ENTRY_H

#include <stdbool.h>

#include "libcfi/cfi.h"
#include "libcfi/program.h"

/* A shared entry (CIE). */
struct cfi_shared {
	__u8 encoding;			/* of addresses, as DW_EH_PE_* */
	/* functions have augmentation data, preceded by its size */
	__u8 sized;
	struct cfi_factors factors;
	struct cfi_state initial;
};

struct cfi_function {			/* an FDE */
	__u64 from, to;
	struct cfi_bytes program;
	const struct cfi_shared *shared;
};

/* The state of a pass over a section. @shared is the shared entry of the last function. */
struct cfi_entries {
	const struct cfi_section *section;
	struct cfi_bytes left;
	/* bytes of shared entries that may still be read, because each may be read many times */
	__u64 work;
	unsigned int zeros;		/* terminators seen */
	size_t shared_at;
	int shared_sound;
	struct cfi_shared shared;
};

/* Begin a pass. Return 0, -EFBIG, or -EINVAL for an unknown machine. */
int cfi_entries_begin(struct cfi_entries *entries, const struct cfi_section *section);

/* Return 1 and the next function, 0 at the end, or -EFBIG if it takes more work than any
 * compiler's section. */
int cfi_entries_next(struct cfi_entries *entries, struct cfi_function *function);

/* Continue with the entry at @offset of the section. */
void cfi_entries_seek(struct cfi_entries *entries, size_t offset);

#endif
