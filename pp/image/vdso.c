// SPDX-License-Identifier: GPL-2.0-or-later
/* vdso.c -- copies our own vdso, which is every 64-bit process's. */
#include "config.h"
#include "pp/image/vdso.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int find_vdso(uint64_t *start, uint64_t *end)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int err = -ENOENT;

	if (!f)
		return -errno;
	while (err && fgets(line, sizeof(line), f))
		if (strstr(line, "[vdso]") && sscanf(line, "%" SCNx64 "-%" SCNx64, start, end) == 2)
			err = 0;
	fclose(f);
	return err;
}

int pp_vdso_open(void)
{
	uint64_t start, end;
	int err = find_vdso(&start, &end);
	int fd;

	if (err)
		return err;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, (void *)(uintptr_t)start, end - start) == (ssize_t)(end - start))
		return fd;
	close(fd);
	return -EIO;
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
