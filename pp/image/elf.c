// SPDX-License-Identifier: GPL-2.0-or-later
/* elf.c -- an ELF parser that checks all bounds. */
#include "config.h"
#include "pp/image/elf.h"

#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/image/swapped.h"

/* maximum number of bytes of a note section that are searched for a build-id */
#define MAX_NOTE	4096
/* maximum size of a table of sections, symbols or names, in bytes; a sparse file may claim any
 * size */
#define MAX_RANGE (512u << 20)
/* maximum total length of all symbol names, as a multiple of the string table's size */
#define NAMES_PER_BYTE	4
#define MIN_NAMES	(64u << 20)

uint16_t pp_elf_get16(const struct pp_elf *elf, const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return elf->swap ? bswap_16(v) : v;
}

uint32_t pp_elf_get32(const struct pp_elf *elf, const void *p)
{
	return pp_get32(p, elf->swap);
}

uint64_t pp_elf_get64(const struct pp_elf *elf, const void *p)
{
	return pp_get64(p, elf->swap);
}

/* Read a 16-bit field of a header that differs between 32-bit and 64-bit files. */
#define FIELD16(elf, p, type, f)						\
	((elf)->is64 ? pp_elf_get16(elf, (p) + offsetof(Elf64_##type, f)) :		\
		       pp_elf_get16(elf, (p) + offsetof(Elf32_##type, f)))
#define FIELD32(elf, p, type, f)						\
	((elf)->is64 ? pp_elf_get32(elf, (p) + offsetof(Elf64_##type, f)) :		\
		       pp_elf_get32(elf, (p) + offsetof(Elf32_##type, f)))
#define FIELD_ADDR(elf, p, type, f)						\
	((elf)->is64 ? pp_elf_get64(elf, (p) + offsetof(Elf64_##type, f)) :		\
		       pp_elf_get32(elf, (p) + offsetof(Elf32_##type, f)))
#define SIZE_OF(elf, type)	((elf)->is64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

static int pread_all(int fd, void *buf, size_t size, uint64_t offset)
{
	char *p = buf;

	while (size) {
		ssize_t n = pread(fd, p, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -EIO;
		if (!n)
			return -ENOEXEC;
		p += n;
		offset += n;
		size -= n;
	}
	return 0;
}

int pp_elf_pread(const struct pp_elf *elf, void *buf, size_t size, uint64_t offset)
{
	if (offset > elf->file_size || size > elf->file_size - offset)
		return -ENOEXEC;
	return pread_all(elf->fd, buf, size, offset);
}

/* Copy a range of the file to *@ret, and append a NUL. Return -ENOEXEC if the range exceeds the
 * file or MAX_RANGE. */
static int read_range(char **ret, const struct pp_elf *elf, uint64_t offset, uint64_t size)
{
	char *data;
	int err;

	if (offset > elf->file_size || size > elf->file_size - offset || size > MAX_RANGE)
		return -ENOEXEC;
	data = malloc(size + 1);
	if (!data)
		return -ENOMEM;
	err = pread_all(elf->fd, data, size, offset);
	if (err) {
		free(data);
		return err;
	}
	data[size] = '\0';
	*ret = data;
	return 0;
}

static int read_ident(struct pp_elf *elf, const unsigned char *ident)
{
	bool big = ident[EI_DATA] == ELFDATA2MSB;

	if (memcmp(ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
		return -ENOEXEC;
	if (ident[EI_DATA] != ELFDATA2LSB && !big)
		return -ENOEXEC;
	elf->is64 = ident[EI_CLASS] == ELFCLASS64;
	elf->swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return 0;
}

static int read_segments(struct pp_elf *elf, uint64_t offset, size_t nr, size_t entry_size)
{
	char *data;
	int err;

	if (!nr)
		return 0;
	if (entry_size < SIZE_OF(elf, Phdr))
		return -ENOEXEC;
	err = read_range(&data, elf, offset, (uint64_t)nr * entry_size);
	if (err)
		return err;
	elf->segments = calloc(nr, sizeof(*elf->segments));
	if (!elf->segments) {
		free(data);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++) {
		const char *p = data + i * entry_size;
		struct pp_elf_segment *segment = &elf->segments[elf->nr_segments];
		uint64_t align = FIELD_ADDR(elf, p, Phdr, p_align);

		elf->damaged |= (align & (align - 1)) != 0;
		if (FIELD32(elf, p, Phdr, p_type) != PT_LOAD)
			continue;
		segment->vaddr = FIELD_ADDR(elf, p, Phdr, p_vaddr);
		segment->offset = FIELD_ADDR(elf, p, Phdr, p_offset);
		segment->file_size = FIELD_ADDR(elf, p, Phdr, p_filesz);
		segment->executable = !!(FIELD32(elf, p, Phdr, p_flags) & PF_X);
		elf->nr_segments++;
	}
	free(data);
	return 0;
}

static void parse_section(const struct pp_elf *elf, struct pp_elf_section *section, const char *p)
{
	section->type = FIELD32(elf, p, Shdr, sh_type);
	section->link = FIELD32(elf, p, Shdr, sh_link);
	section->info = FIELD32(elf, p, Shdr, sh_info);
	section->flags = FIELD_ADDR(elf, p, Shdr, sh_flags);
	section->addr = FIELD_ADDR(elf, p, Shdr, sh_addr);
	section->offset = FIELD_ADDR(elf, p, Shdr, sh_offset);
	section->size = FIELD_ADDR(elf, p, Shdr, sh_size);
	section->name = "";
}

static int name_sections(struct pp_elf *elf, const char *headers, size_t entry_size, uint32_t names)
{
	const struct pp_elf_section *strings;
	int err;

	if (names == SHN_XINDEX)
		names = elf->sections[0].link;
	if (!names || names >= elf->nr_sections)
		return 0;
	strings = &elf->sections[names];
	if (strings->type != SHT_STRTAB)
		return 0;
	err = read_range(&elf->section_names, elf, strings->offset, strings->size);
	if (err)
		return err;
	for (size_t i = 0; i < elf->nr_sections; i++) {
		uint32_t name = FIELD32(elf, headers + i * entry_size, Shdr, sh_name);

		if (name < strings->size)
			elf->sections[i].name = elf->section_names + name;
		else
			elf->damaged = 1;
	}
	return 0;
}

static bool section_is_valid(const struct pp_elf *elf, const struct pp_elf_section *section)
{
	if (section->type == SHT_NULL)
		return true;
	if (section->link >= elf->nr_sections ||
	    (section->flags & SHF_GROUP && elf->type != ET_REL))
		return false;
	return section->type == SHT_NOBITS || (section->offset <= elf->file_size &&
					       section->size <= elf->file_size - section->offset);
}

static int read_sections(struct pp_elf *elf, uint64_t offset, size_t nr, size_t entry_size,
			 uint32_t names)
{
	struct pp_elf_section first;
	char *data;
	int err;

	if (!offset)
		return 0;
	if (entry_size < SIZE_OF(elf, Shdr))
		return -ENOEXEC;
	/* The number of sections does not fit into the header's field, so the first section header
	 * contains it. */
	if (!nr) {
		err = read_range(&data, elf, offset, entry_size);
		if (err)
			return err;
		parse_section(elf, &first, data);
		free(data);
		nr = first.size;
		if (!nr || nr > elf->file_size / entry_size)
			return -ENOEXEC;
	}
	err = read_range(&data, elf, offset, (uint64_t)nr * entry_size);
	if (err)
		return err;
	elf->sections = calloc(nr, sizeof(*elf->sections));
	if (!elf->sections) {
		err = -ENOMEM;
		goto done;
	}
	elf->nr_sections = nr;
	for (size_t i = 0; i < nr; i++)
		parse_section(elf, &elf->sections[i], data + i * entry_size);
	for (size_t i = 0; i < nr; i++)
		elf->damaged |= !section_is_valid(elf, &elf->sections[i]);
	err = name_sections(elf, data, entry_size, names);
done:
	free(data);
	return err;
}

int pp_elf_read(struct pp_elf *ret, int fd)
{
	struct pp_elf elf = { .fd = fd };
	char header[sizeof(Elf64_Ehdr)] = "";
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -EIO;
	elf.file_size = st.st_size;
	err = pread_all(fd, header, sizeof(Elf32_Ehdr), 0);
	if (err)
		return err;
	err = read_ident(&elf, (unsigned char *)header);
	if (err)
		return err;
	err = pread_all(fd, header, SIZE_OF(&elf, Ehdr), 0);
	if (err)
		return err;
	elf.type = FIELD16(&elf, header, Ehdr, e_type);
	elf.machine = FIELD16(&elf, header, Ehdr, e_machine);
	err = read_segments(&elf, FIELD_ADDR(&elf, header, Ehdr, e_phoff),
			    FIELD16(&elf, header, Ehdr, e_phnum),
			    FIELD16(&elf, header, Ehdr, e_phentsize));
	if (!err)
		err = read_sections(&elf, FIELD_ADDR(&elf, header, Ehdr, e_shoff),
				    FIELD16(&elf, header, Ehdr, e_shnum),
				    FIELD16(&elf, header, Ehdr, e_shentsize),
				    FIELD16(&elf, header, Ehdr, e_shstrndx));
	if (err) {
		pp_elf_release(&elf);
		return err;
	}
	*ret = elf;
	return 0;
}

void pp_elf_release(struct pp_elf *elf)
{
	free(elf->sections);
	free(elf->section_names);
	free(elf->segments);
	*elf = (struct pp_elf){ .fd = -1 };
}

const struct pp_elf_section *pp_elf_section_by_type(const struct pp_elf *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->nr_sections; i++)
		if (elf->sections[i].type == type)
			return &elf->sections[i];
	return NULL;
}

const struct pp_elf_section *pp_elf_section_by_name(const struct pp_elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->nr_sections; i++)
		if (!strcmp(elf->sections[i].name, name))
			return &elf->sections[i];
	return NULL;
}

int pp_elf_section_data(char **ret, const struct pp_elf *elf, const struct pp_elf_section *section)
{
	if (section->type == SHT_NOBITS)
		return -ENOEXEC;
	return read_range(ret, elf, section->offset, section->size);
}

static void parse_symbol(const struct pp_elf *elf, struct pp_elf_symbol *symbol, const char *p,
			 const char *strings, uint64_t strings_size)
{
	uint32_t name = FIELD32(elf, p, Sym, st_name);
	uint8_t info =
		elf->is64 ? p[offsetof(Elf64_Sym, st_info)] : p[offsetof(Elf32_Sym, st_info)];
	uint16_t section = FIELD16(elf, p, Sym, st_shndx);

	symbol->name = name < strings_size ? strings + name : "";
	symbol->value = FIELD_ADDR(elf, p, Sym, st_value);
	symbol->size = FIELD_ADDR(elf, p, Sym, st_size);
	symbol->defined =
		section != SHN_UNDEF && (section < SHN_LORESERVE || section == SHN_XINDEX);
	symbol->section = section;
	symbol->type = ELF64_ST_TYPE(info);
	symbol->bind = ELF64_ST_BIND(info);
}

/* Return whether all symbol names together have at most NAMES_PER_BYTE times the string table's
 * size. Symbols may share a name, or the end of a longer name. But if millions of symbols share a
 * name of 65,000 bytes, sorting the symbols by name takes hours. */
static bool names_fit(const struct pp_elf_symbols *symbols, uint64_t size)
{
	uint64_t left = NAMES_PER_BYTE * size + MIN_NAMES;

	for (size_t i = 0; i < symbols->nr; i++) {
		size_t len = strlen(symbols->items[i].name);

		if (len > left)
			return false;
		left -= len;
	}
	return true;
}

int pp_elf_symbols_read(struct pp_elf_symbols *ret, const struct pp_elf *elf,
			const struct pp_elf_section *section)
{
	struct pp_elf_symbols symbols = { 0 };
	size_t entry_size = SIZE_OF(elf, Sym);
	const struct pp_elf_section *strings;
	char *data = NULL;
	int err;

	if (section->type == SHT_NOBITS || section->link >= elf->nr_sections)
		return -ENOEXEC;
	strings = &elf->sections[section->link];
	if (strings->type != SHT_STRTAB)
		return -ENOEXEC;
	err = pp_elf_section_data(&symbols.strings, elf, strings);
	if (err)
		return err;
	err = pp_elf_section_data(&data, elf, section);
	if (err)
		goto err_free_strings;
	symbols.nr = section->size / entry_size;
	symbols.items = calloc(symbols.nr ? symbols.nr : 1, sizeof(*symbols.items));
	if (!symbols.items) {
		err = -ENOMEM;
		goto err_free_data;
	}
	for (size_t i = 0; i < symbols.nr; i++)
		parse_symbol(elf, &symbols.items[i], data + i * entry_size, symbols.strings,
			     strings->size);
	free(data);
	if (!names_fit(&symbols, strings->size)) {
		pp_elf_symbols_release(&symbols);
		return -ENOEXEC;
	}
	*ret = symbols;
	return 0;

err_free_data:
	free(data);
err_free_strings:
	free(symbols.strings);
	return err;
}

void pp_elf_symbols_release(struct pp_elf_symbols *symbols)
{
	free(symbols->items);
	free(symbols->strings);
	*symbols = (struct pp_elf_symbols){ 0 };
}

static char *hex(const unsigned char *bytes, size_t nr)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * nr + 1);

	if (!text)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * nr] = '\0';
	return text;
}

/* Search the build-id in a note section. A note consists of name size, descriptor size, type, name
 * and descriptor. */
static char *build_id_in(const struct pp_elf *elf, const char *data, size_t size)
{
	size_t pos = 0;

	while (size - pos >= 12) {
		uint32_t name_size = pp_elf_get32(elf, data + pos);
		uint32_t desc_size = pp_elf_get32(elf, data + pos + 4);
		uint32_t type = pp_elf_get32(elf, data + pos + 8);
		size_t name, desc;

		if (name_size > MAX_NOTE || desc_size > MAX_NOTE)
			return NULL;
		name = pos + 12;
		desc = name + ((name_size + 3) & ~3u);
		if (desc > size || desc_size > size - desc)
			return NULL;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(data + name, "GNU", 4) &&
		    desc_size >= 2)
			return hex((const unsigned char *)data + desc, desc_size);
		pos = desc + ((desc_size + 3) & ~3u);
		if (pos > size)
			return NULL;
	}
	return NULL;
}

char *pp_elf_build_id(const struct pp_elf *elf)
{
	for (size_t i = 0; i < elf->nr_sections; i++) {
		const struct pp_elf_section *section = &elf->sections[i];
		char *data, *id;

		if (section->type != SHT_NOTE || section->size > MAX_NOTE)
			continue;
		if (pp_elf_section_data(&data, elf, section))
			continue;
		id = build_id_in(elf, data, section->size);
		free(data);
		if (id)
			return id;
	}
	return NULL;
}

int pp_elf_offset_to_vma(const struct pp_elf *elf, uint64_t offset, uint64_t *vma)
{
	for (int executable = 1; executable >= 0; executable--) {
		for (size_t i = 0; i < elf->nr_segments; i++) {
			const struct pp_elf_segment *s = &elf->segments[i];

			if (s->executable != executable || offset < s->offset ||
			    offset - s->offset >= s->file_size)
				continue;
			*vma = offset - s->offset + s->vaddr;
			return 0;
		}
	}
	return -ERANGE;
}

size_t pp_elf_code(const struct pp_elf *elf, uint64_t vma, void *buf, size_t size)
{
	for (size_t i = 0; i < elf->nr_segments; i++) {
		const struct pp_elf_segment *s = &elf->segments[i];
		uint64_t left;

		if (!s->executable || vma < s->vaddr || vma - s->vaddr >= s->file_size)
			continue;
		left = s->file_size - (vma - s->vaddr);
		if (size > left)
			size = left;
		return pread_all(elf->fd, buf, size, s->offset + (vma - s->vaddr)) ? 0 : size;
	}
	return 0;
}
