// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols.c -- looks up addresses and names of functions and variables in the symbol tables of a
 * file.
 */
#include "config.h"
#include "utils/opattach/images.h"

#include <elf.h>
#include <string.h>

/* A symbol table and its string table. */
struct symbols {
	const unsigned char *data;
	size_t nr;
	const char *names;
	size_t names_size;
};

/* Find in the file the section @table with symbols, and the section @names with the names of these
 * symbols. The last byte of the section @names must be 0, as ELF requires, so that each name is
 * terminated. */
static bool find_table(const struct attach_file *file, const char *table, const char *names,
		       struct symbols *s)
{
	struct cfi_elf_section symbols, strings;

	if (!file->elf.is64 || cfi_elf_section(&file->elf, table, &symbols) ||
	    cfi_elf_section(&file->elf, names, &strings))
		return false;
	s->data = file->data + symbols.offset;
	s->nr = symbols.size / sizeof(Elf64_Sym);
	s->names = (const char *)file->data + strings.offset;
	s->names_size = strings.size;
	return s->names_size && !s->names[s->names_size - 1];
}

/* Read symbol @i into *@symbol. Return its name if the symbol is defined and has the type @type,
 * else NULL. */
static const char *name_of(const struct symbols *s, size_t i, unsigned char type, Elf64_Sym *symbol)
{
	memcpy(symbol, s->data + i * sizeof(*symbol), sizeof(*symbol));
	if (ELF64_ST_TYPE(symbol->st_info) != type || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_name >= s->names_size)
		return NULL;
	return s->names + symbol->st_name;
}

static const char *const tables[][2] = { { ".dynsym", ".dynstr" }, { ".symtab", ".strtab" } };

/* Return whether the process has mapped the file of @image at @at, the address of @symbol. @image
 * itself is only the mapping of code; variables are in other mappings of the file. */
static bool is_mapped(const struct attach_image *image, const Elf64_Sym *symbol, uint64_t at)
{
	return ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	       (at >= image->start && at < image->end);
}

static uint64_t find(struct attach_image *image, const struct attach_target *t, const char *name,
		     unsigned char type)
{
	const struct attach_file *file = attach_image_load(image, t);
	struct symbols s;
	Elf64_Sym symbol;

	for (int k = 0; file && k < 2; k++) {
		if (!find_table(file, tables[k][0], tables[k][1], &s))
			continue;
		for (size_t i = 0; i < s.nr; i++) {
			const char *is = name_of(&s, i, type, &symbol);
			uint64_t at = symbol.st_value - image->vaddr + image->start;

			if (is && !strcmp(is, name) && is_mapped(image, &symbol, at))
				return at;
		}
	}
	return 0;
}

uint64_t attach_image_symbol(struct attach_image *image, const struct attach_target *t,
			     const char *name)
{
	return find(image, t, name, STT_FUNC);
}

uint64_t attach_image_variable(struct attach_image *image, const struct attach_target *t,
			       const char *name)
{
	return find(image, t, name, STT_OBJECT);
}

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

const char *attach_image_name(struct attach_image *image, const struct attach_target *t,
			      uint64_t at, const char *const *names)
{
	const struct attach_file *file = attach_image_load(image, t);
	uint64_t linked = at - image->start + image->vaddr;
	struct symbols s;
	Elf64_Sym symbol;

	for (int k = 0; file && k < 2; k++) {
		if (!find_table(file, tables[k][0], tables[k][1], &s))
			continue;
		for (size_t i = 0; i < s.nr; i++) {
			const char *is = name_of(&s, i, STT_FUNC, &symbol);

			if (is && linked >= symbol.st_value &&
			    linked - symbol.st_value < symbol.st_size &&
			    (!names || is_among(names, is)))
				return is;
		}
	}
	return NULL;
}
