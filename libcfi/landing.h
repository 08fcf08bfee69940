/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * landing.h -- functions that pass an exception to its handler: detection of the code at their end
 * in which no call path is valid.
 *
 * Such a function walks the stack, then overwrites the saved registers in its own frame with the
 * registers of the handler's frame; its epilogue restores them. From then on its frame does not
 * describe its caller, and neither do the frames of the two functions that it calls: one writes the
 * registers, the other is for debuggers.
 */
#ifndef LIBCFI_LANDING_H
#define LIBCFI_LANDING_H

#include <stdbool.h>

#include "libcfi/cfi.h"

/*
 * Return whether the saved registers may have been overwritten at @pc. The function's row has
 * .installs, and @code is the code from @pc to the function's end at @to. The function's last call
 * but one overwrites the registers, and one more call may follow the function's end. So the result
 * is true if fewer than three calls follow @pc. This includes a few instructions before the
 * registers are overwritten.
 */
bool cfi_is_landing(const struct cfi_section *section, const unsigned char *code, __u64 pc,
		    __u64 to);

#endif
