// SPDX-License-Identifier: GPL-2.0-or-later
/* source_text.c -- finds a source file, and reads its lines. */
#include "config.h"
#include "pp/annotate/source_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/fs.h"
#include "pp/image/debug_file.h"

static const char *skip_slashes(const char *path)
{
	return path + strspn(path, "/");
}

/* If the first components of @path are all components of @base, return the length of @base, else
 * 0. */
static size_t base_length(const char *path, const char *base)
{
	size_t len = strlen(base);

	while (len && base[len - 1] == '/')
		len--;
	if (!len || strncmp(path, base, len) || (path[len] && path[len] != '/'))
		return 0;
	return len;
}

const char *pp_source_below_base(const char *recorded, const struct pp_values *base)
{
	size_t longest = 0;

	for (size_t i = 0; base && i < base->nr; i++) {
		size_t len = base_length(recorded, base->items[i]);

		if (len > longest)
			longest = len;
	}
	return skip_slashes(recorded + longest);
}

/* Open the file @below in the directory @dir. Return a descriptor and set *@ret_path, malloc'd, or
 * return a negative errno. */
static int open_below(char **ret_path, const char *dir, const char *below)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", dir, below) < 0)
		return -ENOMEM;
	fd = pp_open_regular(path);
	if (fd < 0)
		free(path);
	else
		*ret_path = path;
	return fd;
}

static int open_as_recorded(char **ret_path, const char *recorded)
{
	int fd = pp_open_regular(recorded);
	char *path;

	if (fd < 0)
		return fd;
	path = strdup(recorded);
	if (!path) {
		close(fd);
		return -ENOMEM;
	}
	*ret_path = path;
	return fd;
}

/* Open @below in one of the directories @dirs. In each directory, try the path, then its ends:
 * a/b/c.c, b/c.c, c.c. */
static int open_in(char **ret_path, const struct pp_values *dirs, const char *below)
{
	while (*below) {
		for (size_t i = 0; i < dirs->nr; i++) {
			int fd = open_below(ret_path, dirs->items[i], below);

			if (fd >= 0 || fd == -ENOMEM)
				return fd;
		}
		below += strcspn(below, "/");
		below = skip_slashes(below);
	}
	return -ENOENT;
}

/* Return the more important of two errors: a problem with an existing file is more important than a
 * missing file. */
static int worse(int err, int other)
{
	return other == -ENOENT || other == -ENOTDIR ? err : other;
}

static int find(char **ret_path, const char *recorded, const struct pp_source_places *places)
{
	const char *below = pp_source_below_base(recorded, places->base);
	/* whether --base-dirs removed a prefix of the recorded path; then the whole path is not
	 * searched below .root */
	int moved = below != skip_slashes(recorded);
	int fd = -ENOENT, err = -ENOENT;

	if (places->root && *places->root && !moved)
		fd = open_below(ret_path, places->root, recorded);
	if (fd < 0 && fd != -ENOMEM && moved && places->search)
		fd = open_in(ret_path, places->search, below);
	if (fd >= 0 || fd == -ENOMEM)
		return fd;
	fd = open_as_recorded(ret_path, recorded);
	if (fd >= 0 || fd == -ENOMEM)
		return fd;
	err = worse(err, fd);
	if (places->search)
		fd = open_in(ret_path, places->search, below);
	return fd >= 0 || fd == -ENOMEM ? fd : err;
}

static int split(struct pp_source_text *text, size_t size)
{
	const char *end = text->data + size;
	size_t nr = 0;

	for (const char *p = text->data; p < end; nr++) {
		const char *newline = memchr(p, '\n', end - p);

		p = newline ? newline + 1 : end;
	}
	text->lines = malloc((nr + 1) * sizeof(*text->lines));
	if (!text->lines)
		return -ENOMEM;
	text->nr = 0;
	for (const char *p = text->data; p < end;) {
		const char *newline = memchr(p, '\n', end - p);

		text->lines[text->nr++] = p;
		p = newline ? newline + 1 : end;
	}
	text->lines[text->nr] = end;
	return 0;
}

static int read_text(struct pp_source_text *text, int fd)
{
	struct stat st;
	size_t size;
	char *data;
	int err;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > (off_t)PP_MAX_SOURCE)
		return -EFBIG;
	data = malloc(st.st_size + 1);
	if (!data)
		return -ENOMEM;
	text->data = data;
	err = op_read_all(fd, data, st.st_size, &size);
	if (err)
		return err;
	if (memchr(data, '\0', size))
		return -EILSEQ;
	text->mtime = st.st_mtime;
	text->device = st.st_dev;
	text->inode = st.st_ino;
	return split(text, size);
}

int pp_source_text_read(struct pp_source_text *ret, const char *recorded,
			const struct pp_source_places *places, const struct pp_reader *reader)
{
	struct pp_source_text text = { 0 };
	int fd = find(&text.path, recorded, places);
	int err;

	if (fd < 0)
		return fd;
	err = pp_reader_check(reader, fd, places->root, &text.is_public);
	if (!err)
		err = read_text(&text, fd);
	close(fd);
	if (err)
		pp_source_text_release(&text);
	else
		*ret = text;
	return err;
}

void pp_source_text_release(struct pp_source_text *text)
{
	free(text->path);
	free((char *)text->data);
	free(text->lines);
	*text = (struct pp_source_text){ 0 };
}

const char *pp_source_strerror(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
		return "not found";
	case -EINVAL:
		return "not a regular file";
	case -EFBIG:
		return "too large to be source code";
	case -EILSEQ:
		return "not text";
	case -EPERM:
		return "not readable to the owner of the program";
	default:
		return strerror(-err);
	}
}

const char *pp_source_line(const struct pp_source_text *text, uint32_t line, size_t *len)
{
	const char *start, *end;

	if (!line || line > text->nr)
		return NULL;
	start = text->lines[line - 1];
	end = text->lines[line];
	if (end > start && end[-1] == '\n')
		end--;
	if (end > start && end[-1] == '\r')
		end--;
	*len = end - start;
	return start;
}

void pp_source_print(FILE *out, const char *text, size_t len)
{
	const char *tab;

	while ((tab = memchr(text, '\t', len))) {
		op_put_clean(out, text, tab - text);
		putc_unlocked('\t', out);
		len -= tab + 1 - text;
		text = tab + 1;
	}
	op_put_clean(out, text, len);
}
