// SPDX-License-Identifier: GPL-2.0-or-later
/* build_ids.c -- reading and writing the build-ids of profiled binaries. */
#include "config.h"
#include "libop/session/build_ids.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "libop/base/quota.h"
#include "libop/base/search.h"

#define TMP_FILE	OP_BUILD_IDS_FILE ".tmp"
#define MAX_FILE	(256u << 20)

static int compare(const struct op_build_id *e, const char *path, const uint8_t *id, size_t len)
{
	int c = strcmp(e->path, path);

	if (c)
		return c;
	if (e->len != len)
		return e->len < len ? -1 : 1;
	return memcmp(e->id, id, len);
}

int op_build_ids_add(struct op_build_ids *b, const char *path, const uint8_t *id, size_t len)
{
	size_t at;
	char *copy;

	if (len == 0 || len > OP_BUILD_ID_MAX || !*path || strchr(path, '\n'))
		return -EINVAL;
	at = op_partition_point(i, b->nr, compare(&b->ids[i], path, id, len) < 0);
	if (at < b->nr && !compare(&b->ids[at], path, id, len))
		return 0;
	if (op_grow(&b->ids, b->nr))
		return -ENOMEM;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	memmove(&b->ids[at + 1], &b->ids[at], (b->nr - at) * sizeof(*b->ids));
	b->ids[at] = (struct op_build_id){ .path = copy, .len = len };
	memcpy(b->ids[at].id, id, len);
	b->nr++;
	return 0;
}

static void write_line(FILE *f, const struct op_build_id *e)
{
	for (size_t i = 0; i < e->len; i++)
		fprintf(f, "%02x", e->id[i]);
	fprintf(f, " %s\n", e->path);
}

/* Return the maximum number of bytes of disk space that a new file of build-ids needs. */
static uint64_t bytes_of(const struct op_build_ids *b)
{
	uint64_t bytes = 4 * OP_QUOTA_BLOCK;

	for (size_t i = 0; i < b->nr; i++)
		bytes += 2 * b->ids[i].len + strlen(b->ids[i].path) + 2;
	return bytes;
}

int op_build_ids_write(const struct op_build_ids *b, int samples_dirfd)
{
	FILE *f;
	int fd, err = 0;

	unlinkat(samples_dirfd, TMP_FILE, 0);
	err = op_quota_request(OP_QUOTA_OTHERS, bytes_of(b));
	if (err)
		return err;
	fd = openat(samples_dirfd, TMP_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    0644);
	if (fd < 0)
		return -errno;
	f = fdopen(fd, "w");
	if (!f) {
		err = -errno;
		close(fd);
		goto remove_tmp;
	}
	for (size_t i = 0; i < b->nr; i++)
		write_line(f, &b->ids[i]);
	if (fflush(f) || ferror(f) || fsync(fd))
		err = errno ? -errno : -EIO;
	if (fclose(f) && !err)
		err = -errno;
	if (!err && renameat(samples_dirfd, TMP_FILE, samples_dirfd, OP_BUILD_IDS_FILE))
		err = -errno;
	if (!err)
		return 0;
remove_tmp:
	unlinkat(samples_dirfd, TMP_FILE, 0);
	return err;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Add the build-id and path of one line of the file. @line does not end with a newline. */
static int add_line(struct op_build_ids *b, const char *line)
{
	uint8_t id[OP_BUILD_ID_MAX];
	const char *p = line;
	size_t n = 0;
	int err;

	for (; hex_digit(p[0]) >= 0 && hex_digit(p[1]) >= 0 && n < OP_BUILD_ID_MAX; p += 2)
		id[n++] = (uint8_t)(hex_digit(p[0]) << 4 | hex_digit(p[1]));
	if (!n || *p != ' ')
		return 0;
	err = op_build_ids_add(b, p + 1, id, n);
	return err == -EINVAL ? 0 : err;
}

int op_build_ids_read(struct op_build_ids *b, int samples_dirfd)
{
	char *text, *line, *end;
	size_t len;
	int err = op_read_file(samples_dirfd, OP_BUILD_IDS_FILE, MAX_FILE, &text, &len);

	if (err)
		return err;
	/* If the last line does not end with a newline, it was truncated: ignore it. */
	for (line = text; !err && (end = memchr(line, '\n', len - (size_t)(line - text)));
	     line = end + 1) {
		*end = '\0';
		err = add_line(b, line);
	}
	free(text);
	return err;
}

void op_build_ids_release(struct op_build_ids *b)
{
	for (size_t i = 0; i < b->nr; i++)
		free(b->ids[i].path);
	free(b->ids);
	*b = (struct op_build_ids){ 0 };
}

size_t op_build_ids_find(const struct op_build_ids *b, const char *path,
			 const struct op_build_id **first)
{
	size_t at = op_partition_point(i, b->nr, strcmp(b->ids[i].path, path) < 0);
	size_t nr = 0;

	while (at + nr < b->nr && !strcmp(b->ids[at + nr].path, path))
		nr++;
	if (nr)
		*first = &b->ids[at];
	return nr;
}
