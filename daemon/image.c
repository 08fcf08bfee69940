// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image.c -- the table of files that samples fell into: a hash from identity to one object.
 */
#include <config.h>
#include "daemon/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/identify.h"

/*
 * Any user can run any number of different files, and images live as long as the daemon: this
 * bounds the memory they take. Some 500,000 images fit.
 */
#define IMAGES_MAX_BYTES	(128u << 20)

struct slot {
	struct opd_image image;
	uint64_t hash;
	struct slot *next;
	char path[];
};

struct opd_images {
	struct slot **buckets;
	size_t nr_buckets;	/* a power of two */
	size_t nr;
	size_t bytes;
	size_t nr_build_ids;	/* of used ones */
	opd_image_fn tell_new;	/* or NULL */
	void *tell_new_arg;
};

static uint64_t identity_hash(const char *path, uint64_t dev, uint64_t ino, uint64_t mtime)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 0x100000001b3u;
	h ^= dev * 0x9e3779b97f4a7c15u;
	h = (h ^ (h >> 29)) + ino * 0xbf58476d1ce4e5b9u;
	h = (h ^ (h >> 32)) + mtime * 0x94d049bb133111ebu;
	return h ^ (h >> 31);
}

int opd_images_create(struct opd_images **ret)
{
	struct opd_images *images = calloc(1, sizeof(*images));

	if (!images)
		return -ENOMEM;
	images->nr_buckets = 1024;
	images->buckets = calloc(images->nr_buckets, sizeof(*images->buckets));
	if (!images->buckets) {
		free(images);
		return -ENOMEM;
	}
	*ret = images;
	return 0;
}

void opd_images_destroy(struct opd_images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->nr_buckets; i++) {
		struct slot *s = images->buckets[i];

		while (s) {
			struct slot *next = s->next;

			free(s);
			s = next;
		}
	}
	free(images->buckets);
	free(images);
}

/* Without memory for a larger table the chains just get longer. */
static void grow(struct opd_images *images)
{
	size_t nr = images->nr_buckets * 2;
	struct slot **buckets = calloc(nr, sizeof(*buckets));

	if (!buckets)
		return;
	for (size_t i = 0; i < images->nr_buckets; i++) {
		struct slot *s = images->buckets[i];

		while (s) {
			struct slot *next = s->next;

			s->next = buckets[s->hash & (nr - 1)];
			buckets[s->hash & (nr - 1)] = s;
			s = next;
		}
	}
	free(images->buckets);
	images->buckets = buckets;
	images->nr_buckets = nr;
}

static bool is_image(const struct slot *s, const char *path, uint64_t dev, uint64_t ino,
		     const struct opd_identity *identity)
{
	const struct opd_image *image = &s->image;

	return image->dev == dev && image->ino == ino && image->mtime == identity->mtime &&
	       image->identity.build == identity->identity.build && strcmp(s->path, path) == 0;
}

const struct opd_image *opd_images_intern_build(struct opd_images *images, const char *path,
						uint64_t dev, uint64_t ino,
						const struct opd_identity *identity)
{
	uint64_t hash = identity_hash(path, dev, ino, identity->mtime);
	size_t len, size;
	struct slot *s;

	for (s = images->buckets[hash & (images->nr_buckets - 1)]; s; s = s->next)
		if (s->hash == hash && is_image(s, path, dev, ino, identity))
			return &s->image;

	len = strlen(path) + 1;
	size = sizeof(*s) + len;
	if (images->bytes + size > IMAGES_MAX_BYTES)
		return NULL;
	s = malloc(size);
	if (!s)
		return NULL;
	if (images->nr >= images->nr_buckets)
		grow(images);
	memcpy(s->path, path, len);
	s->image = (struct opd_image){
		.path = s->path,
		.dev = dev,
		.ino = ino,
		.mtime = identity->mtime,
		.build_id_len = identity->build_id_len,
		.identity = identity->identity,
	};
	memcpy(s->image.build_id, identity->build_id, identity->build_id_len);
	s->hash = hash;
	s->next = images->buckets[hash & (images->nr_buckets - 1)];
	images->buckets[hash & (images->nr_buckets - 1)] = s;
	images->nr++;
	images->bytes += size;
	if (images->tell_new && identity->fd >= 0)
		images->tell_new(images->tell_new_arg, &s->image, identity->fd);
	return &s->image;
}

const struct opd_image *opd_images_intern(struct opd_images *images, const char *path,
					  uint64_t dev, uint64_t ino, uint64_t mtime)
{
	const struct opd_identity identity = { .mtime = mtime, .fd = -1 };

	return opd_images_intern_build(images, path, dev, ino, &identity);
}

void opd_images_tell_new(struct opd_images *images, opd_image_fn fn, void *arg)
{
	images->tell_new = fn;
	images->tell_new_arg = arg;
}

/* Images were made here, and are ours to change. */
static struct slot *slot_of(const struct opd_image *image)
{
	return (struct slot *)image;
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
	for (size_t i = 0; i < images->nr_buckets; i++)
		for (struct slot *s = images->buckets[i]; s; s = s->next)
			s->image.used = false;
	images->nr_build_ids = 0;
}

size_t opd_images_nr_build_ids(const struct opd_images *images)
{
	return images->nr_build_ids;
}

int opd_images_for_each(const struct opd_images *images,
			int (*fn)(void *arg, const struct opd_image *image), void *arg)
{
	for (size_t i = 0; i < images->nr_buckets; i++) {
		for (const struct slot *s = images->buckets[i]; s; s = s->next) {
			int ret = fn(arg, &s->image);

			if (ret)
				return ret;
		}
	}
	return 0;
}
