/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h -- encoding of numbers and strings as columns of bytes, private to intervals/.
 *
 * A number is encoded as a varint: 7 bits per byte, low bits first; the top bit is set in each byte
 * except the last.
 */
#ifndef ITV_COLUMNS_H
#define ITV_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A column of bytes that is being written. If an allocation has failed, all further bytes are
 * discarded. */
struct itv_out {
	uint8_t *bytes;		/* the bytes of the column, malloc'd */
	size_t len, room;
	bool failed;
};

void itv_out_release(struct itv_out *out);
void itv_put_bytes(struct itv_out *out, const void *bytes, size_t len);
void itv_put_number(struct itv_out *out, uint64_t number);
/* Append a string to the column: its length as a varint, then its bytes. */
void itv_put_text(struct itv_out *out, const void *text, size_t len);

/* Zigzag coding: map a signed difference to an unsigned number that is small if the difference is
 * near 0. */
static inline uint64_t itv_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

/* Return the signed difference that itv_zigzag() mapped to @number. */
static inline uint64_t itv_unzigzag(uint64_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

/* A column of bytes that is being read. After an error, .failed is set, and all further numbers are
 * 0. */
struct itv_in {
	const uint8_t *at, *end;
	bool failed;
};

uint64_t itv_get_long_number(struct itv_in *in);

static inline uint64_t itv_get_number(struct itv_in *in)
{
	if (in->at < in->end && *in->at < 0x80)
		return *in->at++;
	return itv_get_long_number(in);
}

/* Read a number from the column. If the number is greater than @max, set .failed. */
uint64_t itv_get_limited(struct itv_in *in, uint64_t max);
/* Read the number of items that follow in the column. Set .failed if the column is too short for
 * this number of items of @bytes bytes. An empty column has 0 items. */
uint32_t itv_get_count(struct itv_in *in, size_t bytes);
/* Return a malloc'd, NUL-terminated copy of the next string in the column, and set *@len to its
 * length. Return NULL on an error; set *@nomem if the allocation failed. */
char *itv_get_text(struct itv_in *in, size_t *len, bool *nomem);

/* Return whether all bytes of the column were read without an error. */
static inline bool itv_in_is_done(const struct itv_in *in)
{
	return !in->failed && in->at == in->end;
}

/* Encode and decode little-endian numbers of fixed size, on hosts of either byte order. */
void itv_put_le32(uint8_t *at, uint32_t number);
void itv_put_le64(uint8_t *at, uint64_t number);
uint32_t itv_get_le32(const uint8_t *at);
uint64_t itv_get_le64(const uint8_t *at);

#endif
