// SPDX-License-Identifier: GPL-2.0-or-later
/* elf_symtab.c -- from ELF symbols to our table. */
#include "config.h"
#include "pp/image/elf_symtab.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pp/image/debug_file.h"

/* Versions, as in memcpy@@GLIBC_2.14, are the linker's business. */
static void cut_version(char *name)
{
	char *at = strchr(name, '@');

	if (at && at != name)
		*at = '\0';
}

/* The sections with code, by address. */
struct code {
	const struct pp_elf_section **sections;
	size_t nr;
};

static int compare_sections(const void *a, const void *b)
{
	const struct pp_elf_section *x = *(const struct pp_elf_section *const *)a;
	const struct pp_elf_section *y = *(const struct pp_elf_section *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int find_code(struct code *ret, const struct pp_elf *elf)
{
	ret->nr = 0;
	ret->sections = malloc((elf->nr_sections + 1) * sizeof(*ret->sections));
	if (!ret->sections)
		return -ENOMEM;
	for (size_t i = 0; i < elf->nr_sections; i++)
		if ((elf->sections[i].flags & (SHF_ALLOC | SHF_EXECINSTR)) ==
		    (SHF_ALLOC | SHF_EXECINSTR))
			ret->sections[ret->nr++] = &elf->sections[i];
	qsort(ret->sections, ret->nr, sizeof(*ret->sections), compare_sections);
	return 0;
}

static const struct pp_elf_section *code_at(const struct code *code, uint64_t vma)
{
	size_t low = 0, high = code->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code->sections[middle]->addr <= vma)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || vma - code->sections[low - 1]->addr >= code->sections[low - 1]->size)
		return NULL;
	return code->sections[low - 1];
}

static int kind_of(const struct pp_elf_symbol *symbol, uint8_t *ret)
{
	switch (symbol->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		*ret = PP_SYMBOL_FUNCTION;
		return 1;
	case STT_NOTYPE:
		*ret = PP_SYMBOL_LABEL;
		return 1;
	case STT_OBJECT:
		*ret = PP_SYMBOL_OBJECT;
		return 1;
	default:
		return 0;
	}
}

static int convert(struct pp_symbol *ret, const struct pp_elf *elf, const struct code *code,
		   const struct pp_elf_symbol *from)
{
	const struct pp_elf_section *section;

	if (!from->defined || !pp_symbol_name_usable(from->name) || !kind_of(from, &ret->kind))
		return 0;
	ret->start = from->value;
	if (elf->machine == EM_ARM && ret->kind == PP_SYMBOL_FUNCTION)
		ret->start &= ~1ull;	/* the Thumb bit */
	section = code_at(code, ret->start);
	if (!section)
		return 0;
	ret->bind = from->bind == STB_LOCAL ? PP_BIND_LOCAL :
		    from->bind == STB_WEAK  ? PP_BIND_WEAK :
					      PP_BIND_GLOBAL;
	ret->limit = section->size > UINT64_MAX - section->addr ? UINT64_MAX :
								   section->addr + section->size;
	ret->end = from->size > ret->limit - ret->start ? ret->limit : ret->start + from->size;
	cut_version((char *)from->name);
	ret->name = from->name;
	return 1;
}

static int read_table(struct pp_elf_symtab *ret, const struct pp_elf *elf, uint32_t type)
{
	const struct pp_elf_section *section = pp_elf_section_by_type(elf, type);
	struct pp_elf_symbols from;
	struct pp_elf_symtab table = { .from = type == SHT_SYMTAB ? ".symtab" : ".dynsym" };
	struct pp_symbol *symbols;
	struct code code;
	size_t nr = 0;
	int err;

	if (!section)
		return -ENOENT;
	err = pp_elf_symbols_read(&from, elf, section);
	if (err)
		return err;
	symbols = malloc((from.nr + 1) * sizeof(*symbols));
	err = symbols ? find_code(&code, elf) : -ENOMEM;
	if (err)
		goto err_free_symbols;
	for (size_t i = 0; i < from.nr; i++)
		nr += convert(&symbols[nr], elf, &code, &from.items[i]);
	free(code.sections);
	err = nr ? pp_symtab_make(&table.symtab, symbols, nr) : -ENOENT;
	if (err)
		goto err_free_symbols;
	table.strings = from.strings;
	free(from.items);
	*ret = table;
	return 0;

err_free_symbols:
	free(symbols);
	pp_elf_symbols_release(&from);
	return err;
}

static int read_debug_file(struct pp_elf_symtab *ret, const struct pp_elf *elf, const char *path,
			   const char *root)
{
	char *debug_path = NULL;
	struct pp_elf debug;
	int fd = pp_debug_file_open(elf, path, root, &debug_path);
	int err;

	if (fd < 0)
		return fd;
	err = pp_elf_read(&debug, fd);
	if (!err) {
		err = read_table(ret, &debug, SHT_SYMTAB);
		pp_elf_release(&debug);
	}
	close(fd);
	if (err)
		free(debug_path);
	else
		ret->debug_path = debug_path;
	return err;
}

int pp_elf_symtab_read(struct pp_elf_symtab *ret, const struct pp_elf *elf, const char *path,
		       const char *root)
{
	struct pp_elf_symtab table = { 0 };
	int err = read_table(&table, elf, SHT_SYMTAB);

	if (err && err != -ENOMEM && path)
		err = read_debug_file(&table, elf, path, root);
	if (err && err != -ENOMEM)
		err = read_table(&table, elf, SHT_DYNSYM);
	if (err == -ENOMEM)
		return err;
	*ret = table;
	return 0;
}

void pp_elf_symtab_release(struct pp_elf_symtab *symtab)
{
	pp_symtab_release(&symtab->symtab);
	free(symtab->strings);
	free(symtab->debug_path);
	*symtab = (struct pp_elf_symtab){ 0 };
}
