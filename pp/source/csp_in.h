/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csp_in.h -- sequential reading of a HPC_CSPROF file from a descriptor or from memory.
 *
 * A number that cannot be read is returned as 0 and sets .err, which stays set: -ENODATA at the end
 * of the file, -EINVAL for impossible values, or the errno of read().
 */
#ifndef PP_SOURCE_CSP_IN_H
#define PP_SOURCE_CSP_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_csp_in {
	int fd;				/* -1: the whole file is in .bytes */
	const unsigned char *bytes;
	/* buffer of PP_CSP_BUFFER bytes, owned by the caller, or NULL */
	unsigned char *buffer;
	size_t at, have;		/* position and number of bytes in .bytes */
	uint64_t before;		/* offset of .bytes in the file */
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
/* Skip @len bytes, which must equal @bytes. */
void pp_csp_expect(struct pp_csp_in *in, const char *bytes, size_t len);
/* Read a string with its tag, which is required, and its length. Return it malloc'd and
 * NUL-terminated, or NULL. It ends at the first NUL. */
char *pp_csp_string(struct pp_csp_in *in, uint32_t len);
char *pp_csp_tagged_string(struct pp_csp_in *in, uint32_t tag);
uint64_t pp_csp_tagged_number(struct pp_csp_in *in, uint32_t tag);
/* Set .err if no error was set before. */
void pp_csp_bad(struct pp_csp_in *in, int err);

#endif
