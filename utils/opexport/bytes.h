/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h -- the body of an INSERT: rows in ClickHouse's format RowBinary, compressed by gzip.
 *
 * Compression is needed for correctness, too: if the connection breaks between two rows, the server
 * stores the rows so far of a body that is not compressed, and refuses an incomplete gzip stream.
 */
#ifndef OPEXPORT_BYTES_H
#define OPEXPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow. A struct of zeros is empty. After a failure, .failed is set and further bytes
 * are ignored, so that a caller checks once. */
struct export_bytes {
	uint8_t *data;
	size_t len, size;
	bool failed;		/* memory was short */
};

void export_put_u16(struct export_bytes *b, uint16_t value);
void export_put_u32(struct export_bytes *b, uint32_t value);
void export_put_u64(struct export_bytes *b, uint64_t value);
/* Append a time in seconds since 1970 as a DateTime. A time that it cannot express becomes the
 * nearest that it can. */
void export_put_time(struct export_bytes *b, int64_t seconds);
/* Append the number of the bytes of a string, or of the elements of an array, which follow. */
void export_put_length(struct export_bytes *b, uint64_t length);
void export_put_string(struct export_bytes *b, const char *text);
void export_bytes_release(struct export_bytes *b);

/* Compress @from to the zeroed struct *@ret. Return 0 or -ENOMEM. */
int export_gzip(struct export_bytes *ret, const struct export_bytes *from);

#endif
