// SPDX-License-Identifier: GPL-2.0-or-later
/* mapped_file.c -- files that are mapped somewhere. */
#include <config.h>
#include "daemon/mapped_file.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "daemon/identify.h"
#include "daemon/image.h"

/*
 * Files that have an image but are mapped nowhere at the moment are kept, up to this many: the next
 * short-lived process maps them again, and they would have to be looked at again.
 */
#define MAX_UNUSED	8192

/* A peak lower than that is not worth a walk through the heap. */
#define WORTH_GIVING_BACK	(4u << 20)

struct opd_mapped_file {
	struct opd_mapped_files *owner;
	struct opd_mapped_file *next;	/* in its bucket */
	uint64_t hash;
	size_t refs;			/* 0: kept for its image only */
	struct opd_file_id id;
	const struct opd_image *image;	/* NULL: no sample fell into it yet */
	size_t bytes;			/* with the path */
	char path[];
};

struct opd_mapped_files {
	struct opd_images *images;
	struct opd_mapped_file **buckets;
	size_t nr_buckets;		/* a power of two */
	size_t nr, nr_unused;
	size_t bytes, peak;		/* now, and at most since memory was given back */
};

int opd_mapped_files_create(struct opd_mapped_files **ret, struct opd_images *images)
{
	struct opd_mapped_files *files = calloc(1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	files->images = images;
	files->nr_buckets = 1024;
	files->buckets = calloc(files->nr_buckets, sizeof(*files->buckets));
	if (!files->buckets) {
		free(files);
		return -ENOMEM;
	}
	*ret = files;
	return 0;
}

void opd_mapped_files_destroy(struct opd_mapped_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->nr_buckets; i++) {
		struct opd_mapped_file *f = files->buckets[i];

		while (f) {
			struct opd_mapped_file *next = f->next;

			free(f);
			f = next;
		}
	}
	free(files->buckets);
	free(files);
}

static uint64_t hash_of(const char *path, const struct opd_file_id *id)
{
	uint64_t h = 0xcbf29ce484222325u ^ id->dev;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 0x100000001b3u;
	h = (h ^ id->ino) * 0x9e3779b97f4a7c15u;
	h = (h ^ id->generation ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
	return h ^ (h >> 32);
}

/* Without memory for a larger table the chains just get longer. */
static void grow(struct opd_mapped_files *files)
{
	size_t nr = files->nr_buckets * 2;
	struct opd_mapped_file **buckets = calloc(nr, sizeof(*buckets));

	if (!buckets)
		return;
	for (size_t i = 0; i < files->nr_buckets; i++) {
		struct opd_mapped_file *f = files->buckets[i];

		while (f) {
			struct opd_mapped_file *next = f->next;

			f->next = buckets[f->hash & (nr - 1)];
			buckets[f->hash & (nr - 1)] = f;
			f = next;
		}
	}
	free(files->buckets);
	files->buckets = buckets;
	files->nr_buckets = nr;
}

struct opd_mapped_file *opd_mapped_files_get(struct opd_mapped_files *files, const char *path,
					     const struct opd_file_id *id)
{
	uint64_t hash = hash_of(path, id);
	struct opd_mapped_file **bucket = &files->buckets[hash & (files->nr_buckets - 1)];
	struct opd_mapped_file *f;
	size_t len;

	for (f = *bucket; f; f = f->next) {
		if (f->hash == hash && f->id.dev == id->dev && f->id.ino == id->ino &&
		    f->id.generation == id->generation && strcmp(f->path, path) == 0) {
			opd_mapped_file_get(f);
			return f;
		}
	}

	len = strlen(path) + 1;
	f = malloc(sizeof(*f) + len);
	if (!f)
		return NULL;
	*f = (struct opd_mapped_file){ .owner = files, .hash = hash, .refs = 1, .id = *id,
				       .bytes = sizeof(*f) + len };
	memcpy(f->path, path, len);
	if (files->nr >= files->nr_buckets) {
		grow(files);
		bucket = &files->buckets[hash & (files->nr_buckets - 1)];
	}
	f->next = *bucket;
	*bucket = f;
	files->nr++;
	files->bytes += f->bytes;
	if (files->bytes > files->peak)
		files->peak = files->bytes;
	return f;
}

void opd_mapped_file_get(struct opd_mapped_file *file)
{
	if (file && file->refs++ == 0)
		file->owner->nr_unused--;
}

static void unlink_and_free(struct opd_mapped_file *file)
{
	struct opd_mapped_files *files = file->owner;
	struct opd_mapped_file **p = &files->buckets[file->hash & (files->nr_buckets - 1)];

	while (*p != file)
		p = &(*p)->next;
	*p = file->next;
	files->nr--;
	files->bytes -= file->bytes;
	free(file);
}

void opd_mapped_files_forget_unused(struct opd_mapped_files *files)
{
	for (size_t i = 0; i < files->nr_buckets; i++) {
		struct opd_mapped_file **p = &files->buckets[i];

		while (*p) {
			struct opd_mapped_file *f = *p;

			if (f->refs) {
				p = &f->next;
				continue;
			}
			*p = f->next;
			files->nr--;
			files->bytes -= f->bytes;
			free(f);
		}
	}
	files->nr_unused = 0;
}

void opd_mapped_file_put(struct opd_mapped_file *file)
{
	struct opd_mapped_files *files;

	if (!file || --file->refs)
		return;
	files = file->owner;
	if (!file->image) {
		unlink_and_free(file);
		return;
	}
	if (++files->nr_unused > MAX_UNUSED)
		opd_mapped_files_forget_unused(files);
}

/* Small pieces go back to the heap, not to the system, unless it is told so. */
void opd_mapped_files_give_back(struct opd_mapped_files *files)
{
	if (files->peak < WORTH_GIVING_BACK || files->bytes > files->peak / 2)
		return;
	files->peak = files->bytes;
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

size_t opd_mapped_file_bytes(const struct opd_mapped_file *file)
{
	return file->bytes;
}

size_t opd_mapped_files_bytes(const struct opd_mapped_files *files)
{
	return files->bytes;
}

const char *opd_mapped_file_path(const struct opd_mapped_file *file)
{
	return file->path;
}

const struct opd_image *opd_mapped_file_image(struct opd_mapped_file *file, pid_t tgid)
{
	struct opd_identity identity = { .fd = -1 };
	struct opd_images *images = file->owner->images;

	if (file->image)
		return file->image;
	opd_identify(&identity, file->path, file->id.dev, file->id.ino, tgid);
	file->image = opd_images_intern_build(images, file->path, file->id.dev, file->id.ino,
					      &identity);
	opd_identity_release(&identity);
	return file->image;
}
