// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image.c -- hash table from a file's identity (path, device, inode, time, build-id) to its image.
 */
#include "config.h"
#include "daemon/image/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/image/identify.h"
#include "libop/base/hash.h"
#include "libop/session/mangle.h"

/* Maximum memory of all images: enough for some 500,000 images. An image is freed only when the
 * daemon ends, and any user can run any number of different files. */
#define IMAGES_MAX_BYTES	(128u << 20)

const struct opd_image opd_kernel_threads = {
	.path = OP_WOKEN_KERNEL, .identity = { .owner = 1 },
};

struct slot {
	/* must be the first member, because slot_of() casts struct opd_image to struct slot */
	struct opd_image image;
	struct op_hash_link link;
	char path[];
};

struct opd_images {
	struct op_hash_table table;
	size_t bytes;
	size_t nr_build_ids;	/* number of images that have a build-id and samples */
	/* worker process that opens files; borrowed; NULL: open files in this process */
	struct opd_finder *finder;
	/* loaded unwind tables; borrowed; NULL: the daemon does not unwind stacks */
	struct opd_unwind_tables *unwind;
	struct opd_made_tables *made;
	struct opd_cgroups *cgroups;
	opd_image_fn report_new;	/* called for each new image; NULL: no callback */
	void *report_new_arg;
};

static struct slot *slot_at(struct op_hash_link *link)
{
	return (struct slot *)((char *)link - offsetof(struct slot, link));
}

/* Return the slot of the hash table that contains @image. The cast may remove const, because this
 * file allocated the image as non-const. */
static struct slot *slot_of(const struct opd_image *image)
{
	return (struct slot *)image;
}

int opd_images_create(struct opd_images **ret)
{
	struct opd_images *images = calloc(1, sizeof(*images));

	if (!images || op_hash_init(&images->table)) {
		free(images);
		return -ENOMEM;
	}
	*ret = images;
	return 0;
}

static bool free_slot(struct op_hash_link *link, void *arg)
{
	(void)arg;
	free(slot_at(link));
	return true;
}

void opd_images_destroy(struct opd_images *images)
{
	if (!images)
		return;
	op_hash_filter(&images->table, free_slot, NULL);
	op_hash_release(&images->table);
	free(images);
}

static uint64_t hash_of(const char *path, uint64_t dev, uint64_t ino, uint64_t mtime)
{
	uint64_t hash = op_hash_text(OP_HASH_BEGIN, path);

	return op_hash_number(op_hash_number(op_hash_number(hash, dev), ino), mtime);
}

static bool is_image(const struct slot *s, const char *path, uint64_t dev, uint64_t ino,
		     const struct opd_identity *identity)
{
	const struct opd_image *image = &s->image;

	return image->dev == dev && image->ino == ino && image->mtime == identity->mtime &&
	       image->identity.build == identity->identity.build && !strcmp(s->path, path);
}

const struct opd_image *opd_images_intern_quietly(struct opd_images *images, const char *path,
						  uint64_t dev, uint64_t ino,
						  const struct opd_identity *identity)
{
	uint64_t hash = hash_of(path, dev, ino, identity->mtime);
	struct op_hash_link *link;
	size_t len, size;
	struct slot *s;

	for (link = op_hash_first(&images->table, hash); link; link = op_hash_next(link))
		if (is_image(slot_at(link), path, dev, ino, identity))
			return &slot_at(link)->image;

	len = strlen(path) + 1;
	size = sizeof(*s) + len;
	if (images->bytes + size > IMAGES_MAX_BYTES)
		return NULL;
	s = malloc(size);
	if (!s)
		return NULL;
	memcpy(s->path, path, len);
	s->image = (struct opd_image){
		.path = s->path,
		.dev = dev,
		.ino = ino,
		.mtime = identity->mtime,
		.build_id_len = identity->build_id_len,
		.is_elf = identity->contents == OPD_CONTENTS_ELF,
		.is_other = identity->contents == OPD_CONTENTS_OTHER,
		.identity = identity->identity,
	};
	memcpy(s->image.build_id, identity->build_id, identity->build_id_len);
	op_hash_add(&images->table, &s->link, hash);
	images->bytes += size;
	return &s->image;
}

const struct opd_image *opd_images_intern_build(struct opd_images *images, const char *path,
						uint64_t dev, uint64_t ino,
						const struct opd_identity *identity)
{
	const struct opd_image *image = opd_images_intern_quietly(images, path, dev, ino, identity);

	if (image && !image->reported && images->report_new && identity->fd >= 0) {
		slot_of(image)->image.reported = true;
		images->report_new(images->report_new_arg, image, identity);
	}
	return image;
}

const struct opd_image *opd_images_intern(struct opd_images *images, const char *path,
					  uint64_t dev, uint64_t ino, uint64_t mtime)
{
	const struct opd_identity identity = { .mtime = mtime, .fd = -1 };

	return opd_images_intern_build(images, path, dev, ino, &identity);
}

void opd_images_set_finder(struct opd_images *images, struct opd_finder *finder)
{
	images->finder = finder;
}

struct opd_finder *opd_images_finder(const struct opd_images *images)
{
	return images->finder;
}

void opd_images_set_unwind(struct opd_images *images, struct opd_unwind_tables *unwind)
{
	images->unwind = unwind;
}

void opd_images_set_made(struct opd_images *images, struct opd_made_tables *made)
{
	images->made = made;
}

struct opd_made_tables *opd_images_made(const struct opd_images *images)
{
	return images->made;
}

void opd_images_set_cgroups(struct opd_images *images, struct opd_cgroups *cgroups)
{
	images->cgroups = cgroups;
}

struct opd_cgroups *opd_images_cgroups(const struct opd_images *images)
{
	return images->cgroups;
}

struct opd_unwind_tables *opd_images_unwind(const struct opd_images *images)
{
	return images->unwind;
}

void opd_images_report_new(struct opd_images *images, opd_image_fn fn, void *arg)
{
	images->report_new = fn;
	images->report_new_arg = arg;
}

void opd_image_set_kept(const struct opd_image *image)
{
	slot_of(image)->image.kept = true;
}

void opd_images_use(struct opd_images *images, const struct opd_image *image)
{
	struct slot *s = slot_of(image);

	if (s->image.used)
		return;
	s->image.used = true;
	images->nr_build_ids += image->build_id_len != 0;
}

void opd_images_new_session(struct opd_images *images)
{
	struct op_hash_link *link;
	size_t i;

	op_hash_for_each(&images->table, i, link)
		slot_at(link)->image.used = false;
	images->nr_build_ids = 0;
}

size_t opd_images_nr_build_ids(const struct opd_images *images)
{
	return images->nr_build_ids;
}

int opd_images_for_each(const struct opd_images *images,
			int (*fn)(void *arg, const struct opd_image *image), void *arg)
{
	struct op_hash_link *link;
	int ret;
	size_t i;

	op_hash_for_each(&images->table, i, link) {
		ret = fn(arg, &slot_at(link)->image);
		if (ret)
			return ret;
	}
	return 0;
}
