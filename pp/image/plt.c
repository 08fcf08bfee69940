// SPDX-License-Identifier: GPL-2.0-or-later
/* plt.c -- names of PLT stubs. For machines other than x86-64, libbfd makes them. */
#include "config.h"
#include "pp/image/plt.h"

#include <bfd.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pp/image/plt_x86_64.h"

/* Discard libbfd's messages, because the report prints its own. libbfd also prints some messages
 * directly to stderr. So do not pass obviously damaged files to libbfd, and pass the names of all
 * other files, so that these messages name the file. */
static void quiet(const char *fmt, va_list ap)
{
	(void)fmt;
	(void)ap;
}

/* maximum size of all names of stubs in bytes; libLLVM, the largest known library, needs a third */
#define MAX_NAMES	(256u << 20)

/* Number and size of the names that libbfd would allocate for a binary. */
struct names {
	struct pp_elf_symbols symbols;	/* dynamic symbols of the binary */
	uint32_t *lengths;		/* for each dynamic symbol: length of its name */
	uint64_t nr, total; /* number of names; total length of the names without versions */
};

/* Return an upper bound for the length of a symbol version's name: treat each four bytes of the
 * version section as the offset of a string, and return the length of the longest string. */
static size_t longest_version(const struct pp_elf *elf, const struct pp_elf_section *section)
{
	const struct pp_elf_section *strings;
	char *data = NULL, *text = NULL;
	size_t longest = 0;

	if (section->link >= elf->nr_sections)
		return MAX_NAMES;
	strings = &elf->sections[section->link];
	if (pp_elf_section_data(&data, elf, section) || pp_elf_section_data(&text, elf, strings)) {
		free(data);
		return MAX_NAMES;
	}
	for (size_t at = 0; at + 4 <= section->size && longest < MAX_NAMES; at++) {
		uint32_t offset = pp_elf_get32(elf, data + at);
		size_t n = offset < strings->size ? strlen(text + offset) : 0;

		longest = n > longest ? n : longest;
	}
	free(data);
	free(text);
	return longest;
}

/* Add the number and length of the names that libbfd makes for a section of relocations. Return
 * false if the section cannot be read. */
static bool add_relocations(struct names *names, const struct pp_elf *elf,
			    const struct pp_elf_section *section)
{
	bool is_rela = section->type == SHT_RELA;
	size_t size = elf->is64 ? is_rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel) :
				  is_rela ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
	char *data;

	if (pp_elf_section_data(&data, elf, section))
		return false;
	for (size_t at = 0; at + size <= section->size; at += size) {
		const char *info = data + at + (elf->is64 ? 8 : 4);
		uint64_t symbol =
			elf->is64 ? pp_elf_get64(elf, info) >> 32 : pp_elf_get32(elf, info) >> 8;

		if (!symbol || symbol >= names->symbols.nr)
			continue;
		names->nr++;
		names->total += names->lengths[symbol];
	}
	free(data);
	return true;
}

/*
 * libbfd allocates a name NAME@VERSION@plt for each relocation, and NAME@VERSION for each dynamic
 * symbol. Relocations may share a long name, so a file of a few megabytes could use up all memory.
 */
static bool names_fit(const struct pp_elf *elf)
{
	const struct pp_elf_section *symbols = pp_elf_section_by_type(elf, SHT_DYNSYM);
	struct names names = { 0 };
	size_t version = 0, n;
	bool fits = symbols && !pp_elf_symbols_read(&names.symbols, elf, symbols);

	names.lengths = fits ? calloc(names.symbols.nr + 1, sizeof(*names.lengths)) : NULL;
	fits = fits && names.lengths;
	for (size_t i = 0; fits && i < names.symbols.nr; i++) {
		names.lengths[i] = strlen(names.symbols.items[i].name);
		names.total += names.lengths[i];
	}
	names.nr = names.symbols.nr;
	for (size_t i = 0; i < elf->nr_sections && fits; i++) {
		const struct pp_elf_section *section = &elf->sections[i];

		if (section->type == SHT_DYNSYM)
			fits = section == symbols;
		else if (section->type == SHT_REL || section->type == SHT_RELA)
			fits = add_relocations(&names, elf, section);
		if (section->type != SHT_GNU_verdef && section->type != SHT_GNU_verneed)
			continue;
		n = longest_version(elf, section);
		version = n > version ? n : version;
	}
	pp_elf_symbols_release(&names.symbols);
	free(names.lengths);
	return fits && names.total <= MAX_NAMES &&
	       (!version || names.nr <= (MAX_NAMES - names.total) / version);
}

