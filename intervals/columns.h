/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h -- columns of numbers and texts as bytes, private to intervals/.
 *
 * A number is a varint: 7 bits a byte, low bits first, the top bit set in each byte but the last.
 */
#ifndef ITV_COLUMNS_H
#define ITV_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A column to write. After a failed allocation all further bytes are discarded. */
struct itv_out {
	uint8_t *bytes;		/* malloc'd */
	size_t len, room;
	bool failed;
};

void itv_out_release(struct itv_out *out);
void itv_put_bytes(struct itv_out *out, const void *bytes, size_t len);
void itv_put_number(struct itv_out *out, uint64_t number);
/* Write the length of the text, then its bytes. */
void itv_put_text(struct itv_out *out, const void *text, size_t len);

/* Map a signed difference to a number that is small if the difference is near 0, and back. */
static inline uint64_t itv_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t itv_unzigzag(uint64_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

/* A column to read. After an error, .failed is set and all further numbers are 0. */
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

/* Read a number. A number above @max is an error. */
uint64_t itv_get_limited(struct itv_in *in, uint64_t max);
/* Read the number of items that follow, each of at least @bytes bytes. An empty column has no
 * items. */
uint32_t itv_get_count(struct itv_in *in, size_t bytes);
/* Return a malloc'd copy of a text with a NUL after it, and set *@len. NULL: an error, or no
 * memory, which sets *@nomem. */
char *itv_get_text(struct itv_in *in, size_t *len, bool *nomem);

/* Return whether all bytes were read without an error. */
static inline bool itv_in_is_done(const struct itv_in *in)
{
	return !in->failed && in->at == in->end;
}

/* Numbers of the fixed fields, little-endian on each machine. */
void itv_put_le32(uint8_t *at, uint32_t number);
void itv_put_le64(uint8_t *at, uint64_t number);
uint32_t itv_get_le32(const uint8_t *at);
uint64_t itv_get_le64(const uint8_t *at);

#endif
