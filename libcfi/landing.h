/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * landing.h -- where an exception is about to go on in the frame that catches it: no path is true there.
 *
 * Who throws walks the stack and then writes the registers of the frame that catches over those of its own caller, in its own
 * frame, from where its epilogue takes them. From then on until it is left, its frame tells of another one's registers.
 * So do the two functions that it calls meanwhile: the one that writes, and one that is there for debuggers.
 */
#ifndef LIBCFI_LANDING_H
#define LIBCFI_LANDING_H

#include <stdbool.h>

#include "libcfi/cfi.h"

/*
 * Whether that may have begun at @pc, in a function whose row says .installs; @code is what lies at @pc, up to the end of the
 * function at @to. It has begun where less than three calls are behind @pc: what writes is the last call but one, and one more may
 * stand behind the end. That is said of some instructions more than it is true for.
 */
bool cfi_is_landing(const struct cfi_section *section, const unsigned char *code, __u64 pc, __u64 to);

#endif
