// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames.c -- construction of an .eh_frame_hdr index for a program that was linked without one.
 *
 * The index has the format that linkers use, with offsets relative to the address of .eh_frame, so
 * that the stack walk needs no special case.
 */
#include "config.h"
#include "probe/core/frames.h"

#include <elf.h>
#include <errno.h>
#include <link.h>

#include "libcfi/entry.h"
#include "probe/arch/registers.h"
#include "probe/linux/calls.h"

#define NAME		".eh_frame"

/* Contents of .eh_frame_hdr: a header, followed by a row for each function. A row has the offsets
 * of the function and of its entry in .eh_frame. */
struct index {
	uint8_t version, frames_encoding, count_encoding, row_encoding;
	int32_t frames;
	uint32_t nr;
	struct row { int32_t function, entry; } rows[];
};

static bool read_at(int fd, void *buf, size_t size, uint64_t at)
{
	return call_pread(fd, buf, size, at) == (long)size;
}

/* Store the section header of .eh_frame of file @fd in *@ret. Return -ENOENT if the file has no
 * .eh_frame, or if the ELF header in memory at @loaded differs from the file's. */
static int find_section(int fd, const void *loaded, ElfW(Shdr) *ret)
{
	char name[sizeof(NAME)];
	ElfW(Shdr) names;
	ElfW(Ehdr) elf;

	if (!read_at(fd, &elf, sizeof(elf), 0) || __builtin_memcmp(&elf, loaded, sizeof(elf)) ||
	    elf.e_shentsize != sizeof(*ret) ||
	    !read_at(fd, &names, sizeof(names),
		     elf.e_shoff + (uint64_t)elf.e_shstrndx * sizeof(names)))
		return -ENOENT;
	for (uint32_t i = 0; i < elf.e_shnum; i++)
		if (read_at(fd, ret, sizeof(*ret), elf.e_shoff + (uint64_t)i * sizeof(*ret)) &&
		    (ret->sh_flags & SHF_ALLOC) && ret->sh_type != SHT_NOBITS &&
		    read_at(fd, name, sizeof(name), names.sh_offset + ret->sh_name) &&
		    !__builtin_memcmp(name, NAME, sizeof(NAME)))
			return 0;
	return -ENOENT;
}

int frames_find(const void *loaded, uint64_t *address, uint64_t *size)
{
	long fd = call_openat(AT_FDCWD, "/proc/self/exe", O_RDONLY | O_CLOEXEC, 0);
	ElfW(Shdr) found;
	int err;

	if (fd < 0)
		return fd;
	err = find_section(fd, loaded, &found);
	call_close(fd);
	if (err)
		return err;
	*address = found.sh_addr;
	*size = found.sh_size;
	return 0;
}

/* Restore the order of a heap (heapsort) of @nr rows: move the row at index @at down until no row
 * below it is greater. */
static void sink(struct row *rows, uint32_t at, uint32_t nr)
{
	struct row sunk = rows[at];

	for (uint32_t below; (below = 2 * at + 1) < nr; at = below) {
		if (below + 1 < nr && rows[below + 1].function > rows[below].function)
			below++;
		if (rows[below].function <= sunk.function)
			break;
		rows[at] = rows[below];
	}
	rows[at] = sunk;
}

static void sort(struct row *rows, uint32_t nr)
{
	for (uint32_t i = nr / 2; i--; )
		sink(rows, i, nr);
	while (nr > 1) {
		struct row last = rows[--nr];

		rows[nr] = rows[0];
		rows[0] = last;
		sink(rows, 0, nr);
	}
}

/* List the functions of the section: store up to @room functions in @rows, which may be NULL.
 * Return the number of functions, or a negative errno. */
static long list(const struct cfi_section *section, struct row *rows, uint32_t room)
{
	struct cfi_entries entries;
	struct cfi_function function;
	long err = cfi_entries_begin(&entries, section);
	uint32_t nr = 0;

	while (!err) {
		int32_t entry = entries.left.at - section->data;

		err = cfi_entries_next(&entries, &function);
		if (err <= 0)
			break;
		err = 0;
		/* Skip a function whose offset does not fit into 32 bits; compilers do not generate
		 * such code. */
		if ((int64_t)(function.from - section->address) !=
		    (int32_t)(function.from - section->address))
			continue;
		if (rows && nr < room)
			rows[nr] = (struct row){ function.from - section->address, entry };
		nr++;
	}
	return err ? err : (long)nr;
}

int frames_index(struct cfi_section *section)
{
	long nr = list(section, NULL, 0), at;
	struct index *index;
	size_t size;

	if (nr <= 0)
		return nr ? nr : -ENOENT;
	size = sizeof(*index) + nr * sizeof(index->rows[0]);
	at = call_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (call_failed(at))
		return at;
	index = (struct index *)at;
	*index = (struct index){ 1, 0x1b, 3, 0x3b, 0, nr };
	list(section, index->rows, nr);
	sort(index->rows, nr);
	section->index = (const unsigned char *)index;
	section->index_size = size;
	section->index_address = section->address;
	return 0;
}
