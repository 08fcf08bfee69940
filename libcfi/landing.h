/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * landing.h -- detection of code in which stacks cannot be unwound: the end of a function that
 * passes an exception to its handler.
 *
 * Such a function walks the stack, then overwrites the saved registers in its own frame with the
 * registers of the handler's frame; its epilogue restores the overwritten registers. After the
 * overwriting, the frame does not describe its caller. The same is true of the frames of two
 * functions that it calls: one writes the registers, the other is a hook for debuggers.
 */
#ifndef LIBCFI_LANDING_H
#define LIBCFI_LANDING_H

#include <stdbool.h>

#include "libcfi/cfi.h"

/*
 * Return whether the saved registers may have been overwritten at @pc. The row of the function has
 * .installs set (cfi.h), and @code is the code from @pc to the function's end at @to. The
 * function's last call but one overwrites the registers, and one more call may follow the
 * function's end. So return true if fewer than three calls follow @pc. The result is also true for
 * a few instructions before the registers are overwritten.
 */
bool cfi_is_landing(const struct cfi_section *section, const unsigned char *code, __u64 pc,
		    __u64 to);

#endif
