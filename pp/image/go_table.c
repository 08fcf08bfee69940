// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * go_table.c -- search for Go's table .gopclntab, and lookup of its functions and lines.
 *
 * The table begins with a magic number, two zero bytes, the size of the smallest instruction, the
 * size of a pointer, and words of that size. Two of the words are the number of functions and the
 * offset of their index. The index consists of pairs (address, offset of a description), and a last
 * address. A description begins with the function's address and the offset of its name.
 */
#include "config.h"
#include "pp/image/go_table.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcfi/bytes.h"
#include "libop/base/search.h"

/* maximum size of a Go table in bytes; the tables of the largest programs have 100 MB */
#define MAX_TABLE	(256u << 20)
#define MAX_FUNCTIONS	(4u << 20)
/* maximum size of all sections with relocations, in bytes */
#define MAX_RELOCATIONS	(128u << 20)
#define MAX_CANDIDATES	16		/* maximum number of addresses where a table may begin */
#define ALIGNMENT	8		/* alignment of a Go table, in bytes */
#define PIECE_SIZE	(24u << 11)	/* bytes of a section that are read at once */

/* Layout of the table in one range of Go versions. Words are counted from byte 8. */
struct pp_go_format {
	uint32_t magic;
	/* index of the header's word with the address at which the code starts; 0: addresses are
	 * absolute */
	unsigned int text;
	/* Indices of the words with the offsets of the names and of the index of functions. 0:
	 * names are relative to the table, and the index follows the number of functions. */
	unsigned int names, index;
};

static const struct pp_go_format formats[] = {
	{ 0xfffffffb, 0, 0, 0 },	/* Go 1.2 and later */
	{ 0xfffffffa, 0, 2, 6 },	/* Go 1.16 and later */
	{ 0xfffffff0, 2, 3, 7 },	/* Go 1.18 and later */
	{ 0xfffffff1, 2, 3, 7 },	/* Go 1.20 and later */
};

/* Return the number of @size bytes (4 or 8) at the offset @at in the table. The caller checks that
 * the number is inside the table. */
static uint64_t go_number(const struct pp_go_table *t, uint64_t at, unsigned int size)
{
	return size == 8 ? pp_elf_get64(t->elf, t->data + at) : pp_elf_get32(t->elf, t->data + at);
}

static uint64_t word(const struct pp_go_table *t, unsigned int i)
{
	return go_number(t, 8 + i * t->pointer, t->pointer);
}

static const struct pp_go_format *format_of(const struct pp_elf *elf, const char *data,
					    uint64_t size)
{
	unsigned char quantum, pointer;

	if (size < 8 + 8 * sizeof(uint64_t))
		return NULL;
	quantum = data[6];
	pointer = data[7];
	if (data[4] || data[5] || (quantum != 1 && quantum != 2 && quantum != 4) ||
	    pointer != (elf->is64 ? 8 : 4))
		return NULL;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (pp_elf_get32(elf, data) == formats[i].magic)
			return &formats[i];
	return NULL;
}

/*
 * Return the address at which the code starts, or 0 if it is unknown. Tables since Go 1.26 do not
 * contain the address; there, code starts with .text. If a linker other than Go's made the program,
 * it put its own code first in .text: return 0.
 */
static uint64_t text_of(const struct pp_go_table *t)
{
	uint64_t text = word(t, t->format->text);
	const struct pp_elf_section *section = pp_elf_section_by_name(t->elf, ".text");

	if (text || !section || pp_elf_section_by_name(t->elf, ".eh_frame") ||
	    pp_elf_section_by_name(t->elf, ".init"))
		return text;
	return section->addr;
}

