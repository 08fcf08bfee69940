/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csp_in.h -- the bytes of a HPC_CSPROF file, one after the other, from a descriptor or from memory.
 *
 * What cannot be read is 0 and sets .err, which stays: -ENODATA the file ends, -EINVAL it says what cannot be, or errno.
 */
#ifndef PP_SOURCE_CSP_IN_H
#define PP_SOURCE_CSP_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_csp_in {
	int fd;				/* -1: all is in .bytes */
	const unsigned char *bytes;
	unsigned char *buffer;		/* the caller's, PP_CSP_BUFFER bytes; NULL: none */
	size_t at, have;		/* in .bytes */
	uint64_t before;		/* bytes of the file in front of these */
	bool big_endian;
	int err;
};

#define PP_CSP_BUFFER	65536

void pp_csp_in_file(struct pp_csp_in *in, int fd, unsigned char *buffer);
void pp_csp_in_bytes(struct pp_csp_in *in, const unsigned char *bytes, size_t size);

uint64_t pp_csp_offset(const struct pp_csp_in *in);
void pp_csp_take(struct pp_csp_in *in, void *to, size_t len);
void pp_csp_skip(struct pp_csp_in *in, uint64_t len);
uint32_t pp_csp_u32(struct pp_csp_in *in);
uint64_t pp_csp_u64(struct pp_csp_in *in);
/* The next @len bytes must be these. */
void pp_csp_expect(struct pp_csp_in *in, const char *bytes, size_t len);
/* A tag that must be, and a string with its length, NUL behind it: malloc'd, or NULL. One with a NUL in it ends there. */
char *pp_csp_string(struct pp_csp_in *in, uint32_t len);
char *pp_csp_tagged_string(struct pp_csp_in *in, uint32_t tag);
uint64_t pp_csp_tagged_number(struct pp_csp_in *in, uint32_t tag);
/* Notes the first error. */
void pp_csp_bad(struct pp_csp_in *in, int err);

#endif
