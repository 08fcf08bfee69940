/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- the second stage: whose code is at an offset of an image, and which source line it
 * came from.
 *
 * Threads: one thread at a time may use a pp_image, but different images of one pp_images may be
 * opened, used and closed by different threads at once. What an image holds goes when it is closed.
 */
#ifndef PP_IMAGE_IMAGE_H
#define PP_IMAGE_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/session/identity.h"
#include "libop/session/mangle.h"
#include "pp/base/log.h"
#include "pp/image/frame.h"

struct pp_images;
struct pp_image;

struct pp_images_options {
	const char *root;		/* prefix of every binary's path; NULL: none */
	const char *image_path;		/* more directories, comma separated; NULL: none */
	int debuginfod;			/* ask the servers of $DEBUGINFOD_URLS for debug files */
	const char *cache_dir;		/* of symbol tables (symbol_cache.h), only used by
					 * pp_images_create(); NULL: none kept */
	char *const *samples_dirs; /* where kernel symbols and build-ids are; outlives pp_images */
	size_t nr_samples_dirs;
	int force;		/* take a file that is not the one profiled for it */
};

/* How the samples of one file in an image are to be read, from its header. */
struct pp_image_samples {
	struct op_identity identity;	/* which build of a binary they are of */
	uint64_t mtime;		/* the binary's when profiled; 0: not known */
	/* Of memory without a file: in which process; the file, which is in its session. NULL: as the
	 * image's name says, any session. */
	const struct op_image_name *name;
	const char *path;
	int is_kernel;		/* keys are relative to .text, not to the file */
	uint64_t anon_start;
};

/* What covers an offset. */
#define PP_NO_NAME	UINT32_MAX	/* image without symbols: the image itself */
#define PP_UNCOVERED	(UINT32_MAX - 1)	/* image with symbols, but none there */
#define PP_RAW (UINT32_MAX - 2) /* another file now, or none: only the address is known */

/* The owner of what all images share. PP_ERR_TOLD. */
int pp_images_create(struct pp_images **ret, const struct pp_images_options *options,
		     struct pp_log *log);
void pp_images_destroy(struct pp_images *images);
/* Why the code of the kernel, which runs here, is not read from it: for a message, or NULL. */
const char *pp_images_kernel_hindrance(const struct pp_images *images);

/*
 * Opens the image; @name and @log must outlive it. One that is missing, unreadable or damaged is an
 * image too: the log gets one warning for each build, and every sample of that is PP_RAW or
 * PP_NO_NAME. PP_ERR_TOLD only when out of memory.
 */
int pp_image_open(struct pp_image **ret, struct pp_images *images,
		  const struct op_image_name *name, struct pp_log *log);
/* Takes NULL. */
void pp_image_close(struct pp_image *image);

/* Before the samples of a file: finds the build of the binary that they are of, or the process whose
 * memory it is. Symbols of several builds have different numbers. PP_ERR_TOLD only when out of memory. */
int pp_image_begin(struct pp_image *image, const struct pp_image_samples *samples);

/* Which of the builds that samples were begun of so far, from 0 on; 0 too where there are none. */
uint32_t pp_image_build(const struct pp_image *image);
/* The first number of the symbols of the build begun. */
uint32_t pp_image_first_symbol(const struct pp_image *image);

/* The symbol at a sample file's key, for the samples begun; or one of the constants above. */
uint32_t pp_image_lookup(struct pp_image *image, uint64_t key);
/* The same by what pp_image_vma() gives; whether there were samples does not matter. */
uint32_t pp_image_lookup_vma(struct pp_image *image, uint64_t vma);
/* The address reports show for it: virtual for binaries, the offset itself where that is not known.
 */
uint64_t pp_image_vma(const struct pp_image *image, uint64_t key);

struct pp_symbol_info {
	const char *name;	/* raw; as long as the image is open */
	uint64_t vma, size;
	int is_local;		/* bound to its object file */
};

void pp_image_symbol(const struct pp_image *image, uint32_t symbol, struct pp_symbol_info *ret);
/* One more than the highest number pp_image_lookup() has given, constants aside. Grows when stubs
 * of the PLT get their names. */
uint32_t pp_image_nr_symbols(const struct pp_image *image);

/* The name of the data at an address, as code mentions it, and how far behind its beginning; NULL: not
 * known. The name lives as long as the image is open. */
const char *pp_image_data_at(struct pp_image *image, uint64_t vma, uint64_t *offset);

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

/* Cheap but for .debug_path: with @with_debug the debug file is looked for now. */
void pp_image_info(struct pp_image *image, int with_debug, struct pp_image_info *ret);

/*
 * Where code comes from. Debug data is opened by the first question, and only the compilation units
 * that are asked about are read; questions in ascending order are the cheapest. @vma is what
 * pp_image_vma() gave for the samples begun; an image that changed has no lines. The kernel's are
 * from a vmlinux or module file with debug data, when there is one of the kernel that was profiled.
 */

/* The line alone: of the innermost function inlined there. 1, or 0 when not known. */
int pp_image_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret);
/* The line a function begins at, of its first address: where it is named, not its first
 * statement. */
int pp_image_symbol_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret);
/*
 * All the functions the code at @vma belongs to: frames[0] is the innermost inlined one with the
 * line of @vma, frames[i] the one that frames[i - 1] was inlined into, with the line of that call;
 * the last is the function that is there at run time: .function is NULL when a symbol covers @vma,
 * as the symbol has the better name. Returns how many, at most @max; 0 when nothing is known.
 * Strings live as long as the image is open.
 */
unsigned int pp_image_frames(struct pp_image *image, uint64_t vma, struct pp_frame *frames,
			     unsigned int max);

/*
 * The bytes of the code from @vma on, for disassembly: up to @size of them into @buf, fewer where
 * the segment ends. Returns how many; 0: there is no code to be had.
 */
size_t pp_image_code(struct pp_image *image, uint64_t vma, void *buf, size_t size);

#endif
