// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cookie.c -- hash table from cookies (numbers of files in the module's stream) to images. New
 * entries come from the kernel module's ioctl or from a recorded table.
 */
#include "config.h"
#include "daemon/image/cookie.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "daemon/image/finder.h"
#include "daemon/image/identify.h"
#include "daemon/image/image.h"
#include "module/uapi/oprofile.h"

#define MAX_PATH_SIZE	65536	/* maximum length in bytes of a path from the kernel */

/* maximum number of processes through which the daemon tries to open one file */
#define MAX_TRIES	4

struct entry {
	/* number of the file in the module's stream; 0: unused entry */
	uint64_t cookie;
	const struct opd_image *image;
	/* process through which the file was not found, or 0 */
	pid_t tried;
	/* how often the daemon may still try to open the file; 0: it was opened, or is lost */
	uint32_t tries;
};

struct opd_cookies {
	struct opd_images *images;
	int buffer_fd;
	struct entry *table;		/* hash table with open addressing, at most half full */
	size_t size;			/* number of entries in the hash table, a power of two */
	size_t nr;
	char *path;			/* buffer for the path that the module's ioctl returns */
	size_t path_size;
};

int opd_cookies_create(struct opd_cookies **ret, struct opd_images *images, int buffer_fd)
{
	struct opd_cookies *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->images = images;
	c->buffer_fd = buffer_fd;
	c->size = 1024;
	c->table = calloc(c->size, sizeof(*c->table));
	c->path_size = 4096 + 16;
	c->path = malloc(c->path_size);
	if (!c->table || !c->path) {
		opd_cookies_destroy(c);
		return -ENOMEM;
	}
	*ret = c;
	return 0;
}

void opd_cookies_destroy(struct opd_cookies *c)
{
	if (!c)
		return;
	free(c->path);
	free(c->table);
	free(c);
}

static size_t first_slot(size_t size, uint64_t cookie)
{
	return (cookie * 0x9e3779b97f4a7c15u) >> 32 & (size - 1);
}

static struct entry *slot_of(struct entry *table, size_t size, uint64_t cookie)
{
	size_t i = first_slot(size, cookie);

	while (table[i & (size - 1)].cookie && table[i & (size - 1)].cookie != cookie)
		i++;
	return &table[i & (size - 1)];
}

static int remember(struct opd_cookies *c, const struct entry *new)
{
	struct entry *e;

	if (c->nr * 2 >= c->size) {
		struct entry *table = calloc(c->size * 2, sizeof(*table));

		if (!table)
			return -ENOMEM;
		for (size_t i = 0; i < c->size; i++)
			if (c->table[i].cookie)
				*slot_of(table, c->size * 2, c->table[i].cookie) = c->table[i];
		free(c->table);
		c->table = table;
		c->size *= 2;
	}
	e = slot_of(c->table, c->size, new->cookie);
	if (!e->cookie)
		c->nr++;
	*e = *new;
	return 0;
}

/*
 * Ask the module for the path and the data of a cookie's file. Store the path in c->path and the
 * data in *@info. @flags: OPROFILE_COOKIE_INNER for the path inside the file's file system, or 0.
 * Return false on failure.
 */
static bool query_module(struct opd_cookies *c, uint64_t cookie, uint32_t flags,
			 struct oprofile_cookie_info *info)
{
	for (;;) {
		memset(info, 0, sizeof(*info));
		info->cookie = cookie;
		info->path = (uintptr_t)c->path;
		info->path_size = c->path_size;
		info->flags = flags;
		if (ioctl(c->buffer_fd, OPROFILE_IOC_COOKIE, info) == 0)
			break;
		if (errno == EINTR)
			continue;
		if (errno != ENAMETOOLONG || info->path_len <= c->path_size ||
		    info->path_len > MAX_PATH_SIZE)
			return false;
		char *path = realloc(c->path, info->path_len);

		if (!path)
			return false;
		c->path = path;
		c->path_size = info->path_len;
	}
	if (!info->path_len || info->path_len > c->path_size)
		return false;
	c->path[info->path_len - 1] = '\0';
	return true;
}

/* Return the path by which the daemon sees a file that was executed in another mount namespace or
 * root directory. Set *@err to 0 if the file was opened. Return NULL if the daemon cannot see the
 * file. */
