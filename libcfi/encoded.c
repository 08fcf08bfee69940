// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * encoded.c -- reading of numbers in the DW_EH_PE_* encodings of .eh_frame.
 */
#include "libcfi/encoded.h"

enum {
	PE_SIGNED = 0x08,
	PE_RELATIVE = 0x70,
	PE_PCREL = 0x10,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

bool cfi_encoded(struct cfi_bytes *bytes, __u8 encoding, unsigned int word, __u64 address,
		 __u64 *value)
{
	static const __u8 sizes[8] = { 0, 0, 2, 4, 8, 0, 0, 0 };
	unsigned int size = sizes[encoding & 7];
	__u64 got;

	if (encoding & PE_INDIRECT ||
	    ((encoding & PE_RELATIVE) && (encoding & PE_RELATIVE) != PE_PCREL))
		return false;
	if ((encoding & CFI_PE_FORMAT) == 1)
		got = cfi_uleb(bytes);
	else if ((encoding & CFI_PE_FORMAT) == 9)
		got = cfi_sleb(bytes);
	else if (size || !(encoding & 7))
		got = cfi_number(bytes, size ? size : word);
	else
		return false;
	if (encoding & PE_SIGNED && size && size < 8 && got >> (8 * size - 1))
		got |= ~0ULL << 8 * size;
	if (encoding & PE_RELATIVE)
		got += address;
	if (bytes->failed)
		return false;
	*value = word == 4 ? (__u32)got : got;
	return true;
}
