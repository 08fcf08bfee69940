/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go.h -- correction of the rows of Go's .debug_frame.
 *
 * Go's compiler does not describe where it saves the frame pointer or where goroutines begin. Go's
 * assembly functions switch stacks without a description. So libcfi derives these facts from the
 * instructions.
 */
#ifndef LIBCFI_GO_H
#define LIBCFI_GO_H

#include <stdbool.h>

#include "libcfi/elf.h"
#include "libcfi/go_functions.h"

/* Return whether the file was linked by Go's linker. */
bool cfi_go_made(const struct cfi_elf *elf);

/* The state of an iteration over the unwind rows of a Go program. The caller sets @functions and
 * @left, and zeroes all other members. */
struct cfi_go {
	/* Go's table of functions; NULL: the table cannot be read, so the iteration treats no
	 * function as outermost */
	const struct cfi_go_functions *functions;
	/* number of bytes of code that may still be decoded; after the limit is reached, rows are
	 * omitted */
	__u64 left;
	bool leaves_stack;	/* the current function may switch to another stack */
	bool is_outermost;	/* Go marks the current function as outermost */
	bool is_mcall;		/* the current function is runtime.mcall */
	/* the current function has saved the caller's frame pointer in the word below the return
	 * address */
	bool sets_fp;
};

/*
 * Emit rows for those parts of @row whose rule is correct, with the location of the saved frame
 * pointer added. Omit code that may run on another stack, and code that calls functions without
 * having a frame. If a goroutine or a stack begins in such code, emit a row that ends call paths.
 * The caller must pass the rows in the order of the section. Return 0 or the result of @emit.
 */
int cfi_go_row(struct cfi_go *go, const struct cfi_elf *elf, const struct cfi_row *row,
	       cfi_emit emit, void *data);

#endif
