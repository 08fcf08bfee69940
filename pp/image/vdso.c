// SPDX-License-Identifier: GPL-2.0-or-later
/* vdso.c -- copies the calling process's vdso (code that the kernel maps); it is the same in all
 * 64-bit processes. */
#include "config.h"
#include "pp/image/vdso.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"

/* Return the size of the vdso, from its ELF headers. Do not use /proc/self/maps: it changes while
 * other threads map memory, and a mapped file may have a path like the vdso's name. */
static size_t size_of(const ElfW(Ehdr) *header)
{
	const ElfW(Phdr) *segments = (const void *)((const char *)header + header->e_phoff);
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (unsigned int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_offset + segments[i].p_filesz > size)
			size = segments[i].p_offset + segments[i].p_filesz;
	return size;
}

int pp_vdso_open(void)
{
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	int fd, err;

	if (!header)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = op_write_all(fd, header, size_of(header));
	if (!err)
		return fd;
	close(fd);
	return err;
}

int pp_vdso_open_kept(char *const *samples_dirs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct stat st;
		char *path;
		int fd;

		if (asprintf(&path, "%s/" PP_VDSO_FILE, samples_dirs[i]) < 0)
			return -ENOMEM;
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		free(path);
		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && S_ISREG(st.st_mode))
			return fd;
		close(fd);
	}
	return -ENOENT;
}
