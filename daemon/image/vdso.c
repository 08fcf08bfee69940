// SPDX-License-Identifier: GPL-2.0-or-later
/* vdso.c -- the vdso of this process. */
#include "config.h"
#include "daemon/image/vdso.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "libcfi/file.h"

/* Bytes from @start to its mapping's end; 0: there is none. */
static size_t size_at(uintptr_t start)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t from, to;
	size_t size = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && from == start)
			size = (size_t)(to - from);
	if (maps)
		fclose(maps);
	return size;
}

struct cfi_file *opd_vdso_unwind(void)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	size_t size = start ? size_at(start) : 0;
	struct cfi_file *file;
	struct cfi_elf elf;
	__u64 room;

	if (!size || cfi_elf_open(&elf, (const void *)start, size))
		return NULL;
	room = cfi_file_room(&elf);
	file = room ? calloc(1, room) : NULL;
	if (file && cfi_file_make(&elf, file, room)) {
		free(file);
		file = NULL;
	}
	return file;
}
