// SPDX-License-Identifier: GPL-2.0-or-later
/* path_images.c -- the list of images to which frames of call paths refer. */
#include "config.h"
#include "libop/session/path_images.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/frames.h"
#include "libdb/odb.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/quota.h"
#include "libop/session/path_files.h"

#define MAX_FILE	(1u << 30)

/* A line of the file that lists the images. Lines are in a hash table, by a hash of their text. */
struct line {
	struct op_hash_link link;	/* must be the first member */
	uint32_t number, len;
	/* offset in the file of the line's body: the text after NUMBER and CHECK */
	uint64_t at;
};

struct op_path_images_writer {
	int fd;
	uint64_t size;
	uint32_t nr;			/* highest image number that was assigned */
	uint64_t frames;		/* id of the session's file of frames (libdb/frames.h) */
	struct op_hash_table lines;
	bool held;
	/* the list is a copy that can be created again: a line need not be on the disk before its
	 * number is used */
	bool is_copy;
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

/* Undo escape() in place. Return 0 or a negative errno. */
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

/* Set *@ret to the line of the file that describes @image, with its newline. The caller frees
 * *@ret. */
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
	len = asprintf(ret, "%08" PRIx32 " %08" PRIx32 " %" PRIu64 " %d %s\n",
		       image->identity.build, image->identity.owner, image->mtime, image->is_kernel,
		       escaped);
	free(escaped);
	return len < 0 ? -ENOMEM : 0;
}

static uint32_t check_of(uint64_t frames, uint32_t number, const char *body, size_t len)
{
	uint64_t hash = op_hash_number(op_hash_number(OP_HASH_BEGIN, frames), number);

	hash = op_hash_bytes(hash, body, len);
	return (uint32_t)(hash ^ hash >> 32);
}

/*
 * Parse NUMBER and CHECK at the start of a line that ends at @end. Set *@number to the line's
 * number, and *@body to the text after CHECK. @old: position of the line in the file; in the old
 * format without NUMBER and CHECK, the position is the line's number. Return false if the line is
 * damaged, or does not belong to the session's frames, whose id is @frames.
 */
static bool find_number(uint64_t frames, const char *line, const char *end, uint32_t old,
			uint32_t *number, const char **body)
{
	uint32_t check;
	int at = 0;

	*number = old;
	*body = line;
	if (*line != '=')
		return true;
	if (sscanf(line, "=%" SCNu32 " %8" SCNx32 "%n", number, &check, &at) != 2 ||
	    line[at] != ' ' || line + at >= end)
		return false;
	*body = line + at + 1;
	return *number && *number <= OP_PATH_IMAGES_MAX &&
	       check == check_of(frames, *number, *body, (size_t)(end - *body));
}

/* Set *@ret to the id of the session's file of frames. If the session has no frames, set *@ret to
 * 0: no line has this id. Return 0 or a negative errno. */
static int frames_id(int samples_dirfd, uint64_t *ret)
{
	int fd = openat(samples_dirfd, OP_PATHS_FRAMES,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK),
	    err;
	struct frames *frames;

	*ret = 0;
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
	err = frames_open(&frames, fd, ODB_READ, 0);
	if (err) {
		close(fd);
		return err == ODB_ERR_EMPTY || err == ODB_ERR_FORMAT || err == ODB_ERR_TRUNCATED ?
			       0 :
			       err;
	}
	*ret = frames_generation(frames);
	frames_close(frames);
	return 0;
}

/* Parse @line, the body of a line, into @image. If the body is invalid, leave @image empty. */
static void parse_line(struct op_path_image *image, char *line)
{
	unsigned int kernel;
	int at = 0;

	*image = (struct op_path_image){ .name.path = NULL };
	if (sscanf(line, "%8" SCNx32 " %8" SCNx32 " %20" SCNu64 " %1u%n", &image->identity.build,
		   &image->identity.owner, &image->mtime, &kernel, &at) != 4 ||
	    line[at] != ' ' || unescape(line + at + 1))
		return;
	image->is_kernel = kernel;
	op_unmangle_image(&image->name, line + at + 1);
}

/* Extend the array of images to contain the number @nr. */
static int reserve(struct op_path_images *p, uint32_t nr)
{
	while (p->nr < nr) {
		if (op_grow(&p->images, p->nr))
			return -ENOMEM;
		p->images[p->nr++] = (struct op_path_image){ .name.path = NULL };
	}
	return 0;
}

