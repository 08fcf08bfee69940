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

static int convert(struct pp_symbol *ret, const struct pp_elf *elf, const struct pp_elf_symbol *from)
{
	const struct pp_elf_section *section = &elf->sections[from->section];
	uint64_t value = from->value;

	if (!from->section || !(section->flags & SHF_EXECINSTR) || !pp_symbol_name_usable(from->name))
		return 0;
	switch (from->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		ret->kind = PP_SYMBOL_FUNCTION;
		if (elf->machine == EM_ARM)
			value &= ~1ull;	/* the Thumb bit */
		break;
	case STT_NOTYPE:
		ret->kind = PP_SYMBOL_LABEL;
		break;
	case STT_OBJECT:
		ret->kind = PP_SYMBOL_OBJECT;
		break;
	default:
		return 0;
	}
	if (value < section->addr || value - section->addr >= section->size)
		return 0;
	ret->bind = from->bind == STB_LOCAL ? PP_BIND_LOCAL :
		    from->bind == STB_WEAK  ? PP_BIND_WEAK :
					      PP_BIND_GLOBAL;
	ret->start = value;
	ret->limit = section->size > UINT64_MAX - section->addr ? UINT64_MAX :
								   section->addr + section->size;
	ret->end = from->size > ret->limit - value ? ret->limit : value + from->size;
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
	size_t nr = 0;
	int err;

	if (!section)
		return -ENOENT;
	err = pp_elf_symbols_read(&from, elf, section);
	if (err)
		return err;
	symbols = malloc((from.nr + 1) * sizeof(*symbols));
	if (!symbols) {
		err = -ENOMEM;
		goto err_release_from;
	}
	for (size_t i = 0; i < from.nr; i++)
		nr += convert(&symbols[nr], elf, &from.items[i]);
	err = nr ? pp_symtab_make(&table.symtab, symbols, nr) : -ENOENT;
	if (err)
		goto err_free_symbols;
	table.strings = from.strings;
	free(from.items);
	*ret = table;
	return 0;

err_free_symbols:
	free(symbols);
err_release_from:
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
