/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- the second stage of a report: symbols and source lines of offsets in an image (a
 * binary, the kernel, memory without a file).
 *
 * Only one thread at a time may use a pp_image. Several threads may open, use and close different
 * images of one pp_images at once. Closing an image frees its memory.
 */
#ifndef PP_IMAGE_IMAGE_H
#define PP_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "pp/image/frame.h"
#include "pp/image/image_info.h"
#include "pp/image/images.h"

struct pp_image;

/*
 * Open an image. @name and @log must outlive it. A missing, unreadable or damaged image is not an
 * error: the log gets a warning for each build, and lookups return PP_RAW or PP_NO_NAME. Return 0
 * or -ENOMEM.
 */
int pp_image_open(struct pp_image **ret, struct pp_images *images,
		  const struct op_image_name *name, struct pp_log *log);
/* Close the image. @image may be NULL. */
void pp_image_close(struct pp_image *image);

/* Choose the build (or the process, for memory without a file) of @samples as the current one,
 * before looking up these samples. Builds of one image do not share symbol numbers. Return 0 or
 * -ENOMEM. */
int pp_image_begin(struct pp_image *image, const struct pp_image_samples *samples);

/* Return the number of the current build, counted from 0 in the order of pp_image_begin() calls.
 * Return 0 if the image has no builds. */
uint32_t pp_image_build(const struct pp_image *image);
/* Return the lowest symbol number of the current build. */
uint32_t pp_image_first_symbol(const struct pp_image *image);

/* Return the number, in the current build, of the symbol at @key, a key of a sample file. If @key
 * has no symbol, return a constant such as PP_NO_NAME (image_info.h). */
uint32_t pp_image_lookup(struct pp_image *image, uint64_t key);
/* Return the number of the symbol at the address @vma, from pp_image_vma(). The symbol need not
 * have samples. */
uint32_t pp_image_lookup_vma(struct pp_image *image, uint64_t vma);
/* Return the address that reports show for a sample's key: the virtual address in the binary, or
 * the key (an offset) if the binary is unknown. */
uint64_t pp_image_vma(const struct pp_image *image, uint64_t key);

void pp_image_symbol(const struct pp_image *image, uint32_t symbol, struct pp_symbol_info *ret);
/* Return 1 plus the highest result of pp_image_lookup() so far, except the constants. This number
 * increases when PLT stubs get names. */
uint32_t pp_image_nr_symbols(const struct pp_image *image);

/* Return the name of the data object at an address, and store the offset in the object. Return NULL
 * if unknown. The name is valid as long as the image is open. */
const char *pp_image_data_at(struct pp_image *image, uint64_t vma, uint64_t *offset);

/* Get information about the image. @with_debug: also search the debug file, which takes time. */
void pp_image_info(struct pp_image *image, bool with_debug, struct pp_image_info *ret);

/*
 * Call @fn for each file of split debug data (.dwo, .dwp) of code with samples, with the file's
 * path and a descriptor that @fn must not close.
 */
void pp_image_each_split(struct pp_image *image, void (*fn)(void *arg, int fd, const char *path),
			 void *arg);

/*
 * Source lines. The first call opens the debug data. Only the compilation units of requested
 * addresses are read; ascending addresses are fastest. @vma: an address from pp_image_vma() in the
 * current build. A changed image has no lines. The kernel's lines come from a vmlinux or module
 * file of the profiled kernel that has debug data.
 */

/* Get the source line of @vma in the innermost inlined function. Return false if the line is
 * unknown. */
bool pp_image_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret);
/* Get the line of a function's declaration, which precedes its first statement. @vma: the
 * function's first address. Return false if unknown. */
bool pp_image_symbol_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret);
/*
 * Get the function at @vma and the functions inlined there. frames[0] is the innermost inlined
 * function with the line of @vma. frames[i] is the function into which frames[i - 1] was inlined,
 * with the line of that call. The last frame is the function that is not inlined; its .function is
 * NULL if a symbol covers @vma, because the symbol's name is better. Return the number of frames,
 * at most @max; 0 if the debug data does not cover @vma. Strings are valid as long as the image is
 * open.
 */
unsigned int pp_image_frames(struct pp_image *image, uint64_t vma, struct pp_frame *frames,
			     unsigned int max);

/*
 * Copy at most @size bytes of code at @vma, up to the end of the segment, to @buf. Return the
 * number of bytes, or 0 if the code cannot be read.
 */
size_t pp_image_code(struct pp_image *image, uint64_t vma, void *buf, size_t size);

#endif
