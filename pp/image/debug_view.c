// SPDX-License-Identifier: GPL-2.0-or-later
/* debug_view.c -- copies debug sections to a new ELF file in memory (a view). */
#include "config.h"
#include "pp/image/debug_view.h"

#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pp/image/unpack.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2
#endif

/* maximum size of a view (an ELF file in memory with the uncompressed debug sections), in bytes;
 * the debug data of a large browser has 2 GB */
#define MAX_VIEW	(3ull << 30)
/* maximum compression ratio; ordinary debug data has a ratio of 3 to 10 */
#define MAX_RATIO	256
/* sections of at most this many uncompressed bytes may exceed MAX_RATIO, because short sections of
 * zeros do */
#define FREE_ROOM	(1u << 20)

static const char *const wanted[] = {
	[PP_DEBUG_INFO] = "info", [PP_DEBUG_ABBREV] = "abbrev", [PP_DEBUG_LINE] = "line",
	[PP_DEBUG_STR] = "str", [PP_DEBUG_LINE_STR] = "line_str", [PP_DEBUG_RANGES] = "ranges",
	[PP_DEBUG_RNGLISTS] = "rnglists", [PP_DEBUG_ADDR] = "addr", [PP_DEBUG_STR_OFFSETS] = "str_offsets",
	[PP_DEBUG_TYPES] = "types", [PP_DEBUG_ARANGES] = "aranges",
};

#define NR_WANTED	PP_NR_DEBUG_SECTIONS
#define NAME_ROOM	32	/* maximum length of a section's name in the view */

struct piece {
	/* the section in the original file; NULL: the file lacks the section */
	const struct pp_elf_section *from;
	/* .size: size of the data in bytes; .offset: offset of the data in the view */
	uint64_t size, offset;
	/* size of the compression header, which precedes the data of the section */
	uint64_t skip;
	/* data to use instead of the bytes of .from; NULL: use the bytes of .from */
	const char *bytes;
	bool is_packed;
	enum pp_packing packing;
};

struct maker {
	const struct pp_elf *elf;
	struct piece pieces[NR_WANTED];
	struct pp_debug_view view;
	const char **missing;
	bool is_split;
	/* for each section of the file: the part to include in the view; NULL: include whole
	 * sections */
	const struct pp_debug_slice *slices;
};

static const char prefix[] = ".debug_", old_prefix[] = ".zdebug_", split_suffix[] = ".dwo";

int pp_debug_section_number(const char *name, bool is_split)
{
	if (!strncmp(name, prefix, strlen(prefix)))
		name += strlen(prefix);
	else if (!strncmp(name, old_prefix, strlen(old_prefix)))
		name += strlen(old_prefix);
	else
		return -1;
	for (size_t i = 0; i < NR_WANTED; i++) {
		size_t n = strlen(wanted[i]);

		if (!strncmp(name, wanted[i], n) && !strcmp(name + n, is_split ? split_suffix : ""))
			return i;
	}
	return -1;
}

bool pp_debug_view_is_useful(const struct pp_elf *elf)
{
	bool has_info = false, has_line = false;

	for (size_t i = 0; i < elf->nr_sections; i++) {
		const struct pp_elf_section *section = &elf->sections[i];
		int w = section->type == SHT_NOBITS || !section->size ? -1 :
					pp_debug_section_number(section->name, false);

		has_info |= w == PP_DEBUG_INFO;
		has_line |= w == PP_DEBUG_LINE;
	}
	return has_info && has_line;
}

bool pp_debug_view_has_split(const struct pp_elf *elf)
{
	for (size_t i = 0; i < elf->nr_sections; i++)
		if (elf->sections[i].type != SHT_NOBITS &&
		    pp_debug_section_number(elf->sections[i].name, true) == PP_DEBUG_INFO)
			return true;
	return false;
}

