/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_info.h -- what an image is told of samples, and what it tells of itself and its symbols.
 */
#ifndef PP_IMAGE_IMAGE_INFO_H
#define PP_IMAGE_IMAGE_INFO_H

#include <stdint.h>
#include <sys/types.h>

#include "libop/session/identity.h"
#include "libop/session/mangle.h"

/* How the samples of one file in an image are to be read, from its header. */
struct pp_image_samples {
	struct op_identity identity;	/* which build of a binary they are of */
	uint64_t mtime;		/* the binary's when profiled; 0: not known */
	/* Of memory without a file: in which process; the file, which is in its session. NULL:
	 * as the image's name says, any session. */
	const struct op_image_name *name;
	const char *path;
	int is_kernel;		/* keys are relative to .text, not to the file */
	int is_linked;		/* keys are addresses as linked */
	uint64_t anon_start;
};

/* What covers an offset. */
#define PP_NO_NAME	UINT32_MAX	/* image without symbols: the image itself */
#define PP_UNCOVERED	(UINT32_MAX - 1)	/* image with symbols, but none there */
#define PP_RAW (UINT32_MAX - 2) /* another file now, or none: only the address is known */

struct pp_symbol_info {
	const char *name;	/* raw; as long as the image is open */
	uint64_t vma, size;
	int is_local;		/* bound to its object file */
};

/* What is known about the binary as a whole. */
enum pp_image_state {
	PP_IMAGE_OK,
	PP_IMAGE_NO_SYMBOLS,
	PP_IMAGE_KEPT,		/* the one profiled is not here, its symbols were kept */
	PP_IMAGE_MISSING,	/* no such file, not readable, not ELF */
	PP_IMAGE_CHANGED,	/* than the one profiled, for the samples begun last */
};

struct pp_image_info {		/* strings live as long as the image is open */
	enum pp_image_state state;
	const char *path;	/* of the binary as found; NULL: not a file */
	const char *symbols;	/* where they are from: ".symtab", ".dynsym", ...; NULL: none */
	const char *symbols_path;	/* the file they were in when it is not .path; or NULL */
	const char *debug_path;	/* file with the line numbers, once one was asked for; or NULL */
	const char *build_id;	/* lower-case hex of the binary as found, or NULL */
	uid_t owner;		/* whose word the names of source files are; PP_NOBODY: not known */
	int has_elf;		/* the rest is known */
	uint16_t machine;	/* EM_* */
	int is64, big_endian;
};

#endif
