// SPDX-License-Identifier: GPL-2.0-or-later
/* cursor.c -- reads and writes the cursor of the service. */
#include "config.h"
#include "utils/opexport/cursor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "libop/base/fs.h"

#define HEAD	"opexport-cursor 1"

int export_cursor_open(struct export_cursor *ret, const char *path, struct op_reason *error)
{
	const char *slash = strrchr(path, '/');
	char *parent = slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
	int fd, err = 0;

	if (!parent)
		return -ENOMEM;
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		err = op_fail(error, -errno, "cannot open %s for the cursor: %s", parent,
			      strerror(errno));
	else if (flock(fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ?
			      op_fail(error, -EBUSY, "another opexport uses the cursor %s", path) :
			      op_fail(error, -errno, "cannot lock %s: %s", parent, strerror(errno));
	free(parent);
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	*ret = (struct export_cursor){ .dir = fd, .name = slash ? slash + 1 : path };
	return 0;
}

void export_cursor_close(struct export_cursor *cursor)
{
	if (cursor->dir >= 0)
		close(cursor->dir);
	cursor->dir = -1;
}

/* Write the text of the file up to the time to @buf. Return its length, or -ENAMETOOLONG if it does
 * not fit. */
static int put_head(char buf[EXPORT_CURSOR_MAX], const char *target, const char *host)
{
	const int len = snprintf(buf, EXPORT_CURSOR_MAX, HEAD "\nto %s\nhost %s\nuntil ", target,
				 host);

	return len > 0 && len < EXPORT_CURSOR_MAX - 32 ? len : -ENAMETOOLONG;
}

int64_t export_cursor_read(const struct export_cursor *cursor, const char *target,
			   const char *host)
{
	char head[EXPORT_CURSOR_MAX], *text, *end;
	int64_t until = INT64_MIN;
	int len = put_head(head, target, host);
	size_t size;

	if (cursor->dir < 0 || len < 0 ||
	    op_read_file(cursor->dir, cursor->name, EXPORT_CURSOR_MAX, &text, &size))
		return INT64_MIN;
	if (size > (size_t)len && !strncmp(text, head, len)) {
		until = strtoll(text + len, &end, 10);
		if (end == text + len || *end != '\n' || until <= 0)
			until = INT64_MIN;
	}
	free(text);
	return until;
}

int export_cursor_write(const struct export_cursor *cursor, const char *target, const char *host,
			int64_t until)
{
	char text[EXPORT_CURSOR_MAX];
	int len = put_head(text, target, host);

	if (cursor->dir < 0)
		return 0;
	if (len < 0)
		return len;
	len += snprintf(text + len, sizeof(text) - len, "%" PRId64 "\n", until);
	return op_replace_file(cursor->dir, cursor->name, text, len, 0600);
}
