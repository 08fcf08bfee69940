// SPDX-License-Identifier: GPL-2.0-or-later
/* csp_in.c -- reading of numbers and strings in HPC_CSPROF files. */
#include "config.h"
#include "pp/source/csp_in.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_STRING	(1u << 20)	/* maximum length of a path or an event's name */

void pp_csp_in_file(struct pp_csp_in *in, int fd, unsigned char *buffer)
{
	*in = (struct pp_csp_in){ .fd = fd, .bytes = buffer, .buffer = buffer };
}

void pp_csp_in_bytes(struct pp_csp_in *in, const unsigned char *bytes, size_t size)
{
	*in = (struct pp_csp_in){ .fd = -1, .bytes = bytes, .have = size };
}

uint64_t pp_csp_offset(const struct pp_csp_in *in)
{
	return in->before + in->at;
}

void pp_csp_bad(struct pp_csp_in *in, int err)
{
	if (!in->err)
		in->err = err;
}

/* Read more bytes when all bytes in the buffer are used. */
static void fill(struct pp_csp_in *in)
{
	ssize_t got = 0;

	if (in->fd >= 0) {
		in->before += in->have;
		in->at = in->have = 0;
		do
			got = read(in->fd, in->buffer, PP_CSP_BUFFER);
		while (got < 0 && errno == EINTR);
	}
	if (got > 0)
		in->have = got;
	else
		pp_csp_bad(in, got ? -errno : -ENODATA);
}

/* Copy the next @len bytes to @to, or skip them if @to is NULL. */
static void read_bytes(struct pp_csp_in *in, unsigned char *to, uint64_t len)
{
	while (len && !in->err) {
		size_t n = in->have - in->at;

		if (!n) {
			fill(in);
			continue;
		}
		if (n > len)
			n = len;
		if (to) {
			memcpy(to, in->bytes + in->at, n);
			to += n;
		}
		in->at += n;
		len -= n;
	}
	if (to)
		memset(to, 0, len);
}

void pp_csp_take(struct pp_csp_in *in, void *to, size_t len)
{
	read_bytes(in, to, len);
}

void pp_csp_skip(struct pp_csp_in *in, uint64_t len)
{
	read_bytes(in, NULL, len);
}

/* Read a number. Fast path without a loop if all its bytes are in the buffer, because files consist
 * mostly of numbers. */
static void read_number(struct pp_csp_in *in, void *to, size_t size)
{
	if (in->err || in->have - in->at < size) {
		read_bytes(in, to, size);
		if (in->err)
			memset(to, 0, size);
		return;
	}
	memcpy(to, in->bytes + in->at, size);
	in->at += size;
}

uint32_t pp_csp_u32(struct pp_csp_in *in)
{
	uint32_t value;

	read_number(in, &value, sizeof(value));
	return in->big_endian ? be32toh(value) : le32toh(value);
}

uint64_t pp_csp_u64(struct pp_csp_in *in)
{
	uint64_t value;

	read_number(in, &value, sizeof(value));
	return in->big_endian ? be64toh(value) : le64toh(value);
}

void pp_csp_expect(struct pp_csp_in *in, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len && !in->err; i++) {
		char byte;

		read_bytes(in, (unsigned char *)&byte, 1);
		if (byte != bytes[i])
			pp_csp_bad(in, -EINVAL);
	}
}

char *pp_csp_string(struct pp_csp_in *in, uint32_t len)
{
	char *text;

	if (len > MAX_STRING)
		pp_csp_bad(in, -EINVAL);
	if (in->err)
		return NULL;
	text = malloc((size_t)len + 1);
	if (!text) {
		pp_csp_bad(in, -ENOMEM);
		return NULL;
	}
	read_bytes(in, (unsigned char *)text, len);
	text[len] = '\0';
	if (!in->err)
		return text;
	free(text);
	return NULL;
}

char *pp_csp_tagged_string(struct pp_csp_in *in, uint32_t tag)
{
	if (pp_csp_u32(in) != tag)
		pp_csp_bad(in, -EINVAL);
	return pp_csp_string(in, pp_csp_u32(in));
}

uint64_t pp_csp_tagged_number(struct pp_csp_in *in, uint32_t tag)
{
	if (pp_csp_u32(in) != tag)
		pp_csp_bad(in, -EINVAL);
	return pp_csp_u64(in);
}
