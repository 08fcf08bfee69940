/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encoded.h -- reading of numbers in the DW_EH_PE_* encodings of .eh_frame.
 */
#ifndef LIBCFI_ENCODED_H
#define LIBCFI_ENCODED_H

#include <stdbool.h>

#include "libcfi/bytes.h"

#define CFI_PE_FORMAT	0x0f	/* mask of the bits of an encoding that define size and sign */

/*
 * Read a number in the encoding @encoding into *@value. @word: size in bytes of a number whose
 * encoding does not define the size. @address: address of the encoded number itself. Return false
 * if the number cannot be read; *@value is then unchanged.
 */
bool cfi_encoded(struct cfi_bytes *bytes, __u8 encoding, unsigned int word, __u64 address,
		 __u64 *value);

#endif
