// SPDX-License-Identifier: GPL-2.0-or-later
/* bytes.c -- the format RowBinary, gzip and zstd. */
#include "config.h"
#include "utils/opexport/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define FIRST_SIZE	4096
#define GZIP_LEVEL	4	/* 10 bytes a row; the highest level saves one of them */
#define GZIP_WINDOW	(15 + 16)	/* the largest window, with gzip's header */
#define GZIP_MEMORY	8
#define ZSTD_LEVEL	3
#define ZSTD_WINDOW	19	/* logarithm of 512 KB, which limits the memory */
#define LEAST_ROOM	1024	/* bytes for the next compressed ones */

struct export_packer {
	enum export_packing packing;
	z_stream gzip;
	ZSTD_CCtx *zstd;
};

/* Make room for @len more bytes. Return whether there is room. */
static bool make_room(struct export_bytes *b, size_t len)
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
	return !b->failed;
}

/* Compress a part of the input, and append the result. Return whether the input, or with @is_last
 * the stream, has more. */
static bool pack_gzip(struct export_bytes *b, ZSTD_inBuffer *in, bool is_last)
{
	z_stream *z = &b->packer->gzip;
	const size_t left = in->size - in->pos, most = UINT32_MAX;
	int result;

	z->next_in = (Bytef *)in->src + in->pos;
	z->avail_in = (uInt)(left < most ? left : most);
	z->next_out = b->data + b->len;
	z->avail_out = (uInt)(b->size - b->len < most ? b->size - b->len : most);
	result = deflate(z, is_last && left <= most ? Z_FINISH : Z_NO_FLUSH);
	b->failed = b->failed || result == Z_STREAM_ERROR;
	in->pos = (size_t)(z->next_in - (const Bytef *)in->src);
	b->len = (size_t)(z->next_out - b->data);
	return in->pos < in->size || (is_last && result != Z_STREAM_END);
}

static bool pack_zstd(struct export_bytes *b, ZSTD_inBuffer *in, bool is_last)
{
	ZSTD_outBuffer out = { b->data, b->size, b->len };
	const size_t left = ZSTD_compressStream2(b->packer->zstd, &out, in,
						 is_last ? ZSTD_e_end : ZSTD_e_continue);

	b->failed = b->failed || ZSTD_isError(left);
	b->len = out.pos;
	return in->pos < in->size || (is_last && left);
}

static void pack(struct export_bytes *b, const void *data, size_t len, bool is_last)
{
	ZSTD_inBuffer in = { data, len, 0 };
	bool more = true;

	while (more && !b->failed && make_room(b, LEAST_ROOM))
		more = b->packer->packing == EXPORT_ZSTD ? pack_zstd(b, &in, is_last) :
							   pack_gzip(b, &in, is_last);
}

static void put(struct export_bytes *b, const void *data, size_t len)
{
	if (b->packer && len)
		pack(b, data, len, false);
	if (b->packer || !make_room(b, len))
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void destroy_packer(struct export_packer *packer)
{
	if (!packer)
		return;
	if (packer->packing == EXPORT_GZIP)
		deflateEnd(&packer->gzip);
	ZSTD_freeCCtx(packer->zstd);
	free(packer);
}

int export_bytes_pack(struct export_bytes *b, enum export_packing packing)
{
	struct export_packer *p = calloc(1, sizeof(*p));
	bool is_ready;

	if (!p)
		return -ENOMEM;
	if (packing == EXPORT_ZSTD) {
		p->zstd = ZSTD_createCCtx();
		is_ready = p->zstd &&
			   !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel,
								ZSTD_LEVEL)) &&
			   !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_windowLog,
								ZSTD_WINDOW));
	} else {
		is_ready = deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
					Z_DEFAULT_STRATEGY) == Z_OK;
	}
	p->packing = packing;
	if (!is_ready) {
		ZSTD_freeCCtx(p->zstd);
		free(p);
		return -ENOMEM;
	}
	b->packer = p;
	return 0;
}

int export_bytes_finish(struct export_bytes *b)
{
	if (b->packer)
		pack(b, NULL, 0, true);
	destroy_packer(b->packer);
	b->packer = NULL;
	return b->failed ? -ENOMEM : 0;
}

const char *export_packing_name(enum export_packing packing)
{
	return packing == EXPORT_ZSTD ? "zstd" : "gzip";
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
	destroy_packer(b->packer);
	free(b->data);
	*b = (struct export_bytes){ .data = NULL };
}

int export_gzip(struct export_bytes *ret, const struct export_bytes *from)
{
	struct export_bytes to = { .data = NULL };
	int err = from->failed ? -ENOMEM : export_bytes_pack(&to, EXPORT_GZIP);

	if (!err) {
		put(&to, from->data, from->len);
		err = export_bytes_finish(&to);
	}
	if (err)
		export_bytes_release(&to);
	else
		*ret = to;
	return err;
}
