/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- files that samples fell into, interned: one object per identity, compared by pointer,
 * alive until opd_images_destroy(). Two files that had the same path at different times (a package
 * was upgraded) are two images.
 */
#ifndef OPD_IMAGE_H
#define OPD_IMAGE_H

#include <stdint.h>

struct opd_image {
	const char *path;	/* absolute, " (deleted)" kept as the kernel tells it */
	uint64_t dev, ino;	/* 0: not known */
	uint64_t mtime;		/* seconds, 0: not known */
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

#endif
