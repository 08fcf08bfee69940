// SPDX-License-Identifier: GPL-2.0-or-later
/* debug_file.c -- search for debug files by build-id and by debug link. */
#include "config.h"
#include "pp/image/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int pp_open_regular(const char *path)
{
	int there = open(path, O_PATH | O_CLOEXEC), fd;
	struct stat st;
	char name[32];

	if (there < 0)
		return -errno;
	/* The file was opened with O_PATH, because opening a device may have side effects. It is a
	 * regular file: open it again for reading. */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", there);
	if (fstat(there, &st))
		fd = -errno;
	else if (!S_ISREG(st.st_mode))
		fd = -EINVAL;
	else
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	fd = fd == -1 ? -errno : fd;
	close(there);
	return fd;
}

static bool same_build_id(int fd, const char *build_id)
{
	struct pp_elf elf;
	char *found;
	bool same;

	if (pp_elf_read(&elf, fd))
		return false;
	found = pp_elf_build_id(&elf);
	same = found && !strcmp(found, build_id);
	free(found);
	pp_elf_release(&elf);
	return same;
}

/* If @same, return @fd and set *@ret_path to @path. Otherwise free @path, close @fd and return
 * -ENOENT. If @fd is a negative errno, return @fd. @path is malloc'd. */
static int accept_if(bool same, int fd, char *path, char **ret_path)
{
	if (fd >= 0 && same) {
		*ret_path = path;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return fd >= 0 ? -ENOENT : fd;
}

static int open_by_build_id(const char *build_id, const char *root, char **ret_path)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s" PP_DEBUG_DIR "/.build-id/%.2s/%s.debug", root, build_id,
		     build_id + 2) < 0)
		return -ENOMEM;
	fd = pp_open_regular(path);
	return accept_if(fd >= 0 && same_build_id(fd, build_id), fd, path, ret_path);
}

/* maximum size, in bytes, of a file whose checksum is computed */
#define MAX_LINKED	(4ull << 30)

