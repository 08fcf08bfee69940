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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "pp/image/frame.h"
#include "pp/image/image_info.h"
#include "pp/image/images.h"

struct pp_image;

/*
 * Opens the image; @name and @log must outlive it. One that is missing, unreadable or damaged is an
 * image too: the log gets one warning for each build, and every sample of that is PP_RAW or
 * PP_NO_NAME. 0 or -ENOMEM.
 */
int pp_image_open(struct pp_image **ret, struct pp_images *images,
		  const struct op_image_name *name, struct pp_log *log);
/* Takes NULL. */
void pp_image_close(struct pp_image *image);

/* Before the samples of a file: finds the build of the binary that they are of, or the process
 * whose memory it is. Symbols of several builds have different numbers. 0 or -ENOMEM. */
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

void pp_image_symbol(const struct pp_image *image, uint32_t symbol, struct pp_symbol_info *ret);
/* One more than the highest number pp_image_lookup() has given, constants aside. Grows when stubs
 * of the PLT get their names. */
uint32_t pp_image_nr_symbols(const struct pp_image *image);

/* The name of the data at an address, as code mentions it, and how far behind its beginning;
 * NULL: not known. The name lives as long as the image is open. */
const char *pp_image_data_at(struct pp_image *image, uint64_t vma, uint64_t *offset);

/* Cheap but for .debug_path: with @with_debug the debug file is looked for now. */
void pp_image_info(struct pp_image *image, int with_debug, struct pp_image_info *ret);

/*
 * Call @fn with each file into which a compiler split the debug data of code with samples, with its
 * path and a descriptor that @fn does not close.
 */
void pp_image_each_split(struct pp_image *image, void (*fn)(void *arg, int fd, const char *path),
			 void *arg);

/*
 * Where code comes from. Debug data is opened by the first question, and only the compilation units
 * that are asked about are read; questions in ascending order are the cheapest. @vma is what
 * pp_image_vma() gave for the samples begun; an image that changed has no lines. The kernel's are
 * from a vmlinux or module file with debug data, when there is one of the kernel that was profiled.
 */

/* The line alone: of the innermost function inlined there. False: not known. */
bool pp_image_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret);
/* The line a function begins at, of its first address: where it is named, not its first
 * statement. */
bool pp_image_symbol_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret);
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
