// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * columns.c -- encoding of numbers and strings as columns of bytes.
 */
#include "config.h"
#include "intervals/columns.h"

#include <stdlib.h>
#include <string.h>

/* maximum number of bytes that the encoding of a 64-bit number needs */
#define MAX_VARINT	10

void itv_out_release(struct itv_out *out)
{
	free(out->bytes);
	*out = (struct itv_out){ 0 };
}

/* Allocate memory for @more bytes at the end of the column. Return false if the allocation
 * fails. */
static bool make_room(struct itv_out *out, size_t more)
{
	size_t room = out->room + out->room / 2;
	uint8_t *bytes;

	if (out->failed)
		return false;
	if (more <= out->room - out->len)
		return true;
	if (more > SIZE_MAX / 2 - out->len) {
		out->failed = true;
		return false;
	}
	if (room < out->len + more)
		room = out->len + more;
	if (room < 256)
		room = 256;
	bytes = realloc(out->bytes, room);
	if (!bytes) {
		out->failed = true;
		return false;
	}
	out->bytes = bytes;
	out->room = room;
	return true;
}

void itv_put_bytes(struct itv_out *out, const void *bytes, size_t len)
{
	if (len && make_room(out, len)) {
		memcpy(out->bytes + out->len, bytes, len);
		out->len += len;
	}
}

void itv_put_number(struct itv_out *out, uint64_t number)
{
	uint8_t *at;

	if (out->room - out->len < MAX_VARINT && !make_room(out, MAX_VARINT))
		return;
	at = out->bytes + out->len;
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	out->len = (size_t)(at - out->bytes);
}

void itv_put_text(struct itv_out *out, const void *text, size_t len)
{
	itv_put_number(out, len);
	itv_put_bytes(out, text, len);
}

uint64_t itv_get_long_number(struct itv_in *in)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; !in->failed && in->at < in->end && shift < 64; shift += 7) {
		uint8_t byte = *in->at++;

		/* The first nine bytes contain 63 bits of the number, so the tenth byte may contain
		 * only one bit. */
		if (shift == 63 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	in->failed = true;
	in->at = in->end;
	return 0;
}

uint64_t itv_get_limited(struct itv_in *in, uint64_t max)
{
	uint64_t number = itv_get_number(in);

	if (number <= max)
		return number;
	in->failed = true;
	in->at = in->end;
	return 0;
}

uint32_t itv_get_count(struct itv_in *in, size_t bytes)
{
	uint64_t number;

	if (in->at == in->end)
		return 0;
	number = itv_get_limited(in, UINT32_MAX);
	if (number <= (size_t)(in->end - in->at) / bytes)
		return (uint32_t)number;
	in->failed = true;
	in->at = in->end;
	return 0;
}

char *itv_get_text(struct itv_in *in, size_t *len, bool *nomem)
{
	uint64_t number = itv_get_number(in);
	char *text;

	if (in->failed || number > (size_t)(in->end - in->at)) {
		in->failed = true;
		in->at = in->end;
		return NULL;
	}
	text = malloc(number + 1);
	if (!text) {
		*nomem = true;
		return NULL;
	}
	memcpy(text, in->at, number);
	text[number] = '\0';
	in->at += number;
	*len = number;
	return text;
}

void itv_put_le32(uint8_t *at, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(number >> 8 * i);
}

void itv_put_le64(uint8_t *at, uint64_t number)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(number >> 8 * i);
}

uint32_t itv_get_le32(const uint8_t *at)
{
	uint32_t number = 0;

	for (int i = 0; i < 4; i++)
		number |= (uint32_t)at[i] << 8 * i;
	return number;
}

uint64_t itv_get_le64(const uint8_t *at)
{
	uint64_t number = 0;

	for (int i = 0; i < 8; i++)
		number |= (uint64_t)at[i] << 8 * i;
	return number;
}
