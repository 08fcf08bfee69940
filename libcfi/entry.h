/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entry.h -- parser of the entries in call frame information. An FDE describes a function; a CIE
 * has the data that several functions share.
 */
#ifndef LIBCFI_ENTRY_H
#define LIBCFI_ENTRY_H

#include <stdbool.h>

#include "libcfi/cfi.h"
#include "libcfi/program.h"

/* An entry that functions share (CIE). */
struct cfi_shared {
	__u8 encoding;	/* encoding of the addresses in the entries, a DW_EH_PE_* value */
	/* the entry of each function contains augmentation data, after a field with the size of
	 * this data */
	__u8 sized;
	struct cfi_factors factors;
	struct cfi_state initial;
};

struct cfi_function {			/* The entry that describes a function (FDE). */
	__u64 from, to;
	struct cfi_bytes program;
	const struct cfi_shared *shared;
};

/* State of an iteration over the entries of a section. .shared: the shared entry (CIE) of the
 * current function. */
struct cfi_entries {
	const struct cfi_section *section;
	struct cfi_bytes left;
	/* number of bytes of shared entries (CIE) that may still be parsed. The limit is needed
	 * because a malicious section may make the parser read one shared entry many times. */
	__u64 work;
	/* number of terminators (entries of length 0) that were read so far */
	unsigned int zeros;
	size_t shared_at;
	int shared_sound;
	struct cfi_shared shared;
};

/* Begin an iteration over the entries of a section. Return 0, -EFBIG if the section is too large,
 * or -EINVAL for an unknown machine. */
int cfi_entries_begin(struct cfi_entries *entries, const struct cfi_section *section);

/* Set *@function to the next function and return 1. Return 0 at the end, or -EFBIG if the
 * section causes much more work than sections that compilers write. */
int cfi_entries_next(struct cfi_entries *entries, struct cfi_function *function);

/* Continue the iteration with the entry at @offset in the section. */
void cfi_entries_seek(struct cfi_entries *entries, size_t offset);

#endif
