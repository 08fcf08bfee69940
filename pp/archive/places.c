// SPDX-License-Identifier: GPL-2.0-or-later
/* places.c -- paths of debug files in an archive. */
#include "config.h"
#include "pp/archive/places.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/image/debug_file.h"
#include "pp/image/elf.h"

/* Return the build-id of an open file, malloc'd, or NULL if it has no build-id. */
static char *build_id_of(int fd)
{
	struct pp_elf elf;
	char *id;

	if (pp_elf_read(&elf, fd))
		return NULL;
	id = pp_elf_build_id(&elf);
	pp_elf_release(&elf);
	return id;
}

char *pp_archive_debug_place(int fd, const char *path, const char *binary)
{
	const char *slash = strrchr(binary, '/'), *leaf = strrchr(path, '/');
	char *id = build_id_of(fd), *place = NULL;
	int n;

	if (id)
		n = asprintf(&place, "%s/.build-id/%.2s/%s.debug", &PP_DEBUG_DIR[1], id, id + 2);
	else
		n = asprintf(&place, "%.*s/.debug/%s", (int)(slash ? slash - binary : 0), binary,
			     leaf ? leaf + 1 : path);
	free(id);
	return n < 0 ? NULL : place;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

/* Return whether @path is a safe path in the archive for a file of split debug data (.dwo). The
 * binary's owner chose the path, so it might lead out of the archive or into the archived
 * session. */
static bool is_safe(const char *path)
{
	return path[0] == '/' && path[1] != '/' && !strstr(path, "/../") &&
	       !ends_with(path, "/..") &&
	       strncmp(path + 1, PP_ARCHIVE_SESSION_DIR, strlen(PP_ARCHIVE_SESSION_DIR));
}

char *pp_archive_split_place(const char *path, const char *binary, const char *root)
{
	const char *slash = strrchr(binary, '/'), *leaf = strrchr(path, '/');
	char *place;
	int n;

	if (!strncmp(path, root, strlen(root)))
		path += strlen(root);
	if (ends_with(path, ".dwp"))
		n = asprintf(&place, "%s.dwp", binary + 1);
	else if (is_safe(path))
		n = asprintf(&place, "%s", path + 1);
	else
		n = asprintf(&place, "%.*s%s", slash ? (int)(slash - binary) : 0, binary + 1,
			     leaf ? leaf + 1 : path);
	return n < 0 ? NULL : place;
}
