/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go.h -- the rows of Go's .debug_frame that are true.
 *
 * Go's compiler does not describe where the frame pointer is saved, nor where goroutines begin, and its assembly functions change
 * stacks without a word. The code shows all of that.
 */
#ifndef LIBCFI_GO_H
#define LIBCFI_GO_H

#include <stdbool.h>

#include "libcfi/elf.h"

/* Return whether Go's linker made the file. */
bool cfi_go_made(const struct cfi_elf *elf);

/* What is known of the function whose rows are gone through; zeroed at first. */
struct cfi_go {
	bool leaves_stack;	/* it may change to another stack */
	bool sets_fp;		/* its frame has the caller's frame pointer below the return address */
};

/*
 * Call @emit for the parts of @row that are true: with the frame pointer where it is saved, and an end where a goroutine
 * begins. Code that may change to another stack, or that calls without a frame, gets no row. Rows come in the order of the
 * section. Return 0 or what @emit returned.
 */
int cfi_go_row(struct cfi_go *go, const struct cfi_elf *elf, const struct cfi_row *row, cfi_emit emit, void *data);

#endif