static int packed_by_header(struct maker *m, struct piece *piece)
{
	const struct pp_elf *elf = m->elf;
	char header[sizeof(Elf64_Chdr)];
	uint32_t type;
	int err;

	piece->skip = elf->is64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	if (piece->from->size < piece->skip)
		return -ENOEXEC;
	err = pp_elf_pread(elf, header, piece->skip, piece->from->offset);
	if (err)
		return err;
	type = pp_elf_get32(elf, header);
	piece->size = elf->is64 ? pp_elf_get64(elf, header + offsetof(Elf64_Chdr, ch_size)) :
				  pp_elf_get32(elf, header + offsetof(Elf32_Chdr, ch_size));
	piece->is_packed = 1;
	if (type == ELFCOMPRESS_ZLIB)
		piece->packing = PP_PACKED_ZLIB;
	else if (type == ELFCOMPRESS_ZSTD)
		piece->packing = PP_PACKED_ZSTD;
	else
		return -ENOEXEC;
	return 0;
}

/* Parse the header of a .zdebug_* section: "ZLIB" and the uncompressed size, always big-endian. */
static int packed_by_name(struct maker *m, struct piece *piece)
{
	unsigned char header[12];
	int err;

	piece->skip = sizeof(header);
	if (piece->from->size < piece->skip)
		return -ENOEXEC;
	err = pp_elf_pread(m->elf, header, sizeof(header), piece->from->offset);
	if (err)
		return err;
	if (memcmp(header, "ZLIB", 4))
		return -ENOEXEC;
	for (int i = 4; i < 12; i++)
		piece->size = piece->size << 8 | header[i];
	piece->is_packed = 1;
	piece->packing = PP_PACKED_ZLIB;
	return 0;
}

bool pp_debug_section_is_packed(const struct pp_elf_section *section)
{
	return section->flags & SHF_COMPRESSED ||
	       !strncmp(section->name, old_prefix, strlen(old_prefix));
}

static int measure(struct maker *m, struct piece *piece)
{
	const struct pp_elf_section *from = piece->from;
	uint64_t packed;
	int err = 0;

	if (from->offset > m->elf->file_size || from->size > m->elf->file_size - from->offset)
		return -ENOEXEC;
	if (from->flags & SHF_COMPRESSED)
		err = packed_by_header(m, piece);
	else if (pp_debug_section_is_packed(from))
		err = packed_by_name(m, piece);
	else
		piece->size = from->size;
	if (err || !piece->is_packed)
		return err;
	packed = from->size - piece->skip;
	if (piece->size > FREE_ROOM && (piece->size - FREE_ROOM) / MAX_RATIO > packed)
		return -ENOEXEC;
	return 0;
}

/* Replace @piece, a whole section, by the part of the section that @slice describes. If the section
 * is compressed, @slice must provide the uncompressed bytes. */
static int cut(struct piece *piece, const struct pp_debug_slice *slice)
{
	if (slice->bytes || !slice->size) {
		*piece = (struct piece){
			.from = piece->from, .size = slice->size, .bytes = slice->bytes
		};
		return 0;
	}
	if (piece->is_packed || slice->offset > piece->size ||
	    slice->size > piece->size - slice->offset)
		return -ENOEXEC;
	piece->skip = slice->offset;
	piece->size = slice->size;
	return 0;
}

static int find_pieces(struct maker *m)
{
	for (size_t i = 0; i < m->elf->nr_sections; i++) {
		const struct pp_elf_section *section = &m->elf->sections[i];
		int w = section->type == SHT_NOBITS
				? -1
				: pp_debug_section_number(section->name, m->is_split);
		int err;

		if (w < 0 || m->pieces[w].from)
			continue;
		m->pieces[w].from = section;
		err = measure(m, &m->pieces[w]);
		if (!err && m->slices)
			err = cut(&m->pieces[w], &m->slices[w]);
		if (err)
			return err;
	}
	return 0;
}

static uint64_t align(uint64_t n)
{
	return (n + 15) & ~15ull;
}

/* Compute the layout of the view, which is an ELF file in memory: ELF header, sections in order,
 * section names, section headers. */
