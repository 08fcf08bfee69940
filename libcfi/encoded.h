/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encoded.h -- reading numbers in the DW_EH_PE_* encodings.
 */
#ifndef LIBCFI_ENCODED_H
#define LIBCFI_ENCODED_H

#include <stdbool.h>

#include "libcfi/bytes.h"

#define CFI_PE_FORMAT	0x0f	/* the bits of an encoding for size and sign */

/*
 * Read a number in @encoding. It has @word bytes if the encoding does not define its length.
 * @address is the number's own address. Return false if it cannot be read, and leave *@value
 * unchanged.
 */
bool cfi_encoded(struct cfi_bytes *bytes, __u8 encoding, unsigned int word, __u64 address,
		 __u64 *value);

#endif
