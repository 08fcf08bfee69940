// SPDX-License-Identifier: GPL-2.0-or-later
/* split.c -- search for .dwo and .dwp files. */
#include "config.h"
#include "pp/image/split.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/image/debug_file.h"
#include "pp/image/debug_view.h"
#include "pp/image/dwp.h"

#define MAX_VIEWS	(3ull << 30)	/* bytes of all units' views, which stay in memory */
/* bytes that are charged for a damaged unit: a package may have millions of them */
#define FAILURE		(4u << 20)

struct pp_split {
	char *binary, *debug;
	const char *root;
	uid_t owner;
	struct pp_log *log;
	bool has_package;		/* the search for a package is done */
	struct pp_dwp *package;		/* NULL: not found */
	char *package_path;
	bool has_warned;
	uint64_t room;			/* bytes left for further views */
};

int pp_split_create(struct pp_split **ret, const struct pp_split_places *places)
{
	struct pp_split *split = calloc(1, sizeof(*split));

	if (!split)
		return -ENOMEM;
	split->binary = strdup(places->binary);
	split->debug = strdup(places->debug);
	split->root = places->root;
	split->owner = places->owner;
	split->log = places->log;
	split->room = MAX_VIEWS;
	if (!split->binary || !split->debug) {
		pp_split_free(split);
		return -ENOMEM;
	}
	*ret = split;
	return 0;
}

void pp_split_free(struct pp_split *split)
{
	if (!split)
		return;
	pp_dwp_close(split->package);
	free(split->package_path);
	free(split->binary);
	free(split->debug);
	free(split);
}

