// SPDX-License-Identifier: GPL-2.0-or-later
/* bytes.c -- the format RowBinary, and gzip. */
#include "config.h"
#include "utils/opexport/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define FIRST_SIZE	4096
#define GZIP_LEVEL	4	/* 10 bytes a row; the highest level saves one of them */
#define GZIP_WINDOW	(15 + 16)	/* the largest window, with gzip's header */
#define GZIP_MEMORY	8

static void put(struct export_bytes *b, const void *data, size_t len)
{
	size_t size = b->size ? b->size : FIRST_SIZE;
	uint8_t *grown;

	while (size - b->len < len)
		size *= 2;
	if (size != b->size && !b->failed) {
		grown = realloc(b->data, size);
		b->failed = !grown;
		if (grown) {
			b->data = grown;
			b->size = size;
		}
	}
	if (b->failed)
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

/* Append the low @nr bytes of @value, the lowest first. */
static void put_number(struct export_bytes *b, uint64_t value, unsigned int nr)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < nr; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	put(b, bytes, nr);
}

void export_put_u16(struct export_bytes *b, uint16_t value)
{
	put_number(b, value, 2);
}

void export_put_u32(struct export_bytes *b, uint32_t value)
{
	put_number(b, value, 4);
}

void export_put_u64(struct export_bytes *b, uint64_t value)
{
	put_number(b, value, 8);
}

void export_put_bytes(struct export_bytes *b, const void *bytes, size_t len)
{
	put(b, bytes, len);
}

void export_put_double(struct export_bytes *b, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	export_put_u64(b, bits);
}

void export_put_time(struct export_bytes *b, int64_t seconds)
{
	export_put_u32(b, seconds < 0 ? 0 : seconds > UINT32_MAX ? UINT32_MAX : (uint32_t)seconds);
}

void export_put_length(struct export_bytes *b, uint64_t length)
{
	while (length >= 0x80) {
		put_number(b, (length & 0x7f) | 0x80, 1);
		length >>= 7;
	}
	put_number(b, length, 1);
}

void export_put_string(struct export_bytes *b, const char *text)
{
	const size_t len = strlen(text);

	export_put_length(b, len);
	put(b, text, len);
}

void export_bytes_release(struct export_bytes *b)
{
	free(b->data);
	*b = (struct export_bytes){ .data = NULL };
}

int export_gzip(struct export_bytes *ret, const struct export_bytes *from)
{
	z_stream z = { .next_in = from->data, .avail_in = (uInt)from->len };
	struct export_bytes to = { .data = NULL };

	if (from->failed || from->len > UINT32_MAX ||
	    deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	to.size = deflateBound(&z, from->len);
	to.data = malloc(to.size);
	z.next_out = to.data;
	z.avail_out = (uInt)to.size;
	if (to.data && deflate(&z, Z_FINISH) == Z_STREAM_END)
		to.len = z.total_out;
	deflateEnd(&z);
	if (!to.len) {
		free(to.data);
		return -ENOMEM;
	}
	*ret = to;
	return 0;
}
