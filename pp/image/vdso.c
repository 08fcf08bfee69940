// SPDX-License-Identifier: GPL-2.0-or-later
/* vdso.c -- copies our own vdso, which is every 64-bit process's. */
#include "config.h"
#include "pp/image/vdso.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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
