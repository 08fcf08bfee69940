/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- the second stage: whose code is at an offset of an image. Images are opened one
 * after the other; nothing of one is kept when the next is opened, except what pp_images holds.
 */
#ifndef PP_IMAGE_IMAGE_H
#define PP_IMAGE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "libop/mangle.h"
#include "pp/log.h"

struct pp_images;
struct pp_image;

struct pp_images_options {
	const char *root;		/* prefix of every binary's path; NULL: none */
	const char *image_path;		/* more directories, comma separated; NULL: none */
	char *const *samples_dirs; /* where kernel symbols and build-ids are; outlives pp_images */
	size_t nr_samples_dirs;
};

/* How the samples of one file in an image are to be read, from its header. */
struct pp_image_samples {
	uint64_t mtime;		/* the binary's when profiled; 0: not known */
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

/*
 * Opens the image. One that is missing, unreadable or damaged is an image too: the log gets one
 * warning, and every sample is PP_RAW or PP_NO_NAME. PP_ERR_TOLD only when out of memory.
 */
int pp_image_open(struct pp_image **ret, struct pp_images *images,
		  const struct op_image_name *name);
/* Takes NULL. */
void pp_image_close(struct pp_image *image);

/* Before the samples of a file: compares the binary with what was profiled, once for each mtime.
 * PP_ERR_TOLD only when out of memory. */
int pp_image_begin(struct pp_image *image, const struct pp_image_samples *samples);

/* The symbol at a sample file's key, for the samples begun; or one of the constants above. */
uint32_t pp_image_lookup(struct pp_image *image, uint64_t key);
/* The address reports show for it: virtual for binaries, the offset itself where that is not known.
 */
uint64_t pp_image_vma(const struct pp_image *image, uint64_t key);

struct pp_symbol_info {
	const char *name;	/* raw; as long as the image is open */
	uint64_t vma, size;
};

void pp_image_symbol(const struct pp_image *image, uint32_t symbol, struct pp_symbol_info *ret);
/* One more than the highest number pp_image_lookup() has given, constants aside. Grows when stubs
 * of the PLT get their names. */
uint32_t pp_image_nr_symbols(const struct pp_image *image);

#endif