static char *own_path(struct opd_cookies *c, uint64_t cookie, struct opd_identity *identity,
		      int *err)
{
	struct oprofile_cookie_info info;
	char *path = NULL;
	FILE *mounts;

	if (!query_module(c, cookie, OPROFILE_COOKIE_INNER, &info))
		return NULL;
	mounts = fopen("/proc/self/mountinfo", "re");
	if (!mounts)
		return NULL;
	*err = opd_mount_path(&path, identity, opd_images_finder(c->images), mounts, info.fs_dev,
			      c->path, info.dev, info.ino);
	if (*err)
		path = NULL;
	else if (identity->fd < 0 && !identity->mtime)
		*err = -EAGAIN;		/* the finder did not answer */
	fclose(mounts);
	return path;
}

/* Return the path of a container's file, with the prefix "/[container:MAJOR:MINOR]". The device
 * number of the file system distinguishes containers. If process @tgid still runs, open the file
 * only through the process, and set *@err to the result: the daemon does not see the container's
 * mounts, and below its own root directory the path may lead to a user's file system (FUSE). */
static char *container_path(struct opd_cookies *c, uint64_t cookie, pid_t tgid,
			    struct opd_identity *identity, int *err)
{
	struct oprofile_cookie_info info;
	char *path;

	if (!query_module(c, cookie, 0, &info))
		return NULL;
	*err = tgid ? opd_finder_find_through(opd_images_finder(c->images), identity, c->path,
					      info.dev, info.ino, tgid) : -ENOENT;
	if (asprintf(&path, "/[container:%u:%u]%s%s", major(info.fs_dev), minor(info.fs_dev),
		     c->path[0] == '/' ? "" : "/", c->path) < 0)
		return NULL;
	return path;
}

/* Return whether the finder gave no answer; then the file may exist or not. */
static bool is_unanswered(int err)
{
	return err == -EAGAIN || err == -ETIMEDOUT || err == -EBUSY;
}

/*
 * Ask the kernel module for the file of a cookie, and return its image. @tgid: a process that has
 * mapped the file, or 0. If the file was deleted or replaced after the module saw it, and the
 * process has ended, the image has no build-id and no owner. Set *@err to 0 if the file was opened.
 */
static __attribute__((noinline)) const struct opd_image *find_image(struct opd_cookies *c,
								    uint64_t cookie, pid_t tgid,
								    int *err)
{
	struct oprofile_cookie_info info;
	struct opd_identity identity = { .fd = -1 };
	const struct opd_image *image = NULL;
	char *path;

	*err = -ENOENT;
	if (!query_module(c, cookie, 0, &info))
		return NULL;
	if (!(info.flags & OPROFILE_COOKIE_FOREIGN)) {
		path = strdup(c->path);
		if (path)
			*err = opd_finder_find(opd_images_finder(c->images), &identity, path,
					       info.dev, info.ino, tgid);
	} else {
		path = own_path(c, cookie, &identity, err);
		if (!path)
			path = container_path(c, cookie, tgid, &identity, err);
	}
	if (!*err && identity.mtime != info.mtime_sec)
		*err = -ENOENT;
	if (identity.mtime != info.mtime_sec) {
		opd_identity_release(&identity);
		identity = (struct opd_identity){ .mtime = info.mtime_sec, .fd = -1 };
	}
	if (path)
		image = opd_images_intern_build(c->images, path, info.dev, info.ino, &identity);
	opd_identity_release(&identity);
	free(path);
	return image;
}

void opd_cookies_ahead(void *arg, uint64_t cookie)
{
	const struct opd_cookies *c = arg;

	__builtin_prefetch(&c->table[first_slot(c->size, cookie)]);
}

/* Find the image of a cookie whose file was not opened so far. @e: the cookie's entry, or a new
 * entry without an image. */
static const struct opd_image *look_up(struct opd_cookies *c, struct entry e, pid_t tgid)
{
	int err;
	const struct opd_image *image = find_image(c, e.cookie, tgid, &err);

	/* Do not store a failed lookup: the kernel may know the cookie at the next call. */
	if (!image)
		return e.image;
	e.image = image;
	if (!err)
		e.tries = 0;
	else if (tgid)
		e.tries--;
	if (!is_unanswered(err))
		e.tried = tgid;
	remember(c, &e);
	return e.image;
}

const struct opd_image *opd_cookies_image(void *arg, uint64_t cookie, pid_t tgid)
{
	struct opd_cookies *c = arg;
	struct entry *e;

	if (!cookie)
		return NULL;
	e = slot_of(c->table, c->size, cookie);
	if (e->cookie && (!e->tries || !tgid || tgid == e->tried))
		return e->image;
	if (c->buffer_fd < 0)
		return NULL;
	return look_up(c, e->cookie ? *e : (struct entry){ .cookie = cookie, .tries = MAX_TRIES },
		       tgid);
}

