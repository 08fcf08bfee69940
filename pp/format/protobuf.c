// SPDX-License-Identifier: GPL-2.0-or-later
/* protobuf.c -- encodes messages as protocol buffers, and compresses output. */
#include "config.h"
#include "pp/format/protobuf.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2 };

#define MAX_VARINT	10	/* maximum length of an encoded 64-bit number, in bytes */

static uint8_t *room(struct pp_message *m, size_t want)
{
	size_t size = m->size ? m->size : 256;
	uint8_t *bytes;

	if (m->failed)
		return NULL;
	while (size - m->nr < want)
		size *= 2;
	if (size == m->size)
		return m->bytes + m->nr;
	bytes = realloc(m->bytes, size);
	if (!bytes) {
		m->failed = 1;
		return NULL;
	}
	m->bytes = bytes;
	m->size = size;
	return bytes + m->nr;
}

static void add_varint(struct pp_message *m, uint64_t value)
{
	uint8_t *at = room(m, MAX_VARINT);

	if (!at)
		return;
	for (; value >= 0x80; value >>= 7)
		*at++ = 0x80 | (value & 0x7f);
	*at++ = value;
	m->nr = at - m->bytes;
}

static unsigned int varint_size(uint64_t value)
{
	unsigned int n = 1;

	for (; value >= 0x80; value >>= 7)
		n++;
	return n;
}

void pp_message_clear(struct pp_message *m)
{
	m->nr = 0;
}

void pp_message_release(struct pp_message *m)
{
	free(m->bytes);
	*m = (struct pp_message){ 0 };
}

void pp_message_add_uint(struct pp_message *m, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	add_varint(m, field << 3 | WIRE_VARINT);
	add_varint(m, value);
}

void pp_message_add_bytes(struct pp_message *m, unsigned int field, const void *data, size_t len)
{
	uint8_t *at;

	add_varint(m, field << 3 | WIRE_LENGTH);
	add_varint(m, len);
	at = room(m, len);
	if (!at || !len)
		return;
	memcpy(at, data, len);
	m->nr += len;
}

void pp_message_add_fixed64(struct pp_message *m, unsigned int field, uint64_t value)
{
	uint8_t *at;

	if (!value)
		return;
	add_varint(m, field << 3 | WIRE_FIXED64);
	at = room(m, sizeof(value));
	if (!at)
		return;
	for (unsigned int i = 0; i < sizeof(value); i++)
		at[i] = (uint8_t)(value >> 8 * i);
	m->nr += sizeof(value);
}

void pp_message_add_string(struct pp_message *m, unsigned int field, const char *text)
{
	pp_message_add_bytes(m, field, text, strlen(text));
}

void pp_message_add_packed(struct pp_message *m, unsigned int field, const uint64_t *values,
			   size_t nr)
{
	size_t len = 0;

	for (size_t i = 0; i < nr; i++)
		len += varint_size(values[i]);
	add_varint(m, field << 3 | WIRE_LENGTH);
	add_varint(m, len);
	for (size_t i = 0; i < nr; i++)
		add_varint(m, values[i]);
}

void pp_message_append(struct pp_message *m, const struct pp_message *from)
{
	uint8_t *at = room(m, from->nr);

	if (from->failed)
		m->failed = 1;
	if (!at || !from->nr)
		return;
	memcpy(at, from->bytes, from->nr);
	m->nr += from->nr;
}

void pp_message_add_message(struct pp_message *m, unsigned int field,
			    const struct pp_message *inside)
{
	if (inside->failed)
		m->failed = 1;
	pp_message_add_bytes(m, field, inside->bytes, inside->nr);
}

/* Compression of the output by zlib, with a gzip header. */

/* value to add to the window bits of deflateInit2() for a gzip header */
#define GZIP_HEADER	16

struct pp_gzip {
	FILE *out;
	z_stream z;
	unsigned char buf[65536];
};

struct pp_gzip *pp_gzip_open(FILE *out)
{
	struct pp_gzip *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->out = out;
	if (deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
		return gzip;
	free(gzip);
	return NULL;
}

static void run(struct pp_gzip *gzip, int flush)
{
	do {
		gzip->z.next_out = gzip->buf;
		gzip->z.avail_out = sizeof(gzip->buf);
		/* deflate() cannot fail, because the state is valid and the output buffer has
		 * space. */
		deflate(&gzip->z, flush);
		fwrite(gzip->buf, 1, sizeof(gzip->buf) - gzip->z.avail_out, gzip->out);
	} while (!gzip->z.avail_out);
}

void pp_gzip_write(struct pp_gzip *gzip, const void *data, size_t len)
{
	gzip->z.next_in = (unsigned char *)data;
	gzip->z.avail_in = len;
	run(gzip, Z_NO_FLUSH);
}

void pp_gzip_close(struct pp_gzip *gzip)
{
	if (!gzip)
		return;
	gzip->z.avail_in = 0;
	run(gzip, Z_FINISH);
	deflateEnd(&gzip->z);
	free(gzip);
}
