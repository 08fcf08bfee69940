// SPDX-License-Identifier: GPL-2.0-or-later
/* plt.c -- libbfd's synthetic symbols. */
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

/* libbfd prints what it thinks of a file; the report has its own words. (Some of it does not come
 * this way but goes to stderr, so files that are plainly damaged are not given to it, and the
 * others by name.) */
static void quiet(const char *fmt, va_list ap)
{
	(void)fmt;
	(void)ap;
}

static bool is_plt(const struct pp_elf_section *section)
{
	return section->type == SHT_PROGBITS && (section->flags & SHF_EXECINSTR) &&
	       !strncmp(section->name, ".plt", 4);
}

void pp_plt_bounds(const struct pp_elf *elf, uint64_t *start, uint64_t *end)
{
	*start = *end = 0;
	for (size_t i = 0; i < elf->nr_sections; i++) {
		const struct pp_elf_section *section = &elf->sections[i];

		if (!is_plt(section))
			continue;
		if (!*end || section->addr < *start)
			*start = section->addr;
		if (section->addr + section->size > *end)
			*end = section->addr + section->size;
	}
}

/* The bfd owns the descriptor it is given, so it gets its own. */
static bfd *open_bfd(int fd, const char *name)
{
	int copy = dup(fd);
	bfd *abfd;

	if (copy < 0)
		return NULL;
	abfd = bfd_fdopenr(name, NULL, copy);
	if (!abfd)
		return NULL;	/* bfd_fdopenr() has closed it */
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

int pp_plt_read(struct pp_plt *ret, const struct pp_elf *elf, const char *name)
{
	struct pp_plt plt = { 0 };
	asymbol **dynamic = NULL, *synthetic = NULL;
	long nr_dynamic = 0, nr;
	bfd *abfd;
	int err = 0;

	if (elf->damaged)
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
