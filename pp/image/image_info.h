/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_info.h -- the properties of samples in an image, and of images and their symbols.
 */
#ifndef PP_IMAGE_IMAGE_INFO_H
#define PP_IMAGE_IMAGE_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/session/identity.h"
#include "libop/session/mangle.h"

/* Properties of the samples of one file, from its header. */
struct pp_image_samples {
	struct op_identity identity;	/* identity of the binary's build */
	/* modification time that the binary had when it was profiled; 0: unknown */
	uint64_t mtime;
	/* Only for samples in memory without a file: the name of the memory, with its process.
	 * NULL: use the name of the image. */
	const struct op_image_name *name;
	/* Only for samples in the kernel and in memory without a file: path of the sample file, by
	 * which the session is found. NULL: any session. */
	const char *path;
	bool is_kernel;		/* sample keys are relative to .text, not to the file */
	bool is_linked;		/* sample keys are link addresses */
	uint64_t anon_start;
};

/* Results of a look-up of an offset, in addition to symbol numbers. */
#define PP_NO_NAME	UINT32_MAX	/* value for an image that has no symbols */
/* the image has symbols, but no symbol covers the offset */
#define PP_UNCOVERED	(UINT32_MAX - 1)
/* the binary was changed or is missing, so only the address is known */
#define PP_RAW (UINT32_MAX - 2)

struct pp_symbol_info {
	const char *name;	/* raw name; valid as long as the image is open */
	uint64_t vma, size;
	bool is_local;		/* the symbol is local to its object file */
};

/* The state of the binary. */
enum pp_image_state {
	PP_IMAGE_OK,
	PP_IMAGE_NO_SYMBOLS,
	PP_IMAGE_KEPT,		/* the profiled build is missing, but its symbols were stored */
	PP_IMAGE_MISSING,	/* the file does not exist, or is unreadable or not ELF */
	/* the build of the current samples does not exist, but another build does */
	PP_IMAGE_CHANGED,
};

struct pp_image_info {		/* strings are valid as long as the image is open */
	enum pp_image_state state;
	const char *path;	/* path of the binary as found; NULL: not a file */
	const char *symbols;	/* source of the symbols, such as ".symtab"; NULL: no symbols */
	const char *symbols_path;	/* file with the symbols if it is not .path, or NULL */
	const char *debug_path;	/* file with the line numbers, if a line was requested; or NULL */
	const char *build_id;	/* build-id of the binary as found, in lower-case hex, or NULL */
	/* build-id of the profiled build if the build was not found; NULL: found, or unknown */
	const char *missing_id;
	uid_t owner; /* owner of the file with the names of source files; PP_NOBODY: unknown */
	bool has_elf;		/* the binary is an ELF file, and the following members are set */
	uint16_t machine;	/* type of the machine, EM_* */
	bool is64, big_endian;
	uint64_t load_vma;	/* address of the first segment that is loaded */
};

#endif
