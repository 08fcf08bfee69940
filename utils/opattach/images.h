/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h -- the mapped files of another process, with their symbols and unwind rules. A file is
 * read when it is first needed. The reader checks that it is the mapped file, because another file
 * may have its name by then.
 */
#ifndef UTILS_OPATTACH_IMAGES_H
#define UTILS_OPATTACH_IMAGES_H

#include "libop/raw/elf.h"
#include "utils/opattach/files.h"
#include "utils/opattach/target.h"

struct attach_image {
	uint64_t start, end;		/* addresses of the code */
	uint64_t offset, inode;
	char *path;			/* as in /proc/PID/maps */
	uint64_t vaddr;			/* the linked address of @start */
	uint8_t build_id[RAW_BUILD_ID_MAX];
	uint32_t build_id_len;
	struct attach_files *files;	/* the same as in attach_images */
	/* attach_image_load() sets these fields. */
	bool is_tried;
	struct attach_file *file;	/* NULL: not available */
};

/* Sorted by address. */
struct attach_images {
	/* set by the creator; outlives the images, and may be shared */
	struct attach_files *files;
	struct attach_image *items;
	size_t nr, room;
};

/*
 * Read the executable mappings, and keep images that are still mapped. Return 0 or a negative
 * errno.
 */
int attach_images_read(struct attach_images *images, const struct attach_target *t);
void attach_images_release(struct attach_images *images);

/* Return the image at @at, or NULL if no code is mapped there. */
struct attach_image *attach_images_find(const struct attach_images *images, uint64_t at);

/*
 * Return the image's file with data, or NULL if it cannot be read or ATTACH_FILES_MAX is reached.
 */
const struct attach_file *attach_image_load(struct attach_image *image,
					    const struct attach_target *t);

/* Find the unwind rule for @code. Return 0, or a negative errno without a rule. */
int attach_image_row(struct attach_image *image, const struct attach_target *t, uint64_t code,
		     struct cfi_row *row);

/* Return the address of the function @name according to the file, or 0. */
uint64_t attach_image_symbol(struct attach_image *image, const struct attach_target *t,
			     const char *name);

/* Return the address of the variable @name according to the file, or 0. */
uint64_t attach_image_variable(struct attach_image *image, const struct attach_target *t,
			       const char *name);

/* Return a name of the function at @at that is one of @names, a list that ends with NULL; or any
 * name if @names is NULL. Return NULL if the function has no such name. A function may have several
 * names (free(), __libc_free()). The file's copy owns the text. */
const char *attach_image_name(struct attach_image *image, const struct attach_target *t,
			      uint64_t at, const char *const *names);

/* Return the first address of these bytes in the image, or 0. */
uint64_t attach_image_bytes(struct attach_image *image, const struct attach_target *t,
			    const void *bytes, size_t len);

/* Return the last part of the image's path. */
const char *attach_image_base(const struct attach_image *image);

#endif
