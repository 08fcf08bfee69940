/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h -- reading numbers from untrusted bytes.
 *
 * A read beyond the end of the bytes sets @failed and returns zeros, and so do all later reads. So
 * a caller may check @failed once, after all reads.
 */
#ifndef LIBCFI_BYTES_H
#define LIBCFI_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct cfi_bytes {
	const unsigned char *at, *end;
	bool failed;
};

static inline size_t cfi_left(const struct cfi_bytes *bytes)
{
	return bytes->end - bytes->at;
}

/* Skip the next @size bytes and return a pointer to them. If fewer bytes are left, set @failed
 * and return NULL. */
static inline const unsigned char *cfi_take(struct cfi_bytes *bytes, __u64 size)
{
	const unsigned char *at = bytes->at;

	if (size > cfi_left(bytes)) {
		bytes->failed = true;
		bytes->at = bytes->end;
		return NULL;
	}
	bytes->at += size;
	return at;
}

/* Read an unsigned number of @size bytes (1, 2, 4 or 8). */
static inline __u64 cfi_number(struct cfi_bytes *bytes, unsigned int size)
{
	const unsigned char *at = cfi_take(bytes, size);
	__u64 value = 0;

	if (at)
		__builtin_memcpy(&value, at, size);
	return value;
}

/* Maximum length of a LEB128 number in bytes; compilers write shorter numbers. The limit bounds
 * the work, because a program of call frame instructions is executed again for each row. */
#define CFI_MAX_LEB	16

/* Read a LEB128 number: seven bits in each byte, the lowest bits first. */
static inline __u64 cfi_leb(struct cfi_bytes *bytes, bool is_signed)
{
	unsigned int shift = 0;
	__u64 value = 0;

	for (int i = 0; i < CFI_MAX_LEB && bytes->at < bytes->end; i++) {
		unsigned char byte = *bytes->at++;

		if (shift < 64)
			value |= (__u64)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
		if (byte & 0x80)
			continue;
		if (is_signed && shift < 64 && (byte & 0x40))
			value |= ~0ULL << shift;
		return value;
	}
	bytes->failed = true;
	return 0;
}

static inline __u64 cfi_uleb(struct cfi_bytes *bytes)
{
	return cfi_leb(bytes, false);
}

static inline __s64 cfi_sleb(struct cfi_bytes *bytes)
{
	return (__s64)cfi_leb(bytes, true);
}

#endif