/* Parse the header at @data. Return false if the index of functions exceeds @size bytes. */
static bool read_header(struct pp_go_table *ret, const struct pp_elf *elf, const char *data,
			uint64_t size)
{
	struct pp_go_table t = {
		.elf = elf, .format = format_of(elf, data, size), .data = data, .size = size};

	if (!t.format)
		return false;
	t.quantum = (unsigned char)data[6];
	t.field = t.pointer = elf->is64 ? 8 : 4;
	t.nr = word(&t, 0);
	if (t.format->index) {
		t.names = word(&t, t.format->names);
		t.units = word(&t, t.format->names + 1);
		t.files = word(&t, t.format->names + 2);
		t.lists = word(&t, t.format->names + 3);
		t.index = t.descriptions = word(&t, t.format->index);
	} else {
		t.index = 8 + t.pointer;
	}
	if (t.format->text) {
		t.field = 4;
		t.text = text_of(&t);
		if (!t.text)
			return false;
	}
	if (!t.nr || t.nr > MAX_FUNCTIONS || t.names >= size || t.index >= size ||
	    (2 * t.nr + 1) * t.field + 4 > size - t.index || t.units > size || t.files > size)
		return false;
	/* Before Go 1.16, the offset of the list of files is after the index of functions. */
	if (!t.format->index)
		t.files = go_number(&t, t.index + (2 * t.nr + 1) * t.field, 4);
	*ret = t;
	return true;
}

uint64_t pp_go_address(const struct pp_go_table *t, uint64_t i)
{
	return t->text + go_number(t, t->index + 2 * i * t->field, t->field);
}

const char *pp_go_name(const struct pp_go_table *t, uint64_t i, size_t *ret_len)
{
	uint64_t at = go_number(t, t->index + (2 * i + 1) * t->field, t->field),
		 left = t->size - t->descriptions;
	uint32_t name;

	if (left < t->field + 4 || at > left - (t->field + 4))
		return NULL;
	name = pp_elf_get32(t->elf, t->data + t->descriptions + at + t->field);
	left = t->size - t->names;
	if (name >= left)
		return NULL;
	left -= name;
	/* Limit the search for the end of the name, because longer names are not used. */
	*ret_len = strnlen(t->data + t->names + name,
			   left > PP_GO_MAX_NAME ? PP_GO_MAX_NAME + 1 : left);
	return *ret_len < left ? t->data + t->names + name : NULL;
}

/* Check that the names of all functions together are shorter than the table. Functions may share a
 * name, so the names of a damaged table could exceed it. A table made by Go's linker is several
 * times as large as its names. */
static bool functions_are_valid(const struct pp_go_table *t)
{
	uint64_t looked_at = 0;
	size_t len = 0;

	for (uint64_t i = 0; i < t->nr; i++) {
		const char *name = pp_go_name(t, i, &len);

		if (!name || pp_go_address(t, i + 1) < pp_go_address(t, i) ||
		    len >= t->size - looked_at)
			return false;
		looked_at += len + 1;
	}
	return true;
}

/* Relocate @data, a copy of the section's bytes, as the dynamic linker would. */
static void relocate(char *data, const struct pp_elf *elf, const struct pp_elf_section *section,
		     const char *entries, uint64_t nr)
{
	unsigned int word = elf->is64 ? 8 : 4;

	for (uint64_t i = 0; i < nr; i++, entries += 3 * word) {
		uint64_t at = elf->is64 ? pp_elf_get64(elf, entries) : pp_elf_get32(elf, entries);
		uint64_t info = elf->is64 ? pp_elf_get64(elf, entries + word)
					  : pp_elf_get32(elf, entries + word);
		uint64_t symbol = elf->is64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info);

		/* Apply only relative relocations, which have no symbol. */
		if (symbol || !info || at < section->addr || section->size < word ||
		    at - section->addr > section->size - word)
			continue;
		memcpy(data + (at - section->addr), entries + 2 * word, word);
	}
}