void pp_plt_bounds(const struct pp_elf *elf, uint64_t *start, uint64_t *end)
{
	*start = *end = 0;
	for (size_t i = 0; i < elf->nr_sections; i++) {
		const struct pp_elf_section *section = &elf->sections[i];

		if (!pp_plt_is_section(section))
			continue;
		if (!*end || section->addr < *start)
			*start = section->addr;
		if (section->addr + section->size > *end)
			*end = section->addr + section->size;
	}
}

/* Open the file @fd with libbfd. The bfd owns a duplicate of @fd. */
static bfd *open_bfd(int fd, const char *name)
{
	int copy = dup(fd);
	bfd *abfd;

	if (copy < 0)
		return NULL;
	abfd = bfd_fdopenr(name, NULL, copy);
	if (!abfd)
		return NULL;	/* bfd_fdopenr() has closed the descriptor if it failed */
	if (bfd_check_format(abfd, bfd_object))
		return abfd;
	bfd_close(abfd);
	return NULL;
}

static asymbol **read_dynamic_symbols(bfd *abfd, long *nr)
{
	long size = bfd_get_dynamic_symtab_upper_bound(abfd);
	asymbol **symbols;

	if (size <= 0)
		return NULL;
	symbols = malloc(size);
	if (!symbols)
		return NULL;
	*nr = bfd_canonicalize_dynamic_symtab(abfd, symbols);
	if (*nr > 0)
		return symbols;
	free(symbols);
	return NULL;
}

static int copy_symbols(struct pp_plt *ret, const asymbol *from, long nr)
{
	struct pp_symbol *symbols = calloc(nr, sizeof(*symbols));
	struct pp_plt plt = { 0 };
	size_t size = 1;
	char *name;

	for (long i = 0; i < nr; i++)
		size += strlen(from[i].name) + 1;
	name = plt.names = malloc(size);
	if (!symbols || !plt.names)
		goto err_free;
	for (long i = 0; i < nr; i++) {
		const asection *section = bfd_asymbol_section(&from[i]);

		symbols[i].start = symbols[i].end = bfd_asymbol_value(&from[i]);
		symbols[i].limit = bfd_section_vma(section) + bfd_section_size(section);
		symbols[i].name = strcpy(name, from[i].name);
		name += strlen(name) + 1;
	}
	if (pp_symtab_make(&plt.symtab, symbols, nr))
		goto err_free;
	*ret = plt;
	return 0;

err_free:
	free(plt.names);
	free(symbols);
	return -ENOMEM;
}

static int read_x86_64(struct pp_plt *ret, const struct pp_elf *elf)
{
	struct pp_symbol *symbols;
	struct pp_plt plt = { 0 };
	size_t nr;
	int err = pp_plt_x86_64_read(&symbols, &nr, &plt.names, elf);

	if (err)
		return err;
	err = pp_symtab_make(&plt.symtab, symbols, nr);
	if (err) {
		free(symbols);
		free(plt.names);
		return err;
	}
	*ret = plt;
	return 0;
}

int pp_plt_read(struct pp_plt *ret, const struct pp_elf *elf, const char *name)
{
	struct pp_plt plt = { 0 };
	asymbol **dynamic = NULL, *synthetic = NULL;
	long nr_dynamic = 0, nr;
	bfd *abfd;
	int err = 0;

	if (pp_plt_is_x86_64(elf))
		return read_x86_64(ret, elf);
	if (elf->damaged || !names_fit(elf))
		goto done;
	bfd_init();
	bfd_set_error_handler(quiet);
	abfd = open_bfd(elf->fd, name);
	if (!abfd)
		goto done;
	dynamic = read_dynamic_symbols(abfd, &nr_dynamic);
	if (!dynamic)
		goto close_bfd;
	nr = bfd_get_synthetic_symtab(abfd, 0, NULL, nr_dynamic, dynamic, &synthetic);
	if (nr > 0)
		err = copy_symbols(&plt, synthetic, nr);
	free(synthetic);
	free(dynamic);
close_bfd:
	bfd_close(abfd);
done:
	if (!err)
		*ret = plt;
	return err;
}

void pp_plt_release(struct pp_plt *plt)
{
	pp_symtab_release(&plt->symtab);
	free(plt->names);
	*plt = (struct pp_plt){ 0 };
}