static int lay_out(struct maker *m, uint64_t *ret_names, uint64_t *ret_headers)
{
	uint64_t at = align(sizeof(Elf64_Ehdr));

	for (size_t i = 0; i < NR_WANTED; i++) {
		m->pieces[i].offset = at;
		if (m->pieces[i].size > MAX_VIEW - at)
			return -EFBIG;
		/* Leave a NUL after each section, so that the last string of the section is
		 * terminated. */
		at = align(at + m->pieces[i].size + 1);
	}
	*ret_names = at;
	at = align(at + (NR_WANTED + 2) * NAME_ROOM);
	*ret_headers = at;
	m->view.size = at + (NR_WANTED + 2) * sizeof(Elf64_Shdr);
	/* mmap() instead of malloc(): pages that are never written use no memory. */
	m->view.bytes = mmap(NULL, m->view.size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->view.bytes != MAP_FAILED)
		return 0;
	m->view.bytes = NULL;
	return -ENOMEM;
}

/* Uncompress the section @piece to @to, a buffer of piece->size bytes. */
static int copy_packed(const struct maker *m, const struct piece *piece, char *to)
{
	size_t packed = piece->from->size - piece->skip, size;
	char *bytes = malloc(packed + 1);
	int err;

	if (!bytes)
		return -ENOMEM;
	err = pp_elf_pread(m->elf, bytes, packed, piece->from->offset + piece->skip);
	if (!err)
		err = pp_unpack(piece->packing, bytes, packed, to, piece->size, &size);
	if (err == -ENOSYS)
		*m->missing = pp_unpack_library(piece->packing);
	if (!err && size != piece->size)
		err = -ENOEXEC;
	free(bytes);
	return err;
}

static int copy_piece(const struct maker *m, const struct piece *piece, char *to)
{
	if (piece->is_packed)
		return copy_packed(m, piece, to);
	return pp_elf_pread(m->elf, to, piece->size, piece->from->offset + piece->skip);
}

int pp_debug_section_read(char **ret, uint64_t *ret_size, const struct pp_elf *elf,
			  const struct pp_elf_section *section, uint64_t max,
			  const char **ret_missing)
{
	struct maker m = { .elf = elf, .missing = ret_missing };
	struct piece piece = { .from = section };
	int err = measure(&m, &piece);
	char *bytes;

	if (!err && piece.size > max)
		err = -EFBIG;
	if (err)
		return err;
	bytes = malloc(piece.size + 1);
	if (!bytes)
		return -ENOMEM;
	err = copy_piece(&m, &piece, bytes);
	if (err) {
		free(bytes);
		return err;
	}
	bytes[piece.size] = '\0';
	*ret = bytes;
	*ret_size = piece.size;
	return 0;
}

static int copy_pieces(struct maker *m)
{
	int err = 0;

	for (size_t i = 0; i < NR_WANTED && !err; i++) {
		const struct piece *piece = &m->pieces[i];

		if (!piece->from)
			continue;
		if (piece->bytes)
			memcpy(m->view.bytes + piece->offset, piece->bytes, piece->size);
		else
			err = copy_piece(m, piece, m->view.bytes + piece->offset);
	}
	return err;
}

/* Write a number in the byte order of the original file. The header of the view declares the same
 * byte order to libdw. */
static void put(const struct pp_elf *elf, char *p, uint64_t value, int size)
{
	uint16_t v16 = value;
	uint32_t v32 = value;

	if (size == 2)
		v16 = elf->swap ? bswap_16(v16) : v16;
	if (size == 4)
		v32 = elf->swap ? bswap_32(v32) : v32;
	if (size == 8)
		value = elf->swap ? bswap_64(value) : value;
	memcpy(p, size == 2 ? (void *)&v16 : size == 4 ? (void *)&v32 : (void *)&value, size);
}