static int relocate_all(char *data, const struct pp_elf *elf, const struct pp_elf_section *section)
{
	const size_t size = elf->is64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	uint64_t left = MAX_RELOCATIONS;
	char *piece = malloc(PIECE_SIZE);

	if (!piece)
		return -ENOMEM;
	for (size_t i = 0; i < elf->nr_sections; i++) {
		const struct pp_elf_section *s = &elf->sections[i];
		uint64_t nr = s->size / size, at = s->offset;

		if (s->type != SHT_RELA || !(s->flags & SHF_ALLOC) || !s->size || s->size > left)
			continue;
		left -= s->size;
		while (nr) {
			const uint64_t part = nr < PIECE_SIZE / size ? nr : PIECE_SIZE / size;

			if (pp_elf_pread(elf, piece, part * size, at))
				break;
			relocate(data, elf, section, piece, part);
			at += part * size;
			nr -= part;
		}
	}
	free(piece);
	return 0;
}

/* Return whether a Go table may begin in the section. Read it in pieces, because programs in other
 * languages also have sections of the same name, of many megabytes. Relocations do not change the
 * start of a table. */
static bool has_candidate(const struct pp_elf *elf, const struct pp_elf_section *section)
{
	char *piece = malloc(PIECE_SIZE);
	bool found = false;

	/* without memory, the next allocation reports the error */
	for (uint64_t at = 0; at < section->size && !found && piece; at += PIECE_SIZE) {
		const uint64_t left = section->size - at;
		const size_t size = left < PIECE_SIZE ? left : PIECE_SIZE;

		if (pp_elf_pread(elf, piece, size, section->offset + at))
			break;
		for (size_t i = 0; i < size && !found; i += ALIGNMENT)
			found = format_of(elf, piece + i, left - i) != NULL;
	}
	found = found || !piece;
	free(piece);
	return found;
}

/* Find the first Go table inside a section's bytes. */
static int find_table(struct pp_go_table *ret, const struct pp_elf *elf, const char *data,
		      uint64_t size)
{
	unsigned int candidates = 0;

	for (uint64_t at = 0; at < size && candidates < MAX_CANDIDATES; at += ALIGNMENT) {
		if (!format_of(elf, data + at, size - at))
			continue;
		candidates++;
		if (read_header(ret, elf, data + at, size - at) && functions_are_valid(ret))
			return 0;
	}
	return -ENOENT;
}

int pp_go_table_read(struct pp_go_table *ret, const struct pp_elf *elf)
{
	static const char *const places[] = {".gopclntab", ".data.rel.ro.gopclntab",
					     ".data.rel.ro"};
	int err = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && err == -ENOENT; i++) {
		const struct pp_elf_section *section = pp_elf_section_by_name(elf, places[i]);
		struct pp_go_table table;
		char *data;

		if (!section || section->type == SHT_NOBITS || section->size > MAX_TABLE ||
		    !has_candidate(elf, section))
			continue;
		err = pp_elf_section_data(&data, elf, section);
		if (err) {
			err = err == -ENOMEM ? err : -ENOENT;
			continue;
		}
		err = relocate_all(data, elf, section);
		if (!err)
			err = find_table(&table, elf, data, section->size);
		if (err) {
			free(data);
			continue;
		}
		table.section = data;
		*ret = table;
	}
	return err;
}

void pp_go_table_release(struct pp_go_table *table)
{
	free(table->section);
	*table = (struct pp_go_table){ 0 };
}

/*
 * Lookup of lines and files in Go's table.
 *
 * A function's description has the offsets of its lists. A list consists of pairs of differences:
 * of the value (zigzag encoding), and of the address up to which the value applies. A value
 * difference of 0 ends the list, except in the first pair.
 */

#define MAX_STEPS	(1u << 20) /* maximum number of pairs that a lookup reads from a list */
/* maximum number of pairs that all lookups together read */
#define ALL_STEPS	(1u << 30)

/* A function's description contains 32-bit numbers. Number 0 is the offset of the function's name;
 * these are the indices of other numbers. */
enum { LIST_OF_FILES = 4, LIST_OF_LINES = 5, UNIT = 7 };

