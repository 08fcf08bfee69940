/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encoded.h -- numbers that are written as one of the DW_EH_PE_* encodings says.
 */
#ifndef LIBCFI_ENCODED_H
#define LIBCFI_ENCODED_H

#include <stdbool.h>

#include "libcfi/bytes.h"

#define CFI_PE_FORMAT	0x0f	/* the part of an encoding that tells size and sign */

/*
 * Reads a number as @encoding says, @word bytes long where the encoding leaves the length open; @address is where the
 * number stands. False when it cannot be read; the number it would have is then not stored.
 */
bool cfi_encoded(struct cfi_bytes *bytes, __u8 encoding, unsigned int word, __u64 address, __u64 *value);

#endif