#define PUT(elf, p, type, field, value)								\
	do {											\
		if ((elf)->is64)								\
			put(elf, (p) + offsetof(Elf64_##type, field), value,			\
			    sizeof(((Elf64_##type *)0)->field));				\
		else										\
			put(elf, (p) + offsetof(Elf32_##type, field), value,			\
			    sizeof(((Elf32_##type *)0)->field));				\
	} while (0)

#define SIZE_OF(elf, type)	((elf)->is64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

static void write_file_header(const struct maker *m, uint64_t headers, size_t nr)
{
	const struct pp_elf *elf = m->elf;
	bool big = elf->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	char *p = m->view.bytes;

	memcpy(p, ELFMAG, SELFMAG);
	p[EI_CLASS] = elf->is64 ? ELFCLASS64 : ELFCLASS32;
	p[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	p[EI_VERSION] = EV_CURRENT;
	PUT(elf, p, Ehdr, e_type, ET_EXEC);
	PUT(elf, p, Ehdr, e_machine, elf->machine);
	PUT(elf, p, Ehdr, e_version, EV_CURRENT);
	PUT(elf, p, Ehdr, e_ehsize, SIZE_OF(elf, Ehdr));
	PUT(elf, p, Ehdr, e_shoff, headers);
	PUT(elf, p, Ehdr, e_shentsize, SIZE_OF(elf, Shdr));
	PUT(elf, p, Ehdr, e_shnum, nr);
	PUT(elf, p, Ehdr, e_shstrndx, nr - 1);
}

static void write_section(const struct maker *m, char *p, uint32_t name, uint32_t type,
			  uint64_t offset, uint64_t size)
{
	const struct pp_elf *elf = m->elf;

	PUT(elf, p, Shdr, sh_name, name);
	PUT(elf, p, Shdr, sh_type, type);
	PUT(elf, p, Shdr, sh_offset, offset);
	PUT(elf, p, Shdr, sh_size, size);
	PUT(elf, p, Shdr, sh_addralign, 1);
}

static void write_headers(const struct maker *m, uint64_t names, uint64_t headers)
{
	size_t step = SIZE_OF(m->elf, Shdr), nr = 1, name = 1;
	char *strings = m->view.bytes + names;

	for (size_t i = 0; i < NR_WANTED; i++) {
		const struct piece *piece = &m->pieces[i];

		if (!piece->from || !piece->size)
			continue;
		write_section(m, m->view.bytes + headers + nr++ * step, name, SHT_PROGBITS,
			      piece->offset, piece->size);
		strcpy(strings + name, prefix);
		strcat(strings + name, wanted[i]);
		if (m->is_split)
			strcat(strings + name, split_suffix);
		name += strlen(strings + name) + 1;
	}
	write_section(m, m->view.bytes + headers + nr++ * step, name, SHT_STRTAB, names, name + 10);
	strcpy(strings + name, ".shstrtab");
	write_file_header(m, headers, nr);
}

/* Return the number of bytes that an absolute relocation of type @type changes. Return 0 for a
 * relocation without effect, or -1 for other types. */
static int relocation_size(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_64 ? 8 :
		       type == R_X86_64_32 || type == R_X86_64_32S ? 4 :
		       type == R_X86_64_NONE ? 0 : -1;
	case EM_AARCH64:
		return type == R_AARCH64_ABS64 ? 8 : type == R_AARCH64_ABS32 ? 4 :
		       type == R_AARCH64_NONE ? 0 : -1;
	case EM_PPC64:
		return type == R_PPC64_ADDR64 ? 8 : type == R_PPC64_ADDR32 ? 4 :
		       type == R_PPC64_NONE ? 0 : -1;
	case EM_S390:
		return type == R_390_64 ? 8 : type == R_390_32 ? 4 : type == R_390_NONE ? 0 : -1;
	default:
		return -1;
	}
}

struct relocation_source {
	char *symbols;	/* symbols of the original file, an array of Elf64_Sym */
	uint64_t nr;
	const struct pp_section_bases *bases;
};

/* Apply one relocation. Only 64-bit files whose relocations have addends are supported. Kernel
 * modules of all supported machines are such files. */
static void relocate_one(struct maker *m, const struct piece *piece,
			 const struct relocation_source *source, const char *rela)
{
	const struct pp_elf *elf = m->elf;
	uint64_t offset = pp_elf_get64(elf, rela + offsetof(Elf64_Rela, r_offset));
	uint64_t info = pp_elf_get64(elf, rela + offsetof(Elf64_Rela, r_info));
	uint64_t value = pp_elf_get64(elf, rela + offsetof(Elf64_Rela, r_addend));
	int size = relocation_size(elf->machine, ELF64_R_TYPE(info));
	const char *symbol;
	uint16_t section;

	if (size <= 0 || ELF64_R_SYM(info) >= source->nr || offset > piece->size ||
	    (uint64_t)size > piece->size - offset)
		return;
	symbol = source->symbols + ELF64_R_SYM(info) * sizeof(Elf64_Sym);
	section = pp_elf_get16(elf, symbol + offsetof(Elf64_Sym, st_shndx));
	value += pp_elf_get64(elf, symbol + offsetof(Elf64_Sym, st_value));
	if (section < source->bases->nr)
		value += source->bases->bases[section];
	put(elf, m->view.bytes + piece->offset + offset, value, size);
}

static int relocate_section(struct maker *m, const struct piece *piece,
			    const struct pp_elf_section *rela,
			    const struct pp_section_bases *bases)
{
	const struct pp_elf *elf = m->elf;
	struct relocation_source source = { .bases = bases };
	const struct pp_elf_section *symtab;
	char *entries;
	int err;

	if (rela->link >= elf->nr_sections || elf->sections[rela->link].type != SHT_SYMTAB)
		return -ENOEXEC;
	symtab = &elf->sections[rela->link];
	err = pp_elf_section_data(&source.symbols, elf, symtab);
	if (err)
		return err;
	source.nr = symtab->size / sizeof(Elf64_Sym);
	err = pp_elf_section_data(&entries, elf, rela);
	if (!err) {
		for (uint64_t i = 0; i < rela->size / sizeof(Elf64_Rela); i++)
			relocate_one(m, piece, &source, entries + i * sizeof(Elf64_Rela));
		free(entries);
	}
	free(source.symbols);
	return err;
}

static int relocate(struct maker *m, const struct pp_section_bases *bases)
{
	const struct pp_elf *elf = m->elf;
	int err = 0;

	if (elf->type != ET_REL || !bases || !elf->is64)
		return 0;
	for (size_t i = 0; i < elf->nr_sections && !err; i++) {
		const struct pp_elf_section *section = &elf->sections[i];
		const struct pp_elf_section *target;
		int w;

		if (section->type != SHT_RELA || section->info >= elf->nr_sections)
			continue;
		target = &elf->sections[section->info];
		w = pp_debug_section_number(target->name, false);
		if (w >= 0 && m->pieces[w].from == target)
			err = relocate_section(m, &m->pieces[w], section, bases);
	}
	return err;
}

static int make(struct maker *m, const struct pp_section_bases *bases)
{
	uint64_t names, headers;
	int err = find_pieces(m);

	if (!err && !m->pieces[PP_DEBUG_INFO].size)
		err = -ENOENT;
	if (!err)
		err = lay_out(m, &names, &headers);
	if (!err)
		err = copy_pieces(m);
	if (!err)
		err = relocate(m, bases);
	if (err)
		pp_debug_view_release(&m->view);
	else
		write_headers(m, names, headers);
	for (size_t i = 0; i < NR_WANTED && !err; i++) {
		m->view.sections[i].offset = m->pieces[i].offset;
		m->view.sections[i].size = m->pieces[i].size;
	}
	m->view.swap = m->elf->swap;
	return err;
}

int pp_debug_view_make(struct pp_debug_view *ret, const struct pp_elf *elf,
		       const struct pp_section_bases *bases, const char **ret_missing)
{
	struct maker m = { .elf = elf, .missing = ret_missing };
	int err = pp_debug_view_is_useful(elf) ? make(&m, bases) : -ENOENT;

	if (!err)
		*ret = m.view;
	return err;
}

int pp_debug_view_make_split(struct pp_debug_view *ret, const struct pp_elf *elf,
			     const struct pp_debug_slice *slices, const char **ret_missing)
{
	struct maker m = { .elf = elf, .missing = ret_missing, .is_split = true, .slices = slices };
	int err = make(&m, NULL);

	if (!err)
		*ret = m.view;
	return err;
}

void pp_debug_view_release(struct pp_debug_view *view)
{
	if (view->bytes)
		munmap(view->bytes, view->size);
	*view = (struct pp_debug_view){ 0 };
}
