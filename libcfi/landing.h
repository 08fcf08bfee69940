/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * landing.h -- code that passes an exception to its handler, in which no path is valid.
 *
 * The function that throws walks the stack, then overwrites the saved registers in its own frame by
 * those of the handler's frame, which its epilogue restores. From then on its frame does not
 * describe its caller, nor do the frames of the two functions that it calls: one that writes the
 * registers, and one for debuggers.
 */
#ifndef LIBCFI_LANDING_H
#define LIBCFI_LANDING_H

#include <stdbool.h>

#include "libcfi/cfi.h"

/*
 * Return whether the registers may have been overwritten at @pc, in a function whose row has
 * .installs. @code is the code from @pc to the function's end at @to. The result is true if fewer
 * than three calls follow @pc: the last call but one writes, and one more call may follow the end.
 * So it is true for some instructions too many.
 */
bool cfi_is_landing(const struct cfi_section *section, const unsigned char *code, __u64 pc,
		    __u64 to);

#endif
