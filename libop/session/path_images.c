// SPDX-License-Identifier: GPL-2.0-or-later
/* path_images.c -- the images that frames of call paths are in. */
#include "config.h"
#include "libop/session/path_images.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/grow.h"

#define MAX_FILE	(1u << 30)

/* One of the file's lines, by what is in it. */
struct line {
	struct op_hash_link link;	/* its first member */
	uint32_t number, len;
	uint64_t at;			/* where it begins */
};

struct op_path_images_writer {
	int fd;
	uint64_t size;
	uint32_t nr;
	struct op_hash_table lines;
	bool held;
};

static char *escape(const char *text)
{
	char *ret = malloc(2 * strlen(text) + 1), *to = ret;

	for (; ret && *text; text++) {
		if (*text == '\n' || *text == '\\')
			*to++ = '\\';
		*to++ = *text == '\n' ? 'n' : *text;
	}
	if (ret)
		*to = '\0';
	return ret;
}

/* Where it is; @escape() the other way round. */
static int unescape(char *text)
{
	char *to = text;

	while (*text) {
		char c = *text++;

		if (c == '\\') {
			c = *text++;
			if (c != '\\' && c != 'n')
				return -EINVAL;
			if (c == 'n')
				c = '\n';
		}
		*to++ = c;
	}
	*to = '\0';
	return 0;
}

/* malloc'd, with its end. */
static int make_line(char **ret, const struct op_path_image *image)
{
	char *name, *escaped;
	int len, err = op_mangle_image(&name, &image->name);

	if (err)
		return err;
	escaped = escape(name);
	free(name);
	if (!escaped)
		return -ENOMEM;
	len = asprintf(ret, "%08" PRIx32 " %08" PRIx32 " %" PRIu64 " %d %s\n", image->identity.build,
		       image->identity.owner, image->mtime, image->is_kernel, escaped);
	free(escaped);
	return len < 0 ? -ENOMEM : 0;
}

/* What cannot be read is empty. */
static void parse_line(struct op_path_image *image, char *line)
{
	unsigned int kernel;
	int at = 0;

	*image = (struct op_path_image){ .name.path = NULL };
	if (sscanf(line, "%8" SCNx32 " %8" SCNx32 " %20" SCNu64 " %1u%n", &image->identity.build, &image->identity.owner,
		   &image->mtime, &kernel, &at) != 4 || line[at] != ' ' || unescape(line + at + 1))
		return;
	image->is_kernel = kernel;
	op_unmangle_image(&image->name, line + at + 1);
}

int op_path_images_read(struct op_path_images *p, int samples_dirfd)
{
	struct op_path_images read = { 0 };
	char *text, *line, *end;
	size_t len;
	int err = op_read_file(samples_dirfd, OP_PATH_IMAGES_FILE, MAX_FILE, &text, &len);

	if (err)
		return err;
	for (line = text; !err && read.nr < OP_PATH_IMAGES_MAX && (end = memchr(line, '\n', (size_t)(text + len - line)));
	     line = end + 1) {
		*end = '\0';
		err = op_grow(&read.images, read.nr);
		if (!err)
			parse_line(&read.images[read.nr++], line);
	}
	free(text);
	if (err)
		op_path_images_release(&read);
	else
		*p = read;
	return err;
}

void op_path_images_release(struct op_path_images *p)
{
	while (p->nr)
		free(p->images[--p->nr].name.path);
	free(p->images);
	p->images = NULL;
}

const struct op_path_image *op_path_image(const struct op_path_images *p, uint32_t number)
{
	return number && number <= p->nr && p->images[number - 1].name.path ? &p->images[number - 1] : NULL;
}

/*
 * *@number: 0 when there is none. Names are of users' choosing, who can make hashes alike: the text decides, and when
 * it cannot be had the image must not get another number.
 */
static int find(const struct op_path_images_writer *w, const char *text, size_t len, uint64_t hash, uint32_t *number)
{
	struct op_hash_link *link;
	char *there = malloc(len);
	int err = there ? 0 : -ENOMEM;
	size_t got;

	*number = 0;
	for (link = op_hash_first(&w->lines, hash); !err && link && !*number; link = op_hash_next(link)) {
		const struct line *line = (const struct line *)link;

		if (line->len != len)
			continue;
		err = op_read_all_at(w->fd, there, len, (off_t)line->at, &got);
		if (!err && got == len && !memcmp(there, text, len))
			*number = line->number;
	}
	free(there);
	return err;
}

static int remember(struct op_path_images_writer *w, const char *text, size_t len)
{
	struct line *line = malloc(sizeof(*line));

	if (!line)
		return -ENOMEM;
	*line = (struct line){ .number = ++w->nr, .len = (uint32_t)len, .at = w->size };
	op_hash_add(&w->lines, &line->link, op_hash_bytes(OP_HASH_BEGIN, text, len));
	w->size += len;
	return 0;
}

static int read_lines(struct op_path_images_writer *w, int samples_dirfd)
{
	char *text, *line, *end;
	size_t len;
	int err = op_read_file(samples_dirfd, OP_PATH_IMAGES_FILE, MAX_FILE, &text, &len);

	if (err)
		return err;
	for (line = text; !err && (end = memchr(line, '\n', (size_t)(text + len - line))); line = end + 1)
		err = remember(w, line, (size_t)(end + 1 - line));
	free(text);
	if (!err && w->size != len && ftruncate(w->fd, (off_t)w->size))
		err = -errno;
	return err;
}

int op_path_images_open(struct op_path_images_writer **ret, int samples_dirfd)
{
	struct op_path_images_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->fd = openat(samples_dirfd, OP_PATH_IMAGES_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
	err = w->fd < 0 ? -errno : op_hash_init(&w->lines);
	if (!err)
		err = read_lines(w, samples_dirfd);
	if (err) {
		op_path_images_close(w);
		return err;
	}
	*ret = w;
	return 0;
}

static bool forget(struct op_hash_link *link, void *arg)
{
	(void)arg;
	free(link);
	return true;
}

void op_path_images_close(struct op_path_images_writer *w)
{
	if (!w)
		return;
	op_hash_filter(&w->lines, forget, NULL);
	op_hash_release(&w->lines);
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

/* Behind the last line, or not at all. */
static int append(struct op_path_images_writer *w, const char *text, size_t len)
{
	int err = 0;

	if (lseek(w->fd, (off_t)w->size, SEEK_SET) < 0)
		return -errno;
	err = op_write_all(w->fd, text, len);
	if (!err && fdatasync(w->fd))
		err = -errno;
	if (!err)
		err = remember(w, text, len);
	if (err && ftruncate(w->fd, (off_t)w->size))
		return -errno;
	return err;
}

int op_path_images_number(struct op_path_images_writer *w, const struct op_path_image *image, uint32_t *number)
{
	uint32_t found;
	char *text;
	size_t len;
	int err = make_line(&text, image);

	if (err)
		return err;
	len = strlen(text);
	err = find(w, text, len, op_hash_bytes(OP_HASH_BEGIN, text, len), &found);
	if (!err && !found) {
		err = w->held ? -EAGAIN : w->nr >= OP_PATH_IMAGES_MAX || w->size + len > MAX_FILE ? -EFBIG : append(w, text, len);
		found = w->nr;
	}
	if (!err)
		*number = found;
	free(text);
	return err;
}

void op_path_images_hold(struct op_path_images_writer *w, bool held)
{
	w->held = held;
}

uint64_t op_path_images_size(const struct op_path_images_writer *w)
{
	return w->size;
}
