// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_path.c -- makes the names of sample files, which contain paths that users have chosen, and
 * opens the directories of the files.
 */
#include "config.h"
#include "daemon/store/sample_path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/image/image.h"
#include "daemon/image/kernel.h"
#include "daemon/base/session.h"
#include "libop/base/hash.h"
#include "libop/session/identity.h"

/* maximum length of the path of a woken program, so that a name has room for this path and for two
 * paths of images */
#define MAX_WOKEN_PATH	400
#define HASH_TEXT	17	/* length of a hash in a name: "~" and 16 hex digits */

/* Append a component to the path @to. If the component is too long to be a file name after
 * op_mangle() has added two bytes to it, truncate the component. Return the new end of the path. */
static char *append_component(char *to, const char *c, size_t len)
{
	*to++ = '/';
	if (len <= NAME_MAX - 3) {
		memcpy(to, c, len);
		return to + len;
	}
	memcpy(to, c, NAME_MAX - 3 - HASH_TEXT);
	to += NAME_MAX - 3 - HASH_TEXT;
	return to +
	       sprintf(to, "~%016llx", (unsigned long long)op_hash_bytes(OP_HASH_BEGIN, c, len));
}

/* Return the length of the longest prefix of @path that has at most @limit bytes and ends with a
 * complete component. */
static size_t prefix_length(const char *path, size_t limit)
{
	while (limit && path[limit] != '/')
		limit--;
	return limit;
}

/* Like opd_clean_path(), for a result of at most @max bytes. */
static char *clean_path(const char *path, uint64_t version, size_t max)
{
	size_t len = strlen(path);
	char *clean = malloc(len + 160), *to = clean;
	/* number of bytes that op_mangle() may add to the path: two for each component that begins
	 * with { or % */
	size_t grows = 0;
	const char *p = path;

	if (!clean)
		return NULL;
	while (*p) {
		size_t n = strcspn(p, "/");

		if (n && !(n == 1 && p[0] == '.') && !(n == 2 && p[0] == '.' && p[1] == '.'))
			to = append_component(to, p, n);
		grows += *p == '{' || *p == '%' ? 2 : 0;
		p += n;
		p += *p == '/';
	}
	if (to == clean)
		to += sprintf(to, "/(no name)");
	*to = '\0';

	if (to - clean + grows > max) {
		size_t len_clean = to - clean, limit = grows ? max / 3 * 2 : max;
		size_t keep = prefix_length(clean, limit < len_clean ? limit : len_clean);

		to = clean + keep;
		to += sprintf(to, "/~%016llx",
			      (unsigned long long)op_hash_bytes(OP_HASH_BEGIN, path, len));
	}
	if (version) {
		const char *last = strrchr(clean, '/') + 1;
		char suffix[OP_VERSION_SUFFIX_SIZE];

		op_version_suffix(suffix, version);
		if (to - last + strlen(suffix) > NAME_MAX)
			to = clean + (last - clean) + NAME_MAX - strlen(suffix);
		strcpy(to, suffix);
	}
	return clean;
}

char *opd_clean_path(const char *path, uint64_t version)
{
	return clean_path(path, version, OPD_MAX_IMAGE_PATH);
}

static int set_name(struct op_image_name *name, enum op_image_kind kind, char *path)
{
	if (!path)
		return -ENOMEM;
	name->kind = kind;
	name->path = path;
	return 0;
}

static int name_kernel(struct op_image_name *name, const struct opd_kimage *kimage)
{
	if (kimage->kind == OP_IMAGE_ROOT)
		return set_name(name, OP_IMAGE_ROOT, opd_clean_path(kimage->name, 0));
	return set_name(name, kimage->kind, strdup(kimage->name));
}

static int name_app(struct op_image_name *name, const struct opd_file_key *key, uint64_t version)
{
	if (!key->app)
		return name_kernel(name, key->kimage);
	return set_name(name, OP_IMAGE_ROOT,
			opd_clean_path(key->app->path, key->app == key->image ? version : 0));
}

static int name_image(struct op_image_name *name, const struct opd_file_key *key, uint64_t version)
{
	if (key->kimage)
		return name_kernel(name, key->kimage);
	if (key->image)
		return set_name(name, OP_IMAGE_ROOT, opd_clean_path(key->image->path, version));
	name->anon_tgid = key->anon_tgid;
	name->anon_start = key->anon_start;
	name->anon_end = key->anon_end;
	name->anon_program = key->anon_program;
	return set_name(name, OP_IMAGE_ANON, strdup(key->anon_label));
}

/* Set @name->woken to the path of @woken, shortened to MAX_WOKEN_PATH. */
static int name_woken(struct op_sample_name *name, const struct opd_image *woken)
{
	if (!woken)
		return 0;
	name->woken = woken == &opd_kernel_threads ? strdup(OP_WOKEN_KERNEL) :
						     clean_path(woken->path, 0, MAX_WOKEN_PATH);
	return name->woken ? 0 : -ENOMEM;
}

int opd_sample_path(char **ret, const struct opd_file_key *key, const struct op_event_spec *event,
		    uint64_t version)
{
	struct op_sample_name name;
	int err;

	memset(&name, 0, sizeof(name));
	err = name_app(&name.app, key, version);
	if (!err)
		err = name_woken(&name, key->woken);
	name.app.unit = key->unit ? strdup(key->unit) : NULL;
	if (key->unit && !name.app.unit)
		err = -ENOMEM;
	if (!err)
		err = name_image(&name.image, key, version);
	name.event = strdup(event->name);
	if (!err && !name.event)
		err = -ENOMEM;
	if (!err) {
		name.count = event->count;
		name.um = event->um;
		name.tgid = key->tgid;
		name.tid = key->tid;
		name.cpu = key->cpu;
		err = op_mangle(ret, &name);
	}
	op_sample_name_release(&name);
	return err;
}

static int open_one(int dirfd, const char *name, unsigned long *made)
{
	int made_one, fd = opd_open_dir_at(dirfd, name, 0755, made ? &made_one : NULL);

	if (made)
		*made += made_one;
	return fd;
}

int opd_open_parent(int dirfd, const char *path, const char **base, unsigned long *made)
{
	char component[NAME_MAX + 1];
	int fd = dirfd, next;

	for (;;) {
		size_t n = strcspn(path, "/");

		if (path[n] == '\0')
			break;
		if (n == 0 || n > NAME_MAX || (n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.')) {
			next = n > NAME_MAX ? -ENAMETOOLONG : -EINVAL;
		} else {
			memcpy(component, path, n);
			component[n] = '\0';
			next = open_one(fd, component, made);
		}
		if (fd != dirfd)
			close(fd);
		if (next < 0)
			return next;
		fd = next;
		path += n + 1;
	}
	if (fd == dirfd) {
		fd = open_one(dirfd, ".", made);
		if (fd < 0)
			return fd;
	}
	*base = path;
	return fd;
}
