/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entry.h -- entries of a section of call frame information: entries of functions (FDE), and
 * entries that several functions share (CIE).
 */
#ifndef LIBCFI_ENTRY_H
#define LIBCFI_ENTRY_H

#include <stdbool.h>

#include "libcfi/cfi.h"
#include "libcfi/program.h"

/* An entry that functions share (CIE). */
struct cfi_shared {
	__u8 encoding;			/* encoding of addresses, a DW_EH_PE_* value */
	/* the entries of functions contain augmentation data, and its size before it */
	__u8 sized;
	struct cfi_factors factors;
	struct cfi_state initial;
};

struct cfi_function {			/* The entry that describes a function (FDE). */
	__u64 from, to;
	struct cfi_bytes program;
	const struct cfi_shared *shared;
};

/* The state of a pass over the entries of a section. .shared is the shared entry of the last
 * function. */
struct cfi_entries {
	const struct cfi_section *section;
	struct cfi_bytes left;
	/* number of bytes of shared entries that may still be read; a limit, because each shared
	 * entry may be read many times */
	__u64 work;
	/* number of terminators (entries of length 0) that were read */
	unsigned int zeros;
	size_t shared_at;
	int shared_sound;
	struct cfi_shared shared;
};

/* Begin a pass over the entries of a section. Return 0, -EFBIG if the section is too large, or
 * -EINVAL for an unknown machine. */
int cfi_entries_begin(struct cfi_entries *entries, const struct cfi_section *section);

/* Return 1 and set *@function to the next function, 0 at the end, or -EFBIG if the section takes
 * more work than the section of any compiler. */
int cfi_entries_next(struct cfi_entries *entries, struct cfi_function *function);

/* Continue the pass with the entry at @offset in the section. */
void cfi_entries_seek(struct cfi_entries *entries, size_t offset);

#endif
