// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * images.c -- whose code is where in another process, and what its files say of it.
 */
#include "config.h"
#include "utils/attach/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/raw/regions.h"

#define MAX_FILE	(1u << 30)
#define MAX_VDSO	(1u << 20)

static long read_fd(void *arg, uint64_t at, void *buf, size_t len)
{
	return pread(*(int *)arg, buf, len, at);
}

/* A regular file, whatever its name leads to by now: who opens a device or a pipe does something to it. */
static int open_regular(const struct attach_target *t, const char *path, uint64_t inode)
{
	char self[64];
	struct stat st;
	int place = openat(t->proc, path, O_PATH | O_CLOEXEC), fd = -1;

	if (place < 0)
		return -1;
	if (!fstat(place, &st) && S_ISREG(st.st_mode) && st.st_ino == inode) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
		fd = open(self, O_RDONLY | O_CLOEXEC);
	}
	close(place);
	return fd;
}

/* In its own mount namespace; or, if that name has another file by now, and we may, what is mapped itself. */
static int open_image(const struct attach_image *image, const struct attach_target *t)
{
	char path[64], *below = NULL;
	int fd = -1;

	if (!image->inode || image->path[0] != '/')
		return -1;
	if (asprintf(&below, "root%s", image->path) >= 0)
		fd = open_regular(t, below, image->inode);
	free(below);
	snprintf(path, sizeof(path), "map_files/%llx-%llx", (unsigned long long)image->start, (unsigned long long)image->end);
	return fd >= 0 ? fd : open_regular(t, path, image->inode);
}

static void ask_file(struct attach_image *image, const struct attach_target *t)
{
	int fd = open_image(image, t);
	struct raw_elf elf;

	image->vaddr = image->offset;
	if (fd < 0)
		return;
	if (!raw_elf_read(&elf, image->offset, read_fd, &fd)) {
		image->vaddr = elf.vaddr;
		image->build_id_len = elf.build_id_len;
		memcpy(image->build_id, elf.build_id, sizeof(image->build_id));
	}
	close(fd);
}

static bool is_same(const struct attach_image *image, const struct raw_region *r)
{
	return image->start == r->start && image->end == r->end && image->offset == r->offset && image->inode == r->inode &&
	       strlen(image->path) == r->path_len && !memcmp(image->path, r->path, r->path_len);
}

struct reading {
	struct attach_images *before, *now;
	const struct attach_target *target;
};

static long take_region(void *arg, const struct raw_region *r)
{
	struct reading *reading = arg;
	struct attach_images *now = reading->now, *before = reading->before;
	struct attach_image *more = realloc(now->items, (now->nr + 1) * sizeof(*more)), *image;

	if (!more)
		return -ENOMEM;
	now->items = more;
	image = &more[now->nr];
	*image = (struct attach_image){ .start = r->start, .end = r->end, .offset = r->offset, .inode = r->inode };
	for (size_t i = 0; i < before->nr; i++) {
		if (before->items[i].path && is_same(&before->items[i], r)) {
			*image = before->items[i];
			before->items[i] = (struct attach_image){ 0 };
			now->nr++;
			return 0;
		}
	}
	image->path = strndup(r->path, r->path_len);
	if (!image->path)
		return -ENOMEM;
	now->nr++;
	ask_file(image, reading->target);
	return 0;
}

static long next_of(void *arg, void *buf, size_t len)
{
	ssize_t got = read(*(int *)arg, buf, len);

	return got < 0 ? -errno : got;
}

int attach_images_read(struct attach_images *images, const struct attach_target *t)
{
	struct attach_images now = { NULL, 0 };
	struct reading reading = { images, &now, t };
	char buf[RAW_REGIONS_BUF];
	int fd = openat(t->proc, "maps", O_RDONLY | O_CLOEXEC);
	long err;

	if (fd < 0)
		return -errno;
	err = raw_regions_walk(buf, sizeof(buf), next_of, &fd, take_region, &reading);
	close(fd);
	attach_images_release(images);
	*images = now;
	return err ? (int)err : now.nr ? 0 : -ESRCH;
}

void attach_images_release(struct attach_images *images)
{
	for (size_t i = 0; i < images->nr; i++) {
		free(images->items[i].path);
		free(images->items[i].data);
	}
	free(images->items);
	*images = (struct attach_images){ NULL, 0 };
}

struct attach_image *attach_images_find(const struct attach_images *images, uint64_t at)
{
	size_t low = 0, high = images->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (images->items[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < images->nr && images->items[low].start <= at ? &images->items[low] : NULL;
}

static unsigned char *read_all(int fd, size_t *ret)
{
	unsigned char *data;
	size_t done = 0;
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > MAX_FILE)
		return NULL;
	data = malloc(st.st_size);
	while (data && done < (size_t)st.st_size && (got = pread(fd, data + done, st.st_size - done, done)) > 0)
		done += got;
	*ret = done;
	return data;
}

static unsigned char *read_vdso(const struct attach_image *image, const struct attach_target *t, size_t *ret)
{
	unsigned char *data = image->end - image->start > MAX_VDSO ? NULL : malloc(image->end - image->start);

	*ret = image->end - image->start;
	if (data && attach_target_read(t, image->start, data, *ret))
		return data;
	free(data);
	return NULL;
}

bool attach_image_load(struct attach_image *image, const struct attach_target *t)
{
	size_t size = 0;
	int fd;

	if (image->is_tried)
		return image->data;
	image->is_tried = true;
	if (!strcmp(image->path, "[vdso]")) {
		image->data = read_vdso(image, t, &size);
	} else {
		fd = open_image(image, t);
		if (fd < 0)
			return false;
		image->data = read_all(fd, &size);
		close(fd);
	}
	if (image->data && cfi_elf_open(&image->elf, image->data, size)) {
		free(image->data);
		image->data = NULL;
	}
	if (!image->data)
		return false;
	for (int form = CFI_EH_FRAME; form <= CFI_DEBUG_FRAME; form++)
		if (cfi_elf_frames(&image->elf, form, &image->frames[form]))
			image->frames[form].data = NULL;
	return true;
}

int attach_image_row(struct attach_image *image, const struct attach_target *t, uint64_t code, struct cfi_row *row)
{
	uint64_t linked = code - image->start + image->vaddr;

	if (!attach_image_load(image, t))
		return -ENOENT;
	for (int form = CFI_EH_FRAME; form <= CFI_DEBUG_FRAME; form++)
		if (image->frames[form].data && !cfi_row_at(&image->frames[form], linked, row) &&
		    row->rule.cfa != OPROFILE_UW_CFA_NONE)
			return 0;
	return -ENOENT;
}

uint64_t attach_image_bytes(struct attach_image *image, const struct attach_target *t, const void *bytes, size_t len)
{
	const unsigned char *found;
	size_t size = image->end - image->start;

	if (!attach_image_load(image, t) || image->offset >= image->elf.size)
		return 0;
	if (size > image->elf.size - image->offset)
		size = image->elf.size - image->offset;
	found = memmem(image->data + image->offset, size, bytes, len);
	return found ? image->start + (found - image->data - image->offset) : 0;
}

const char *attach_image_base(const struct attach_image *image)
{
	const char *slash = strrchr(image->path, '/');

	return slash ? slash + 1 : image->path;
}
