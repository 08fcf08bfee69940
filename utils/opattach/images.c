// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * images.c -- images: the executable file mappings of another process, with their symbols and
 * unwind rules.
 */
#include "config.h"
#include "utils/opattach/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/raw/regions.h"

#define MAX_VDSO	(1u << 20)
#define FIRST_ROOM	16

/* Open @path in the mount namespace of the process, if it is a regular file with the inode number
 * @inode. Opening a device or a pipe could have side effects. */
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

/* Open the file of a mapping through /proc/PID/map_files, if permitted. Otherwise open the path in
 * the process's mount namespace and check the inode number. Do not check the device number: on
 * btrfs and overlayfs, a mapping may have another device number than the file. */
static int open_image(const struct attach_image *image, const struct attach_target *t)
{
	char path[64], *below;
	int fd;

	if (!image->inode || image->path[0] != '/')
		return -1;
	snprintf(path, sizeof(path), "map_files/%llx-%llx", (unsigned long long)image->start,
		 (unsigned long long)image->end);
	fd = open_regular(t, path, image->inode);
	if (fd < 0 && asprintf(&below, "root%s", image->path) >= 0) {
		fd = open_regular(t, below, image->inode);
		free(below);
	}
	return fd;
}

static void read_frames(struct attach_image *image, const struct attach_target *t)
{
	int fd = open_image(image, t);
	struct raw_elf elf;

	image->vaddr = image->offset;
	if (fd < 0)
		return;
	if (!raw_elf_read(&elf, image->offset, op_read_some_at, &fd)) {
		image->vaddr = elf.vaddr;
		image->build_id_len = elf.build_id_len;
		memcpy(image->build_id, elf.build_id, sizeof(image->build_id));
	}
	close(fd);
}

static bool is_same(const struct attach_image *image, const struct raw_region *r)
{
	return image->start == r->start && image->end == r->end && image->offset == r->offset &&
	       image->inode == r->inode && strlen(image->path) == r->path_len &&
	       !memcmp(image->path, r->path, r->path_len);
}

struct reading {
	struct attach_images *before, *now;
	size_t next;			/* index of the next image in .before */
	const struct attach_target *target;
};

/* If the previous list of images contains an image that is equal to the mapping @r, move this image
 * to the new list and return true. Both lists are sorted by address. */
static bool reuse_known(struct reading *reading, const struct raw_region *r,
			struct attach_image *image)
{
	struct attach_images *before = reading->before;
	struct attach_image *known;

	while (reading->next < before->nr && before->items[reading->next].start < r->start)
		reading->next++;
	known = reading->next < before->nr ? &before->items[reading->next] : NULL;
	if (!known || !is_same(known, r))
		return false;
	*image = *known;
	known->path = NULL;
	known->file = NULL;
	return true;
}

static int make_room(struct attach_images *images)
{
	const size_t room = images->room ? 2 * images->room : FIRST_ROOM;
	struct attach_image *more = images->nr < images->room ?
					    images->items :
					    realloc(images->items, room * sizeof(*more));

	if (!more)
		return -ENOMEM;
	if (images->nr == images->room)
		images->room = room;
	images->items = more;
	return 0;
}

static long add_region(void *arg, const struct raw_region *r)
{
	struct reading *reading = arg;
	struct attach_images *now = reading->now;
	struct attach_image *image;

	if (make_room(now))
		return -ENOMEM;
	image = &now->items[now->nr];
	if (reuse_known(reading, r, image)) {
		now->nr++;
		return 0;
	}
	*image = (struct attach_image){
		.start = r->start,
		.end = r->end,
		.offset = r->offset,
		.inode = r->inode,
		.files = now->files,
	};
	image->path = strndup(r->path, r->path_len);
	if (!image->path)
		return -ENOMEM;
	now->nr++;
	read_frames(image, reading->target);
	return 0;
}

static long next_of(void *arg, void *buf, size_t len)
{
	ssize_t got = read(*(int *)arg, buf, len);

	return got < 0 ? -errno : got;
}

int attach_images_read(struct attach_images *images, const struct attach_target *t)
{
	struct attach_images now = { .files = images->files };
	struct reading reading = { .before = images, .now = &now, .target = t };
	char buf[RAW_REGIONS_BUF];
	int fd = openat(t->proc, "maps", O_RDONLY | O_CLOEXEC);
	long err;

	if (fd < 0)
		return -errno;
	err = raw_regions_walk(buf, sizeof(buf), next_of, &fd, add_region, &reading);
	close(fd);
	attach_images_release(images);
	*images = now;
	return err ? (int)err : now.nr ? 0 : -ESRCH;
}

void attach_images_release(struct attach_images *images)
{
	for (size_t i = 0; i < images->nr; i++) {
		free(images->items[i].path);
		attach_files_put(images->files, images->items[i].file);
	}
	free(images->items);
	*images = (struct attach_images){ .files = images->files };
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

static struct attach_file *read_vdso(const struct attach_image *image,
				     const struct attach_target *t)
{
	const size_t size = image->end - image->start;
	unsigned char *data = size > MAX_VDSO ? NULL : malloc(size);

	if (data && attach_target_read(t, image->start, data, size))
		return attach_files_memory(image->files, data, size);
	free(data);
	return NULL;
}

const struct attach_file *attach_image_load(struct attach_image *image,
					    const struct attach_target *t)
{
	int fd;

	if (image->is_tried)
		return image->file && image->file->data ? image->file : NULL;
	image->is_tried = true;
	if (!strcmp(image->path, "[vdso]")) {
		image->file = read_vdso(image, t);
	} else {
		fd = open_image(image, t);
		if (fd < 0)
			return NULL;
		image->file = attach_files_get(image->files, fd);
		close(fd);
	}
	return image->file && image->file->data ? image->file : NULL;
}

int attach_image_row(struct attach_image *image, const struct attach_target *t, uint64_t code,
		     struct cfi_row *row)
{
	const struct attach_file *file = attach_image_load(image, t);
	uint64_t linked = code - image->start + image->vaddr;

	for (int form = CFI_EH_FRAME; file && form <= CFI_DEBUG_FRAME; form++)
		if (file->frames[form].data && !cfi_row_at(&file->frames[form], linked, row) &&
		    row->rule.cfa != OPROFILE_UW_CFA_NONE)
			return 0;
	return -ENOENT;
}

uint64_t attach_image_bytes(struct attach_image *image, const struct attach_target *t,
			    const void *bytes, size_t len)
{
	const struct attach_file *file = attach_image_load(image, t);
	const unsigned char *found;
	size_t size = image->end - image->start;

	if (!file || image->offset >= file->size)
		return 0;
	if (size > file->size - image->offset)
		size = file->size - image->offset;
	found = memmem(file->data + image->offset, size, bytes, len);
	return found ? image->start + (found - file->data - image->offset) : 0;
}

const char *attach_image_base(const struct attach_image *image)
{
	const char *slash = strrchr(image->path, '/');

	return slash ? slash + 1 : image->path;
}
