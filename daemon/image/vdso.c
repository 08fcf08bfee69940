// SPDX-License-Identifier: GPL-2.0-or-later
/* vdso.c -- unwind tables of this kernel's vDSOs. */
#include "config.h"
#include "daemon/image/vdso.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcfi/file.h"

#define MAX_SIZE	(1u << 20)
#define MAX_PARTS	16

/* A mapping of the vDSO: its code ([vdso]) or its data ([vvar]). */
struct part {
	uintptr_t start;
	size_t size;
	bool code;
};

/* Find the vDSO mappings of this process. Return their number. */
static size_t find_parts(struct part parts[MAX_PARTS])
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t from, to;
	char line[512];
	size_t nr = 0;

	while (maps && nr < MAX_PARTS && fgets(line, sizeof(line), maps)) {
		bool code = strstr(line, "[vdso]") != NULL;

		if ((code || strstr(line, "[vvar")) &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2)
			parts[nr++] = (struct part){ (uintptr_t)from, (size_t)(to - from), code };
	}
	if (maps)
		fclose(maps);
	return nr;
}

static struct cfi_file *make(const void *data, size_t size)
{
	struct cfi_file *file;
	struct cfi_elf elf;
	__u64 room;

	if (cfi_elf_open(&elf, data, size))
		return NULL;
	room = cfi_file_room(&elf);
	file = room ? calloc(1, room) : NULL;
	if (file && cfi_file_make(&elf, file, room)) {
		free(file);
		file = NULL;
	}
	return file;
}

static struct cfi_file *own(void)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	struct part parts[MAX_PARTS];
	size_t nr = start ? find_parts(parts) : 0;

	for (size_t i = 0; i < nr; i++)
		if (parts[i].start == start)
			return make((const void *)start, parts[i].size);
	return NULL;
}

#ifdef __x86_64__
#define MAP_VDSO_32	0x2002	/* ARCH_MAP_VDSO_32 in <asm/prctl.h> */
#define MAP_AT		0x10000000

/*
 * Replace this process's vDSO by the 32-bit vDSO, write its code to @fd, and exit. The process must
 * not read the time afterwards, because such a call would execute the vDSO. Some kernels do not
 * support the replacement.
 */
static void __attribute__((noreturn)) write_32(int fd)
{
	struct part parts[MAX_PARTS];
	size_t nr = find_parts(parts);

	for (size_t i = 0; i < nr; i++)
		munmap((void *)parts[i].start, parts[i].size);
	if (syscall(SYS_arch_prctl, MAP_VDSO_32, MAP_AT) < 0)
		_exit(1);
	nr = find_parts(parts);
	for (size_t i = 0; i < nr; i++)
		if (parts[i].code && write(fd, (const void *)parts[i].start, parts[i].size) < 0)
			_exit(1);
	_exit(0);
}

/* Read the vDSO's code from the file @fd up to its end, at most @size bytes. Return the number of
 * bytes, or 0 after an error. */
static size_t read_all(int fd, char *data, size_t size)
{
	size_t at = 0;
	ssize_t n;

	while (at < size) {
		n = read(fd, data + at, size - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? 0 : at;
		at += (size_t)n;
	}
	return at;
}

static struct cfi_file *of_32(void)
{
	struct cfi_file *file = NULL;
	char *data = malloc(MAX_SIZE);
	int pipes[2] = { -1, -1 };
	size_t size;
	pid_t child;

	if (!data || pipe(pipes))
		goto free_data;
	child = fork();
	if (!child)
		write_32(pipes[1]);
	close(pipes[1]);
	size = child < 0 ? 0 : read_all(pipes[0], data, MAX_SIZE);
	close(pipes[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (size)
		file = make(data, size);
free_data:
	free(data);
	return file;
}
#else
static struct cfi_file *of_32(void)
{
	return NULL;
}
#endif

struct cfi_file *opd_vdso_unwind(bool is_32)
{
	return is_32 ? of_32() : own();
}