struct pp_go_lines {
	struct pp_go_table table;
	uint64_t steps;		/* number of pairs that may still be read, initially ALL_STEPS */
};

int pp_go_lines_open(struct pp_go_lines **ret, const struct pp_elf *elf)
{
	struct pp_go_lines *lines = calloc(1, sizeof(*lines));
	int err = lines ? pp_go_table_read(&lines->table, elf) : -ENOMEM;

	if (err) {
		free(lines);
		return err;
	}
	lines->steps = ALL_STEPS;
	*ret = lines;
	return 0;
}

void pp_go_lines_close(struct pp_go_lines *lines)
{
	if (!lines)
		return;
	pp_go_table_release(&lines->table);
	free(lines);
}

/* Read the 32-bit number at the offset @at in the table. Return false if the number is outside the
 * table. */
static bool number_at(const struct pp_go_table *t, uint64_t at, uint32_t *ret)
{
	if (at > t->size || t->size - at < 4)
		return false;
	*ret = go_number(t, at, 4);
	return true;
}

/* Look up a value, such as a line number, in the list at the offset @list, for the code at @offset
 * in its function. */
static bool value_at(struct pp_go_lines *lines, uint32_t list, uint64_t offset, int32_t *ret)
{
	const struct pp_go_table *t = &lines->table;
	struct cfi_bytes bytes = {.at = (const unsigned char *)t->data,
				  .end = (const unsigned char *)t->data + t->size};
	uint64_t end = 0;
	uint32_t value = UINT32_MAX;

	cfi_take(&bytes, t->lists);
	cfi_take(&bytes, list);
	for (unsigned int i = 0; i < MAX_STEPS && lines->steps; i++) {
		uint32_t step = cfi_uleb(&bytes);

		lines->steps--;
		if (bytes.failed || (!step && i))
			return false;
		value += step & 1 ? ~(step >> 1) : step >> 1;
		end += (uint32_t)cfi_uleb(&bytes) * (uint64_t)t->quantum;
		if (!bytes.failed && offset < end) {
			*ret = (int32_t)value;
			return true;
		}
	}
	return false;
}

static const char *string_at(const struct pp_go_table *t, uint64_t at)
{
	return at < t->size && memchr(t->data + at, '\0', t->size - at) ? t->data + at : NULL;
}

/* Return the name of a file. @description: the function's description. @file: number of the
 * file. */
static const char *file_name(const struct pp_go_table *t, uint64_t description, int32_t file)
{
	uint32_t unit, at;

	if (file < 0)
		return NULL;
	if (!t->units)
		return number_at(t, t->files + 4ull * file, &at) ? string_at(t, at) : NULL;
	if (!number_at(t, description + 4 * UNIT, &unit) ||
	    !number_at(t, t->units + 4 * ((uint64_t)unit + file), &at) || at == UINT32_MAX)
		return NULL;
	return string_at(t, t->files + at);
}

bool pp_go_lines_line(struct pp_go_lines *lines, uint64_t vma, struct pp_frame *ret)
{
	const struct pp_go_table *t = &lines->table;
	uint64_t above = op_partition_point(i, t->nr, pp_go_address(t, i) <= vma), description,
		 offset;
	uint32_t files, numbers;
	int32_t file, line;
	const char *name;

	if (!above || vma >= pp_go_address(t, above))
		return false;
	offset = vma - pp_go_address(t, above - 1);
	description = t->descriptions + t->field +
		      go_number(t, t->index + (2 * above - 1) * t->field, t->field);
	if (!number_at(t, description + 4 * LIST_OF_FILES, &files) ||
	    !number_at(t, description + 4 * LIST_OF_LINES, &numbers) ||
	    !value_at(lines, files, offset, &file) || !value_at(lines, numbers, offset, &line))
		return false;
	name = file_name(t, description, file);
	if (!name || line <= 0)
		return false;
	*ret = (struct pp_frame){ .file = name, .line = line };
	return true;
}