/* Open @path; return a descriptor, or a negative errno: -EPERM for a file of an untrusted owner. */
static int open_trusted(const struct pp_split *split, const char *path)
{
	int fd = pp_open_regular(path);
	struct stat st;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && (!st.st_uid || st.st_uid == split->owner || st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -EPERM;
}

static void warn(struct pp_split *split, const char *path, int err)
{
	if (split->has_warned)
		return;
	split->has_warned = true;
	pp_warn(split->log,
		"%s: cannot read its debug data in %s: %s; functions inlined there are not shown: "
		"keep the .dwo files, or make %s.dwp with \"dwp -e %s\"",
		split->binary, path,
		err == -EPERM	  ? "its owner is neither root nor the program's"
		: err == -ENOEXEC ? "it is damaged, or of another build"
		: err == -EFBIG	  ? "it is too large"
				  : strerror(-err),
		split->binary, split->binary);
}

/* Open FILE.dwp. */
static int open_package_of(struct pp_split *split, const char *file)
{
	const char *missing = "";
	char *path;
	int fd, err;

	if (asprintf(&path, "%s.dwp", file) < 0)
		return -ENOMEM;
	fd = open_trusted(split, path);
	err = fd < 0 ? fd : pp_dwp_open(&split->package, fd, &missing);
	if (!err) {
		split->package_path = path;
		return 0;
	}
	if (err != -ENOENT)
		warn(split, path, err);
	free(path);
	return err;
}

static struct pp_dwp *want_package(struct pp_split *split)
{
	if (!split->has_package && open_package_of(split, split->binary) &&
	    strcmp(split->binary, split->debug))
		open_package_of(split, split->debug);
	split->has_package = true;
	return split->package;
}

/* Open @path below the root, else without the root. *@ret_path, malloc'd, is set even if there is
 * no file. */
static int open_place(const struct pp_split *split, const char *dir, const char *name,
		      char **ret_path)
{
	const char *root = *dir == '/' || *name == '/' ? split->root : "";
	int fd = -ENOENT;

	free(*ret_path);
	*ret_path = NULL;
	if (*root) {
		if (asprintf(ret_path, "%s%s%s%s", root, dir, *dir ? "/" : "", name) < 0) {
			*ret_path = NULL;
			return -ENOMEM;
		}
		fd = open_trusted(split, *ret_path);
		if (fd != -ENOENT)
			return fd;
		free(*ret_path);
	}
	if (asprintf(ret_path, "%s%s%s", dir, *dir ? "/" : "", name) < 0) {
		*ret_path = NULL;
		return -ENOMEM;
	}
	return open_trusted(split, *ret_path);
}

/* Open the .dwo file of a unit, at the path in the binary or beside the binary. *@ret_path is
 * the expected path. */
static int open_unit_file(const struct pp_split *split, const struct pp_split_unit *unit,
			  char **ret_path)
{
	bool is_absolute = *unit->name == '/';
	int fd =
		open_place(split, is_absolute || !unit->dir ? "" : unit->dir, unit->name, ret_path);
	const char *slash = strrchr(split->binary, '/'), *leaf = strrchr(unit->name, '/');
	char *beside, *dir;

	if (fd != -ENOENT || !slash)
		return fd;
	dir = strndup(split->binary, slash - split->binary);
	beside = NULL;
	if (dir && asprintf(&beside, "%s/%s", dir, leaf ? leaf + 1 : unit->name) < 0)
		beside = NULL;
	free(dir);
	if (!beside)
		return -ENOMEM;
	fd = open_trusted(split, beside);
	if (fd >= 0) {
		free(*ret_path);
		*ret_path = beside;
	} else {
		free(beside);
	}
	return fd;
}

/* Return the descriptor of an unnamed file (memfd) with the view's bytes. */
static int file_of(const struct pp_debug_view *view)
{
	int fd = memfd_create("oprofile-split", MFD_CLOEXEC);
	size_t at = 0;

	while (fd >= 0 && at < view->size) {
		ssize_t n = write(fd, view->bytes + at, view->size - at);

		if (n < 0) {
			int err = -errno;

			close(fd);
			return err;
		}
		at += n;
	}
	return fd < 0 ? -errno : fd;
}

static int view_unit_file(struct pp_debug_view *ret, int fd, const char **ret_missing)
{
	struct pp_elf elf;
	int err = pp_elf_read(&elf, fd);

	if (err)
		return err;
	err = pp_debug_view_make_split(ret, &elf, NULL, ret_missing);
	pp_elf_release(&elf);
	return err == -ENOENT ? -ENOEXEC : err;
}

/* Subtract the size of a view from the room. Return @err, or -EFBIG if the view is larger than
 * the room. */
static int pay(struct pp_split *split, const struct pp_debug_view *view, int err)
{
	uint64_t cost = err == -ENOEXEC ? FAILURE : view->size;

	if (cost > split->room) {
		split->room = 0;
		return err ? err : -EFBIG;
	}
	split->room -= cost;
	return err;
}

int pp_split_open(struct pp_split *split, const struct pp_split_unit *unit)
{
	struct pp_dwp *package = want_package(split);
	struct pp_debug_view view = { 0 };
	const char *missing = "";
	char *path = NULL;
	int err = !split->room ? -EFBIG
		  : package    ? pp_dwp_view(&view, package, unit->id, &missing)
			       : -ENOENT;

	if (err == -ENOENT) {
		int fd = open_unit_file(split, unit, &path);

		err = fd < 0 ? fd : view_unit_file(&view, fd, &missing);
		if (fd >= 0)
			close(fd);
	}
	err = pay(split, &view, err);
	if (!err)
		err = file_of(&view);
	if (err < 0 && err != -ENOMEM)
		warn(split, path ? path : package ? split->package_path : unit->name, err);
	pp_debug_view_release(&view);
	free(path);
	return err;
}

void pp_split_refuse(struct pp_split *split, const struct pp_split_unit *unit)
{
	pay(split, &(struct pp_debug_view){ 0 }, -ENOEXEC);
	warn(split, split->package ? split->package_path : unit->name, -ENOEXEC);
}

/* Return 0 if the file has split debug data. The binary may refer to any file of root. */
static int check_unit_file(int fd)
{
	struct pp_elf elf;
	int err = pp_elf_read(&elf, fd);

	if (err)
		return err;
	err = pp_debug_view_has_split(&elf) ? 0 : -ENOEXEC;
	pp_elf_release(&elf);
	return err;
}

int pp_split_find(struct pp_split *split, const struct pp_split_unit *unit, char **ret_path)
{
	struct pp_dwp *package = want_package(split);
	char *path = package ? strdup(split->package_path) : NULL;
	int fd = package ? pp_dwp_dup(package) : open_unit_file(split, unit, &path);
	int err = fd < 0 ? fd : !path ? -ENOMEM : package ? 0 : check_unit_file(fd);

	if (!err) {
		*ret_path = path;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}