/* Decode the escapes \n, \t, \r and \\ in @s in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s != '\\' || !s[1]) {
			*to++ = *s;
			continue;
		}
		s++;
		*to++ = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s == 'r' ? '\r' : *s;
	}
	*to = '\0';
}

static int read_line(struct opd_cookies *c, char *line)
{
	unsigned long long cookie, dev = 0, ino = 0, mtime = 0;
	char *tab = strchr(line, '\t'), *end;
	const struct opd_image *image;

	if (!tab || tab[1] == '\0')
		return -EINVAL;
	*tab = '\0';
	errno = 0;
	cookie = strtoull(line, &end, 16);
	if (*end == ',') {
		dev = strtoull(end + 1, &end, 10);
		if (*end == ',')
			ino = strtoull(end + 1, &end, 10);
		if (*end == ',')
			mtime = strtoull(end + 1, &end, 10);
	}
	if (errno || *end || end == line || !cookie)
		return -EINVAL;
	unescape(tab + 1);
	image = opd_images_intern(c->images, tab + 1, dev, ino, mtime);
	if (!image)
		return -ENOMEM;
	return remember(c, &(struct entry){ .cookie = cookie, .image = image });
}

int opd_cookies_read(struct opd_cookies *c, FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err, bad = 0;

	while ((len = getline(&line, &size, f)) > 0) {
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		if (!len || line[0] == '#')
			continue;
		err = memchr(line, '\0', len) ? -EINVAL : read_line(c, line);
		if (err == -ENOMEM) {
			free(line);
			return err;
		}
		if (err)
			bad++;
	}
	free(line);
	return ferror(f) ? -EIO : bad;
}

struct mount {
	uint64_t dev;
	/* directory inside the mounted file system that is mounted at the mount point */
	char *root;
	char *point;
	const char *type;
};

/* Decode the kernel's octal escapes \ooo (for blanks and backslashes) in @s in place. */
static void decode_octal(char *s)
{
	char *to = s, *from = s;

	while (*from) {
		if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
			*to++ = (from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0');
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* Parse a line of /proc/PID/mountinfo, for example "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 -
 * ext3 /dev/root rw,errors=continue". */
static bool parse(struct mount *m, char *line)
{
	char *dash = strstr(line, " - "), *save, *field;
	unsigned int major, minor;

	if (!dash)
		return false;
	*dash = '\0';
	m->type = strtok_r(dash + 3, " \n", &save);
	if (!strtok_r(line, " ", &save) || !strtok_r(NULL, " ", &save))
		return false;
	field = strtok_r(NULL, " ", &save);
	m->root = strtok_r(NULL, " ", &save);
	m->point = strtok_r(NULL, " ", &save);
	if (!m->type || !field || !m->root || !m->point ||
	    sscanf(field, "%u:%u", &major, &minor) != 2)
		return false;
	m->dev = makedev(major, minor);
	decode_octal(m->root);
	decode_octal(m->point);
	return true;
}

/* Return true if access to a file system of type @type (FUSE) can block, because a user's process
 * serves it. */
static bool may_block(const char *type)
{
	return !strncmp(type, "fuse", 4) || !strcmp(type, "autofs");
}

/* Return the rest of @path after the directory @dir, with a leading slash, or NULL if @path is not
 * below @dir. */
static const char *below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return !strncmp(path, dir, len) && path[len] == '/' ? path + len : NULL;
}

int opd_mount_path(char **ret, struct opd_identity *identity, struct opd_finder *finder,
		   FILE *mountinfo, uint64_t fs_dev, const char *inner, uint64_t dev, uint64_t ino)
{
	char *line = NULL, *path;
	size_t size = 0;
	int err = -ENOENT;

	while (err == -ENOENT && getline(&line, &size, mountinfo) > 0) {
		struct mount m;
		const char *rest;

		if (!parse(&m, line) || m.dev != fs_dev || may_block(m.type))
			continue;
		rest = below(inner, m.root);
		if (!rest)
			continue;
		if (asprintf(&path, "%s%s", strcmp(m.point, "/") ? m.point : "", rest) < 0) {
			err = -ENOMEM;
			break;
		}
		err = opd_finder_find(finder, identity, path, dev, ino, 0);
		if (!err || is_unanswered(err)) {
			*ret = path;
			err = 0;
			break;
		}
		free(path);
		err = -ENOENT;
	}
	free(line);
	return err;
}