int op_path_images_read(struct op_path_images *p, int samples_dirfd)
{
	struct op_path_images read = { 0 };
	const char *body;
	char *text, *line, *end;
	uint32_t old = 0, number;
	uint64_t frames;
	size_t len;
	int err = op_read_file(samples_dirfd, OP_PATH_IMAGES_FILE, MAX_FILE, &text, &len);

	if (err)
		return err;
	err = frames_id(samples_dirfd, &frames);
	for (line = text; !err && old < OP_PATH_IMAGES_MAX &&
			  (end = memchr(line, '\n', (size_t)(text + len - line)));
	     line = end + 1) {
		*end = '\0';
		old++;
		if (!find_number(frames, line, end, old, &number, &body))
			continue;
		err = reserve(&read, number);
		if (!err && !read.images[number - 1].name.path)
			parse_line(&read.images[number - 1], line + (body - line));
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
	return number && number <= p->nr && p->images[number - 1].name.path ?
		       &p->images[number - 1] :
		       NULL;
}

/*
 * Search the list for a line with the text @text. Set *@number to the line's number; 0: not found.
 * Compare the text, because users choose names and can make hashes collide. If the text cannot be
 * read, return an error: the image must not get a second number.
 */
static int find(const struct op_path_images_writer *w, const char *text, size_t len, uint64_t hash,
		uint32_t *number)
{
	struct op_hash_link *link;
	char *there = malloc(len);
	int err = there ? 0 : -ENOMEM;
	size_t got;

	*number = 0;
	for (link = op_hash_first(&w->lines, hash); !err && link && !*number;
	     link = op_hash_next(link)) {
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

static int remember(struct op_path_images_writer *w, uint32_t number, uint64_t at, const char *text,
		    size_t len)
{
	struct line *line = malloc(sizeof(*line));

	if (!line)
		return -ENOMEM;
	*line = (struct line){ .number = number, .len = (uint32_t)len, .at = at };
	op_hash_add(&w->lines, &line->link, op_hash_bytes(OP_HASH_BEGIN, text, len));
	if (w->nr < number)
		w->nr = number;
	return 0;
}

static int read_lines(struct op_path_images_writer *w, int samples_dirfd)
{
	const char *body;
	char *text, *line, *end;
	uint32_t old = 0, number;
	size_t len;
	int err = op_read_file(samples_dirfd, OP_PATH_IMAGES_FILE, MAX_FILE, &text, &len);

	if (err)
		return err;
	for (line = text; !err && (end = memchr(line, '\n', (size_t)(text + len - line)));
	     line = end + 1) {
		if (find_number(w->frames, line, end, ++old, &number, &body))
			err = remember(w, number, (uint64_t)(body - text), body,
				       (size_t)(end + 1 - body));
		w->size = (uint64_t)(end + 1 - text);
	}
	free(text);
	if (!err && w->size != len && ftruncate(w->fd, (off_t)w->size))
		err = -errno;
	return err;
}

int op_path_images_open(struct op_path_images_writer **ret, int samples_dirfd, uint64_t frames,
			uint32_t highest)
{
	struct op_path_images_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->frames = frames;
	w->nr = highest;
	err = op_quota_request_name(OP_QUOTA_OTHERS);
	if (err) {
		free(w);
		return err;
	}
	w->fd = openat(samples_dirfd, OP_PATH_IMAGES_FILE,
		       O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
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

/* Append a complete line to the file, or leave the file unchanged. @body: the text after CHECK,
 * with a newline. CHECK does not cover the newline. */
static int append(struct op_path_images_writer *w, const char *body, size_t len)
{
	uint32_t number = w->nr + 1;
	char *line;
	int size = asprintf(&line, "=%" PRIu32 " %08" PRIx32 " %s", number,
			    check_of(w->frames, number, body, len - 1), body),
	    err = 0;

	if (size < 0)
		return -ENOMEM;
	if (lseek(w->fd, (off_t)w->size, SEEK_SET) < 0)
		err = -errno;
	if (!err)
		err = op_write_all(w->fd, line, (size_t)size);
	free(line);
	if (!err && !w->is_copy && fdatasync(w->fd))
		err = -errno;
	if (!err)
		err = remember(w, number, w->size + (uint64_t)size - len, body, len);
	if (!err)
		w->size += (uint64_t)size;
	if (err && ftruncate(w->fd, (off_t)w->size))
		return -errno;
	return err;
}

int op_path_images_number(struct op_path_images_writer *w, const struct op_path_image *image,
			  uint32_t *number)
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
		err = w->held ? -EAGAIN :
		      w->nr >= OP_PATH_IMAGES_MAX || w->size + len > MAX_FILE ?
				-EFBIG :
				append(w, text, len);
		found = w->nr;
	}
	if (!err)
		*number = found;
	free(text);
	return err;
}

void op_path_images_copy(struct op_path_images_writer *w)
{
	w->is_copy = true;
}

void op_path_images_hold(struct op_path_images_writer *w, bool held)
{
	w->held = held;
}

uint64_t op_path_images_size(const struct op_path_images_writer *w)
{
	return w->size;
}
