/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_info.h -- properties of samples in an image, of images, and of their symbols.
 */
#ifndef PP_IMAGE_IMAGE_INFO_H
#define PP_IMAGE_IMAGE_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/session/identity.h"
#include "libop/session/mangle.h"

/* Properties that all samples of one sample file share, from the file's header. */
struct pp_image_samples {
	/* identity (build-id or hash of the contents) of the profiled build */
	struct op_identity identity;
	/* modification time of the binary when it was profiled; 0: unknown */
	uint64_t mtime;
	/* For memory without a file: name of the memory and its process. NULL: use the image's
	 * name. */
	const struct op_image_name *name;
	/* For the kernel and for memory without a file: path of the sample file, which identifies
	 * the session. NULL: any session. */
	const char *path;
	/* keys (positions of samples in sample files) are relative to the .text of the kernel or
	 * module */
	bool is_kernel;
	/* keys (positions of samples in sample files) are virtual addresses of the binary */
	bool is_linked;
	uint64_t anon_start;
};

/* Special results of symbol lookups, instead of symbol numbers. */
#define PP_NO_NAME	UINT32_MAX	/* the image has no symbols at all */
/* the image has symbols, but no symbol covers this offset */
#define PP_UNCOVERED	(UINT32_MAX - 1)
/* only another build of the binary exists, or the binary is missing: only the address is known */
#define PP_RAW (UINT32_MAX - 2)

struct pp_symbol_info {
	const char *name;	/* linkage name, valid as long as the image is open */
	uint64_t vma, size;
	bool is_named;		/* only the name is known (pp/source/names.h) */
	bool is_local;		/* the symbol is local to its object file */
};

/* State of an image's binary: whether the profiled build was found. */
enum pp_image_state {
	PP_IMAGE_OK,
	PP_IMAGE_NO_SYMBOLS,
	PP_IMAGE_KEPT, /* the profiled build is missing, but the daemon stored its symbols */
	PP_IMAGE_MISSING,	/* the binary does not exist, or is unreadable or not an ELF file */
	/* the build of the current samples is missing, but another build of the binary exists */
	PP_IMAGE_CHANGED,
};

/* Information about an image. Strings are valid as long as the image is open. */
struct pp_image_info {
	enum pp_image_state state;
	const char *path;	/* path where the binary was found; NULL: not a file */
	/* source of the image's symbols, such as ".symtab"; NULL: no symbols */
	const char *symbols;
	const char *symbols_path;	/* file with the symbols, if it is not .path; else NULL */
	const char *debug_path;	/* file with the line numbers, if a line was requested; else NULL */
	/* build-id of the binary that was found, in lower-case hex, or NULL */
	const char *build_id;
	/* build-id of the profiled build, if that was not found; NULL: found, or unknown */
	const char *missing_id;
	/* user id of the owner of the debug data, which names source files; PP_NO_OWNER: unknown */
	uid_t owner;
	/* another host has named the functions: their addresses are unknown */
	bool is_named;
	bool has_elf; /* the binary is an ELF file; only then the following members are set */
	uint16_t machine;	/* ELF machine of the binary, EM_* */
	bool is64, big_endian;
	uint64_t load_vma;	/* address of the binary's first loadable segment */
};

#endif
