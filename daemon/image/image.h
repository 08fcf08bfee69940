/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h -- files that samples fell into, interned: one object per identity, compared by pointer,
 * alive until opd_images_destroy(). Two files that had the same path at different times (a package
 * was upgraded) are two images.
 */
#ifndef OPD_IMAGE_H
#define OPD_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/identity.h"

struct opd_image {
	const char *path;	/* absolute, " (deleted)" kept as the kernel tells it */
	uint64_t dev, ino;	/* 0: not known */
	uint64_t mtime;		/* seconds, 0: not known */
	uint8_t build_id[20];
	size_t build_id_len;	/* 0: none, or not known */
	struct op_identity identity;
	bool is_elf, is_other;	/* an ELF file, or a readable file that is not ELF; both false: unknown */
	bool used;		/* it has samples in the session */
	bool kept;		/* its symbol table is, or nothing can be done about that */
	bool told;		/* to whom opd_images_tell_new() names */
};

struct opd_finder;
struct opd_identity;
struct opd_images;
struct opd_made_tables;
struct opd_unwind_tables;

int opd_images_create(struct opd_images **ret);
void opd_images_destroy(struct opd_images *images);

/*
 * Finds or makes. dev, ino, mtime may be 0 when the source does not know. NULL: out of memory, or
 * more different files than the daemon is willing to remember (count the samples as
 * "lost_image_table").
 */
const struct opd_image *opd_images_intern(struct opd_images *images, const char *path,
					  uint64_t dev, uint64_t ino, uint64_t mtime);

/* The same for a file that was looked at: another build is another image, whatever the rest says. */
const struct opd_image *opd_images_intern_build(struct opd_images *images, const char *path,
						uint64_t dev, uint64_t ino,
						const struct opd_identity *identity);

/* The same before it has a sample: nobody is told of it yet. */
const struct opd_image *opd_images_intern_quietly(struct opd_images *images, const char *path, uint64_t dev, uint64_t ino,
						  const struct opd_identity *identity);

/* Who looks at files (daemon/image/finder.h), borrowed; NULL until it is told: nobody else. */
void opd_images_set_finder(struct opd_images *images, struct opd_finder *finder);
struct opd_finder *opd_images_finder(const struct opd_images *images);

/* What stacks are walked by (unwind_tables.h), borrowed; NULL until it is told: they are not. */
void opd_images_set_unwind(struct opd_images *images, struct opd_unwind_tables *unwind);
struct opd_unwind_tables *opd_images_unwind(const struct opd_images *images);
/* Set the tables for code made at run time (made_tables.h), likewise. */
void opd_images_set_made(struct opd_images *images, struct opd_made_tables *made);
struct opd_made_tables *opd_images_made(const struct opd_images *images);

/* Called once with each image whose file was found and may be read, when it is interned. */
typedef void (*opd_image_fn)(void *arg, const struct opd_image *image, const struct opd_identity *identity);
void opd_images_tell_new(struct opd_images *images, opd_image_fn fn, void *arg);

void opd_image_set_kept(const struct opd_image *image);

/* Samples of it are in the session; until the next one begins. */
void opd_images_use(struct opd_images *images, const struct opd_image *image);
void opd_images_new_session(struct opd_images *images);
/* How many with a build-id have samples in the session. */
size_t opd_images_nr_build_ids(const struct opd_images *images);

/* Calls @fn for each image, in no order, until it returns something else than 0: returns that. */
int opd_images_for_each(const struct opd_images *images,
			int (*fn)(void *arg, const struct opd_image *image), void *arg);

#endif
