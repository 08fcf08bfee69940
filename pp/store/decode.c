// SPDX-License-Identifier: GPL-2.0-or-later
/* decode.c -- the format RowBinary. */
#include "config.h"
#include "pp/store/decode.h"

#include <string.h>

static const char *take(struct store_rows *r, size_t len)
{
	const char *at = r->at;

	if (r->is_bad || (size_t)(r->end - r->at) < len) {
		r->is_bad = true;
		return NULL;
	}
	r->at += len;
	return at;
}

/* Return an unsigned number of @size bytes, the lowest first. */
static uint64_t number(struct store_rows *r, size_t size)
{
	const unsigned char *at = (const unsigned char *)take(r, size);
	uint64_t value = 0;

	for (size_t i = 0; at && i < size; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

uint32_t store_u32(struct store_rows *r)
{
	return (uint32_t)number(r, 4);
}

uint64_t store_u64(struct store_rows *r)
{
	return number(r, 8);
}

double store_double(struct store_rows *r)
{
	uint64_t bits = number(r, 8);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Return a number of 7 bits a byte, the lowest first, that is at most @max. */
static uint32_t varint(struct store_rows *r, uint32_t max)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 35; shift += 7) {
		const unsigned char *at = (const unsigned char *)take(r, 1);

		if (!at)
			return 0;
		value |= (uint64_t)(*at & 0x7f) << shift;
		if (*at & 0x80)
			continue;
		if (value <= max)
			return (uint32_t)value;
		break;
	}
	r->is_bad = true;
	return 0;
}

uint32_t store_nr_elements(struct store_rows *r)
{
	return varint(r, STORE_MAX_ELEMENTS);
}

const char *store_bytes(struct store_rows *r, size_t *len)
{
	const size_t n = varint(r, STORE_MAX_STRING);
	const char *at = take(r, n);

	*len = at ? n : 0;
	return at ? at : "";
}

void store_string(struct store_rows *r, char *buf, size_t size)
{
	size_t len;
	const char *at = store_bytes(r, &len);

	if (len >= size)
		len = size - 1;
	memcpy(buf, at, len);
	buf[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (!buf[i])
			buf[i] = '?';
}

bool store_next_row(struct store_rows *r)
{
	if (r->is_bad || r->at == r->end)
		return false;
	r->is_bad |= store_u32(r) != STORE_MARK;
	return !r->is_bad;
}
