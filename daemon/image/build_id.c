// SPDX-License-Identifier: GPL-2.0-or-later
/* build_id.c -- reads the build-id note of an ELF file. */
#include "config.h"
#include "daemon/image/build_id.h"

#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define MAX_PHDRS	128
#define MAX_NOTES	4096

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_DATA	ELFDATA2LSB
#else
#define HOST_DATA	ELFDATA2MSB
#endif

static uint16_t get16(uint16_t v, bool swapped)
{
	return swapped ? bswap_16(v) : v;
}

static uint32_t get32(uint32_t v, bool swapped)
{
	return swapped ? bswap_32(v) : v;
}

static uint64_t get64(uint64_t v, bool swapped)
{
	return swapped ? bswap_64(v) : v;
}

int opd_build_id_in_notes(const unsigned char *notes, size_t len, size_t align, int swapped,
			  uint8_t id[OPD_BUILD_ID_MAX])
{
	size_t at = 0;

	if (align != 8)
		align = 4;
	while (len - at >= sizeof(Elf32_Nhdr)) {
		Elf32_Nhdr n;	/* the same layout in both classes */
		uint64_t name_size, desc_size, name_at, desc_at, next;

		memcpy(&n, notes + at, sizeof(n));
		name_size = get32(n.n_namesz, swapped);
		desc_size = get32(n.n_descsz, swapped);
		name_at = at + sizeof(n);
		desc_at = (name_at + name_size + align - 1) & ~(uint64_t)(align - 1);
		next = (desc_at + desc_size + align - 1) & ~(uint64_t)(align - 1);
		if (desc_at + desc_size > len)
			return 0;
		if (get32(n.n_type, swapped) == NT_GNU_BUILD_ID && name_size == 4 &&
		    !memcmp(notes + name_at, "GNU", 4) && desc_size > 0 &&
		    desc_size <= OPD_BUILD_ID_MAX) {
			memcpy(id, notes + desc_at, desc_size);
			return (int)desc_size;
		}
		if (next > len)
			return 0;
		at = next;
	}
	return 0;
}

static int read_notes(int fd, uint64_t offset, uint64_t size, uint64_t align, bool swapped,
		      uint8_t *id)
{
	unsigned char notes[MAX_NOTES];
	ssize_t n;

	if (size > sizeof(notes))
		size = sizeof(notes);
	if (offset > INT64_MAX)
		return 0;
	n = pread(fd, notes, size, (off_t)offset);
	if (n < 0)
		return -errno;
	return opd_build_id_in_notes(notes, (size_t)n, align, swapped, id);
}

/* Read the build-id from the first of @nr program headers at @at whose notes contain one. */
static int read_segments(int fd, bool is64, uint64_t at, unsigned int nr, bool swapped, uint8_t *id)
{
	const size_t size = is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	if (nr > MAX_PHDRS || at > INT64_MAX / 2)
		return 0;
	for (unsigned int i = 0; i < nr; i++, at += size) {
		union {
			Elf32_Phdr p32;
			Elf64_Phdr p64;
		} p;
		int n;

		if (pread(fd, &p, size, (off_t)at) != (ssize_t)size)
			return 0;
		/* the first field in both ELF classes */
		if (get32(p.p32.p_type, swapped) != PT_NOTE)
			continue;
		n = is64 ? read_notes(fd, get64(p.p64.p_offset, swapped),
				      get64(p.p64.p_filesz, swapped), get64(p.p64.p_align, swapped),
				      swapped, id)
			 : read_notes(fd, get32(p.p32.p_offset, swapped),
				      get32(p.p32.p_filesz, swapped), get32(p.p32.p_align, swapped),
				      swapped, id);
		if (n)
			return n;
	}
	return 0;
}

int opd_build_id_read(int fd, uint8_t id[OPD_BUILD_ID_MAX])
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr h32;
		Elf64_Ehdr h64;
	} h = { 0 };
	ssize_t n = pread(fd, &h, sizeof(h), 0);
	bool swapped;

	if (n < 0)
		return -errno;
	if (n < (ssize_t)sizeof(h.h32) || memcmp(h.ident, ELFMAG, SELFMAG))
		return 0;
	swapped = h.ident[EI_DATA] != HOST_DATA;
	if (h.ident[EI_CLASS] == ELFCLASS64 && n == (ssize_t)sizeof(h.h64) &&
	    get16(h.h64.e_phentsize, swapped) == sizeof(Elf64_Phdr))
		return read_segments(fd, true, get64(h.h64.e_phoff, swapped),
				     get16(h.h64.e_phnum, swapped), swapped, id);
	if (h.ident[EI_CLASS] == ELFCLASS32 &&
	    get16(h.h32.e_phentsize, swapped) == sizeof(Elf32_Phdr))
		return read_segments(fd, false, get32(h.h32.e_phoff, swapped),
				     get16(h.h32.e_phnum, swapped), swapped, id);
	return 0;
}
