// SPDX-License-Identifier: GPL-2.0-or-later
/* give_table.c -- passes unwind tables made by libcfi to the module. */
#include "config.h"
#include "tests/kernel/give_table.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/image/vdso.h"
#include "libcfi/file.h"
#include "libcfi/table.h"
#include "module/uapi/oprofile.h"

const unsigned char *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const unsigned char *data;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	*size = st.st_size;
	return data == MAP_FAILED ? NULL : data;
}

/*
 * Pass the unwind table of the file with the contents @data to the module; or inform the module
 * that the file has no table.
 */
static void give(int buffer, struct oprofile_unwind_table t, const unsigned char *data, size_t size)
{
	struct cfi_elf elf;
	void *table = NULL;
	__u64 room = 0;

	if (data && !cfi_elf_open(&elf, data, size))
		room = cfi_table_room(&elf);
	if (room) {
		table = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (table == MAP_FAILED)
			err(1, "mmap");
		if (!cfi_table_make(&elf, table, room, NULL)) {
			t.table = (uintptr_t)table;
			t.size = oprofile_uw_table_size(table);
		}
	}
	if (!t.size)
		t.end = OPROFILE_UW_NO_ROW;
	if (ioctl(buffer, OPROFILE_IOC_TABLE, &t) && errno != E2BIG)
		err(1, "table of cookie %llu: fault %u", (unsigned long long)t.cookie, t.fault);
	if (table)
		munmap(table, room);
}

void give_table(int buffer, uint64_t cookie, const char *path)
{
	struct oprofile_unwind_table t = { .cookie = cookie, .fd = -1 };
	const unsigned char *data;
	size_t size = 0;

	if (cookie == OPROFILE_NO_COOKIE) {
		t.fd = open(path, O_RDONLY | O_CLOEXEC);
		if (t.fd < 0)
			err(1, "%s", path);
	}
	data = map_file(path, &size);
	give(buffer, t, data, size);
	if (data)
		munmap((void *)data, size);
	if (t.fd >= 0)
		close(t.fd);
}

void give_vdsos(int buffer)
{
	for (int is_32 = 0; is_32 < 2; is_32++) {
		struct oprofile_unwind_table t = {
			.fd = -1, .flags = is_32 ? OPROFILE_TABLE_VDSO32 : OPROFILE_TABLE_VDSO, .end = OPROFILE_UW_NO_ROW,
		};
		struct cfi_file *file = opd_vdso_unwind(is_32);

		/* Skip the vDSO of aarch64, which has no table. */
		if (file && cfi_file_table(file)) {
			t.table = (uintptr_t)cfi_file_table(file);
			t.size = oprofile_uw_table_size(cfi_file_table(file));
			t.end = 0;
		}
		if (ioctl(buffer, OPROFILE_IOC_TABLE, &t))
			err(1, "table of the vdso: fault %u", t.fault);
		free(file);
	}
}
