/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h -- images: the executable file mappings of another process, with their symbols and
 * unwind rules.
 *
 * A file is read when it is first needed. Its path may then refer to another file, so the opened
 * file is compared with the mapped file.
 */
#ifndef UTILS_OPATTACH_IMAGES_H
#define UTILS_OPATTACH_IMAGES_H

#include "libop/raw/elf.h"
#include "utils/opattach/files.h"
#include "utils/opattach/target.h"

struct attach_image {
	uint64_t start, end;		/* start and end address of the mapping */
	uint64_t offset, inode;
	char *path;			/* path of the file, as in /proc/PID/maps */
	/* address in the file's symbol table that corresponds to .start of the mapping */
	uint64_t vaddr;
	uint8_t build_id[RAW_BUILD_ID_MAX];
	uint32_t build_id_len;
	/* copies of files, shared by all images (struct attach_images) */
	struct attach_files *files;
	/* whether attach_image_load() has tried to read the file */
	bool is_tried;
	struct attach_file *file;	/* copy of the file; NULL: not read, or not readable */
};

/* The images of a process, in ascending order of address. */
struct attach_images {
	/* copies of the mapped files, which several processes may share; set by the creator of this
	 * struct, and must outlive the images */
	struct attach_files *files;
	struct attach_image *items;
	size_t nr, room;
};

/*
 * Read the list of executable mappings. If the previous list contains the image of a mapping, keep
 * that image. Return 0 or a negative errno.
 */
int attach_images_read(struct attach_images *images, const struct attach_target *t);
void attach_images_release(struct attach_images *images);

/* Return the image that contains the address @at, or NULL. */
struct attach_image *attach_images_find(const struct attach_images *images, uint64_t at);

/*
 * Return the copy of the image's file, reading the file if necessary. Return NULL if it cannot be
 * read, or if the total size of copies would exceed ATTACH_FILES_MAX.
 */
const struct attach_file *attach_image_load(struct attach_image *image,
					    const struct attach_target *t);

/* Find the unwind rule for the code address @code in the image's file. Return 0, or a negative
 * errno if the file has no rule for this address. */
int attach_image_row(struct attach_image *image, const struct attach_target *t, uint64_t code,
		     struct cfi_row *row);

/* Look up the function @name in the symbol table of the image's file. Return its address in the
 * process, or 0. */
uint64_t attach_image_symbol(struct attach_image *image, const struct attach_target *t,
			     const char *name);

/* Look up the variable @name in the symbol table of the image's file. Return its address in the
 * process, or 0. */
uint64_t attach_image_variable(struct attach_image *image, const struct attach_target *t,
			       const char *name);

/* Return a name of the function that contains the address @at: the first name that is in the
 * NULL-terminated list @names, or any name if @names is NULL. A function may have several names,
 * such as free() and __libc_free(). Return NULL if no such name exists. The copy of the file owns
 * the name. */
const char *attach_image_name(struct attach_image *image, const struct attach_target *t,
			      uint64_t at, const char *const *names);

/* Return the first address in the image at which the bytes @bytes occur, or 0. */
uint64_t attach_image_bytes(struct attach_image *image, const struct attach_target *t,
			    const void *bytes, size_t len);

/* Return the last component of the image's path. */
const char *attach_image_base(const struct attach_image *image);

#endif
