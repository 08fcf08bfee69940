/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- the second stage: the symbol and the source line of an offset in an image.
 *
 * Threads: one thread at a time may use a pp_image, but different images of one pp_images may be
 * opened, used and closed by different threads at once. Closing an image frees its memory.
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
 * Open an image; @name and @log must outlive it. Opening succeeds even if the image is missing,
 * unreadable or damaged: the log gets a warning for each build, and look-ups return PP_RAW or
 * PP_NO_NAME. Return 0 or -ENOMEM.
 */
int pp_image_open(struct pp_image **ret, struct pp_images *images,
		  const struct op_image_name *name, struct pp_log *log);
/* Close the image. Accepts NULL. */
void pp_image_close(struct pp_image *image);

/* Find the build of the binary, or the process with the memory, of a file's samples. Call this
 * before looking up the samples. Symbols of different builds of one image have different numbers.
 * Return 0 or -ENOMEM. */
int pp_image_begin(struct pp_image *image, const struct pp_image_samples *samples);

/* Return the number of the current build, counted from 0 in the order in which pp_image_begin()
 * found them; 0 if the image has no builds. */
uint32_t pp_image_build(const struct pp_image *image);
/* Return the first symbol number of the current build. */
uint32_t pp_image_first_symbol(const struct pp_image *image);

/* Return the symbol at a sample file's key for the current samples, or one of the constants of
 * image_info.h. */
uint32_t pp_image_lookup(struct pp_image *image, uint64_t key);
/* Return the symbol at @vma, an address from pp_image_vma(), whether or not the symbol has
 * samples. */
uint32_t pp_image_lookup_vma(struct pp_image *image, uint64_t vma);
/* Return the address that reports print: the virtual address in a binary, or the offset if the
 * binary is unknown. */
uint64_t pp_image_vma(const struct pp_image *image, uint64_t key);

void pp_image_symbol(const struct pp_image *image, uint32_t symbol, struct pp_symbol_info *ret);
/* Return the highest number of pp_image_lookup() + 1, not counting the constants. The number grows
 * when stubs of the PLT get their names. */
uint32_t pp_image_nr_symbols(const struct pp_image *image);

/* Return the name of the data at an address in code, and the offset from its beginning; return NULL
 * if the name is unknown. The name is valid as long as the image is open. */
const char *pp_image_data_at(struct pp_image *image, uint64_t vma, uint64_t *offset);

/* Get information about the image. With @with_debug, search the debug file now, which takes time.
 */
void pp_image_info(struct pp_image *image, bool with_debug, struct pp_image_info *ret);

/*
 * Call @fn for each file into which a compiler split the debug data of code with samples. @fn gets
 * the file's path, and a descriptor that it must not close.
 */
void pp_image_each_split(struct pp_image *image, void (*fn)(void *arg, int fd, const char *path),
			 void *arg);

/*
 * Source lines. The debug data is opened by the first call, and only the compilation units of
 * requested addresses are read; ascending addresses are fastest. @vma is an address of
 * pp_image_vma() for the current samples. A changed image has no lines. Lines of the kernel come
 * from a vmlinux or module file with debug data of the profiled kernel.
 */

/* Get the source line of @vma in the innermost inlined function. Return false if the line is
 * unknown. */
bool pp_image_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret);
/* Get the line of a function's declaration, not of its first statement. @vma: the function's first
 * address. Return false if the line is unknown. */
bool pp_image_symbol_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret);
/*
 * Get all functions that contain the code at @vma: inlined functions and their caller. frames[0] is
 * the innermost inlined function with the line of @vma; frames[i] is the function into which
 * frames[i - 1] was inlined, with the line of that call. The last frame is the function that is not
 * inlined; its .function is NULL if a symbol covers @vma, because the symbol's name is better.
 * Return the number of frames, at most @max; 0 if the debug data does not cover @vma. Strings are
 * valid as long as the image is open.
 */
unsigned int pp_image_frames(struct pp_image *image, uint64_t vma, struct pp_frame *frames,
			     unsigned int max);

/*
 * Copy up to @size bytes of code from @vma on, to the end of the segment, to @buf. Return the
 * number of bytes; 0 if the code cannot be read.
 */
size_t pp_image_code(struct pp_image *image, uint64_t vma, void *buf, size_t size);

#endif
