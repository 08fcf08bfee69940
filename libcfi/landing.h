/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * landing.h -- functions that pass an exception to its handler: the part of their code in which no
 * call path is valid.
 *
 * The function that passes an exception walks the stack, then overwrites the saved registers in its
 * own frame by the registers of the handler's frame, which its epilogue restores. From then on its
 * frame does not describe its caller, and neither do the frames of the two functions that it calls:
 * one writes the registers, the other is for debuggers.
 */
#ifndef LIBCFI_LANDING_H
#define LIBCFI_LANDING_H

#include <stdbool.h>

#include "libcfi/cfi.h"

/*
 * Return whether the saved registers may have been overwritten at @pc, in a function whose row has
 * .installs. @code is the code from @pc to the function's end at @to. The last call but one of the
 * function overwrites the registers, and one more call may follow the function's end. So the result
 * is true if fewer than three calls follow @pc, which includes a few instructions before the
 * registers are overwritten.
 */
bool cfi_is_landing(const struct cfi_section *section, const unsigned char *code, __u64 pc,
		    __u64 to);

#endif