/* Compute the CRC-32 of the file @fd. Return 0, -EIO or -EFBIG. */
static int file_crc(int fd, uint32_t *ret)
{
	struct stat st;
	unsigned char buf[65536];
	uint32_t table[256], crc = ~0u;
	uint64_t offset = 0;
	ssize_t n;

	if (fstat(fd, &st))
		return -EIO;
	if ((uint64_t)st.st_size > MAX_LINKED)
		return -EFBIG;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xedb88320 ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
	while ((n = pread(fd, buf, sizeof(buf), offset)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			crc = table[(crc ^ buf[i]) & 0xff] ^ (crc >> 8);
		offset += n;
	}
	*ret = ~crc;
	return n < 0 ? -EIO : 0;
}

struct debuglink {
	char *name;	/* file name of the debug file, without directory */
	uint32_t crc;
};

static int read_debuglink(const struct pp_elf *elf, struct debuglink *ret)
{
	const struct pp_elf_section *section = pp_elf_section_by_name(elf, ".gnu_debuglink");
	unsigned char raw[4];
	size_t n, at;
	char *data;

	if (!section || section->size > 4096)
		return -ENOENT;
	if (pp_elf_section_data(&data, elf, section))
		return -ENOENT;
	n = strlen(data);
	/* the checksum follows the NUL of the name, at the next multiple of four */
	at = (n + 4) & ~3ul;
	if (!n || strchr(data, '/') || at + 4 > section->size) {
		free(data);
		return -ENOENT;
	}
	memcpy(raw, data + at, 4);
	ret->name = data;
	/* the file, and so its checksum, is big-endian */
	if (elf->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		ret->crc = (uint32_t)raw[0] << 24 | raw[1] << 16 | raw[2] << 8 | raw[3];
	else
		ret->crc = (uint32_t)raw[3] << 24 | raw[2] << 16 | raw[1] << 8 | raw[0];
	return 0;
}

bool pp_debug_file_agrees(const struct pp_elf *elf, int debug_fd)
{
	char *build_id = pp_elf_build_id(elf);
	struct debuglink link;
	bool agrees = build_id && same_build_id(debug_fd, build_id);
	uint32_t crc;

	if (!build_id && !read_debuglink(elf, &link)) {
		agrees = !file_crc(debug_fd, &crc) && crc == link.crc;
		free(link.name);
	}
	free(build_id);
	return agrees;
}

static int open_linked(const char *dir, const char *sub, const char *root,
		       const struct debuglink *link, char **ret_path)
{
	uint32_t crc;
	char *path;
	int fd;

	if (asprintf(&path, "%s%s%s/%s", root, dir, sub, link->name) < 0)
		return -ENOMEM;
	fd = pp_open_regular(path);
	return accept_if(fd >= 0 && !file_crc(fd, &crc) && crc == link->crc, fd, path, ret_path);
}

static int open_by_debuglink(const struct pp_elf *elf, const char *path, const char *root,
			     char **ret_path)
{
	struct debuglink link;
	char *dir, *global = NULL, *slash;
	int fd = -ENOMEM;

	if (read_debuglink(elf, &link))
		return -ENOENT;
	dir = strdup(path);
	if (!dir)
		goto done;
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	fd = open_linked(dir, "", "", &link, ret_path);
	if (fd < 0)
		fd = open_linked(dir, "/.debug", "", &link, ret_path);
	if (fd >= 0)
		goto done;
	/* PP_DEBUG_DIR has the same tree of directories as the profiled system, whose paths begin
	 * with @root. */
	if (asprintf(&global, "%s" PP_DEBUG_DIR "%s", root,
		     strncmp(dir, root, strlen(root)) ? dir : dir + strlen(root)) < 0) {
		global = NULL;
		fd = -ENOMEM;
		goto done;
	}
	fd = open_linked(global, "", "", &link, ret_path);
done:
	free(global);
	free(dir);
	free(link.name);
	return fd;
}

int pp_debug_file_open(const struct pp_elf *elf, const char *path,
		       const struct pp_debug_places *places, char **ret_path)
{
	char *build_id;
	int fd = -ENOENT;

	/* Skip the checksum of a debug file that was checked before, because the checksum takes
	 * most of the time. */
	if (places->known) {
		char *known = strdup(places->known);

		fd = known ? pp_open_regular(known) : -ENOMEM;
		if (fd >= 0)
			*ret_path = known;
		else
			free(known);
		if (fd >= 0 || fd == -ENOMEM)
			return fd;
	}
	build_id = pp_elf_build_id(elf);
	if (build_id)
		fd = open_by_build_id(build_id, places->root, ret_path);
	if (fd < 0 && fd != -ENOMEM)
		fd = open_by_debuglink(elf, path, places->root, ret_path);
	if (fd < 0 && fd != -ENOMEM) {
		fd = pp_debuginfod_find(places->server, PP_DEBUGINFOD_DEBUG, build_id, ret_path,
					places->log);
		if (fd >= 0 && !same_build_id(fd, build_id)) {
			free(*ret_path);
			*ret_path = NULL;
			close(fd);
			fd = -ENOENT;
		}
	}
	free(build_id);
	return fd >= 0 || fd == -ENOMEM ? fd : -ENOENT;
}

/* Open @name, a path from .gnu_debugaltlink, below @dir, if the file has the right build-id. */
static int open_alt(const char *root, const char *dir, size_t dir_len, const char *name,
		    const char *build_id)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s%.*s%s%s", root, (int)dir_len, dir, dir_len ? "/" : "", name) < 0)
		return -ENOMEM;
	fd = pp_open_regular(path);
	free(path);
	if (fd >= 0 && !same_build_id(fd, build_id)) {
		close(fd);
		fd = -ENXIO;
	}
	return fd;
}

static char *hex(const char *bytes, size_t nr)
{
	char *text = malloc(2 * nr + 1);

	for (size_t i = 0; text && i < nr; i++)
		sprintf(text + 2 * i, "%02x", (unsigned char)bytes[i]);
	return text;
}

int pp_alt_file_open(const struct pp_elf *elf, const char *path, const char *root)
{
	const struct pp_elf_section *section = pp_elf_section_by_name(elf, ".gnu_debugaltlink");
	const char *slash = strrchr(path, '/');
	char *data, *build_id, *found = NULL;
	size_t n;
	int fd = -ENXIO;

	if (!section)
		return -ENOENT;
	if (section->size > 4096 || pp_elf_section_data(&data, elf, section))
		return -ENXIO;
	n = strlen(data);
	build_id = n + 3 <= section->size ? hex(data + n + 1, section->size - n - 1) : NULL;
	if (!build_id)
		goto done;
	if (*data == '/' && *root)
		fd = open_alt(root, "", 0, data, build_id);
	if (fd < 0 && *data == '/')
		fd = open_alt("", "", 0, data, build_id);
	else if (fd < 0 && slash)
		fd = open_alt("", path, slash - path, data, build_id);
	if (fd < 0)
		fd = open_by_build_id(build_id, root, &found);
	free(found);
done:
	free(build_id);
	free(data);
	return fd >= 0 ? fd : -ENXIO;
}
