/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- files that samples fell into, interned: one object per identity, compared by pointer,
 * alive until opd_images_destroy(). Two files that had the same path at different times (a package
 * was upgraded) are two images.
 */
#ifndef OPD_IMAGE_H
#define OPD_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct opd_image {
	const char *path;	/* absolute, " (deleted)" kept as the kernel tells it */
	uint64_t dev, ino;	/* 0: not known */
	uint64_t mtime;		/* seconds, 0: not known */
	uint8_t build_id[20];
	size_t build_id_len;	/* 0: none, or not known */
};

struct opd_images;

int opd_images_create(struct opd_images **ret);
void opd_images_destroy(struct opd_images *images);

/*
 * Finds or makes. dev, ino, mtime may be 0 when the source does not know. NULL: out of memory, or
 * more different files than the daemon is willing to remember (count the samples as
 * "lost_image_table").
 */
const struct opd_image *opd_images_intern(struct opd_images *images, const char *path,
					  uint64_t dev, uint64_t ino, uint64_t mtime);

/* Notes what the source found out about a file; no part of its identity. @len over 20: ignored. */
void opd_images_set_build_id(struct opd_images *images, const struct opd_image *image,
			     const uint8_t *id, size_t len);

/* How many images have one. */
size_t opd_images_nr_build_ids(const struct opd_images *images);

/* Calls @fn for each image, in no order, until it returns something else than 0: returns that. */
int opd_images_for_each(const struct opd_images *images,
			int (*fn)(void *arg, const struct opd_image *image), void *arg);

#endif
