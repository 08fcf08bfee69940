/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h -- the body of an INSERT: rows in ClickHouse's format RowBinary, compressed while they
 * are appended, so that the uncompressed rows are never in memory.
 *
 * The compression also makes an INSERT atomic. If the connection breaks between two rows of an
 * uncompressed body, the server stores the rows that it has received; but it refuses an incomplete
 * stream.
 */
#ifndef OPEXPORT_BYTES_H
#define OPEXPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum export_packing {
	EXPORT_GZIP,
	EXPORT_ZSTD,
};

struct export_packer;

/* A buffer that grows. A struct of zeros is empty. If memory is short, .failed is set and further
 * bytes are ignored, so that a caller needs to check only once. */
struct export_bytes {
	uint8_t *data;
	size_t len, size;
	bool failed;		/* memory was short, so bytes are missing */
	/* NULL: the bytes are not compressed; otherwise .data has compressed bytes */
	struct export_packer *packer;
};

/* Compress all bytes that are appended to the empty @b. Return 0 or -ENOMEM. */
int export_bytes_pack(struct export_bytes *b, enum export_packing packing);
/* Complete the compressed stream. Return 0, or -ENOMEM if bytes are missing. */
int export_bytes_finish(struct export_bytes *b);
/* Return the name of the compression for the header Content-Encoding. */
const char *export_packing_name(enum export_packing packing);

void export_put_u16(struct export_bytes *b, uint16_t value);
void export_put_u32(struct export_bytes *b, uint32_t value);
void export_put_u64(struct export_bytes *b, uint64_t value);
/* Append a time in seconds since 1970 as a DateTime. Replace a time outside the range of DateTime
 * by the nearest time in the range. */
void export_put_time(struct export_bytes *b, int64_t seconds);
/* Append the length of a string in bytes, or the number of elements of an array. The caller appends
 * the bytes or elements. */
void export_put_length(struct export_bytes *b, uint64_t length);
/* Append @len bytes without their length. */
void export_put_bytes(struct export_bytes *b, const void *bytes, size_t len);
void export_put_double(struct export_bytes *b, double value);
void export_put_string(struct export_bytes *b, const char *text);
void export_bytes_release(struct export_bytes *b);

/* Compress @from to the zeroed struct *@ret. Return 0 or -ENOMEM. */
int export_gzip(struct export_bytes *ret, const struct export_bytes *from);

#endif
