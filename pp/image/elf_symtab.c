// SPDX-License-Identifier: GPL-2.0-or-later
/* elf_symtab.c -- reads the code symbols of an ELF file. */
#include "config.h"
#include "pp/image/elf_symtab.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/search.h"
#include "pp/image/debug_file.h"
#include "pp/image/elf.h"
#include "pp/image/go_table.h"
#include "pp/image/unpack.h"

struct pp_go_function {
	uint64_t start, end;
	uint32_t name;		/* offset of the function's name in pp_go_functions.names */
};

struct pp_go_functions {
	/* functions in Go's table, sorted by address, without overlaps */
	struct pp_go_function *items;
	size_t nr;
	char *names;
};

static int copy_functions(struct pp_go_functions *functions, const struct pp_go_table *t)
{
	uint64_t used = 0, start = pp_go_address(t, 0), end;
	size_t len = 0;

	for (uint64_t i = 0; i < t->nr; i++, start = end) {
		const char *name = pp_go_name(t, i, &len);

		end = pp_go_address(t, i + 1);
		if (end == start || !len || len > PP_GO_MAX_NAME)
			continue;
		functions->items[functions->nr++] = (struct pp_go_function){ start, end, used };
		memcpy(functions->names + used, name, len + 1);
		used += len + 1;
	}
	return functions->nr ? 0 : -ENOENT;
}

static void pp_go_functions_release(struct pp_go_functions *functions)
{
	free(functions->items);
	free(functions->names);
	*functions = (struct pp_go_functions){ 0 };
}

/* Read the functions in Go's table (.gopclntab) of @elf. Return 0, -ENOENT if the table is missing
 * or damaged, or -ENOMEM. */
static int pp_go_functions_read(struct pp_go_functions *ret, const struct pp_elf *elf)
{
	struct pp_go_functions functions = { 0 };
	struct pp_go_table t;
	int err = pp_go_table_read(&t, elf);

	if (err)
		return err;
	functions.items = malloc(t.nr * sizeof(*functions.items));
	functions.names = malloc(t.size);
	err = functions.items && functions.names ? copy_functions(&functions, &t) : -ENOMEM;
	pp_go_table_release(&t);
	if (err) {
		pp_go_functions_release(&functions);
		return err;
	}
	*ret = functions;
	return 0;
}

/* Remove the version from a name such as memcpy@@GLIBC_2.14. Return whether the version was an old
 * version, which has a single @. */
static bool cut_version(char *name)
{
	char *at = strchr(name, '@');

	if (!at || at == name)
		return false;
	*at = '\0';
	return at[1] != '@';
}

/* flag in .gnu.version: an old version of a symbol, which linkers no longer use */
#define HIDDEN		0x8000

/* Return the version of each .dynsym symbol, malloc'd, or NULL without .gnu.version. */
static char *read_versions(const struct pp_elf *elf, uint32_t type, size_t nr)
{
	const struct pp_elf_section *section = pp_elf_section_by_type(elf, SHT_GNU_versym);
	char *data;

	if (type != SHT_DYNSYM || !section || section->size / 2 < nr ||
	    pp_elf_section_data(&data, elf, section))
		return NULL;
	return data;
}

/* A list of sections, sorted by address: all sections with code, or all sections with data. */
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

static int find_code(struct code *ret, const struct pp_elf *elf, uint64_t flags)
{
	ret->nr = 0;
	ret->sections = malloc((elf->nr_sections + 1) * sizeof(*ret->sections));
	if (!ret->sections)
		return -ENOMEM;
	for (size_t i = 0; i < elf->nr_sections; i++)
		if ((elf->sections[i].flags & (SHF_ALLOC | SHF_EXECINSTR)) ==
		    flags)
			ret->sections[ret->nr++] = &elf->sections[i];
	qsort(ret->sections, ret->nr, sizeof(*ret->sections), compare_sections);
	return 0;
}

static const struct pp_elf_section *code_at(const struct code *code, uint64_t vma)
{
	size_t above = op_partition_point(i, code->nr, code->sections[i]->addr <= vma);
	const struct pp_elf_section *section = above ? code->sections[above - 1] : NULL;

	return section && vma - section->addr < section->size ? section : NULL;
}

/* Return the end address of the section. */
static uint64_t end_of(const struct pp_elf_section *section)
{
	return section->size > UINT64_MAX - section->addr ? UINT64_MAX
							  : section->addr + section->size;
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

static bool convert(struct pp_symbol *ret, const struct pp_elf *elf, const struct code *code,
		    const struct pp_elf_symbol *from)
{
	const struct pp_elf_section *section;

	if (!from->defined || !pp_symbol_name_usable(from->name) || !kind_of(from, &ret->kind))
		return false;
	ret->start = from->value;
	if (elf->type == ET_REL && from->section < elf->nr_sections)
		/* Files of OProfile 1.x's agents are relocatable, so their symbol values are
		 * relative to a section. */
		ret->start += elf->sections[from->section].addr;
	if (elf->machine == EM_ARM && ret->kind == PP_SYMBOL_FUNCTION)
		ret->start &= ~1ull;	/* bit 0 marks Thumb code */
	section = code_at(code, ret->start);
	if (!section)
		return false;
	ret->bind = from->bind == STB_LOCAL ? PP_BIND_LOCAL :
		    from->bind == STB_WEAK  ? PP_BIND_WEAK :
					      PP_BIND_GLOBAL;
	ret->limit = end_of(section);
	ret->end = from->size > ret->limit - ret->start ? ret->limit : ret->start + from->size;
	if (cut_version((char *)from->name))
		ret->bind = PP_BIND_OLD;
	ret->name = from->name;
	return true;
}

#define CODE	(SHF_ALLOC | SHF_EXECINSTR)
#define DATA	SHF_ALLOC

/* Append the symbols of one symbol table that are in the sections of @code (code or data). The
 * names point into *@ret_strings. */
static int add_table(struct pp_symbol **symbols, size_t *nr, char **ret_strings,
		     const struct pp_elf *elf, uint32_t type, uint64_t flags)
{
	const struct pp_elf_section *section = pp_elf_section_by_type(elf, type);
	struct pp_elf_symbols from;
	struct pp_symbol *more;
	struct code code;
	char *versions;
	size_t added = 0;
	int err;

	if (!section)
		return -ENOENT;
	err = pp_elf_symbols_read(&from, elf, section);
	if (err)
		return err;
	more = reallocarray(*symbols, *nr + from.nr + 1, sizeof(**symbols));
	if (!more) {
		err = -ENOMEM;
		goto err_release;
	}
	*symbols = more;
	err = find_code(&code, elf, flags);
	if (err)
		goto err_release;
	versions = read_versions(elf, type, from.nr);
	for (size_t i = 0; i < from.nr; i++) {
		if (!convert(&more[*nr + added], elf, &code, &from.items[i]))
			continue;
		if (versions && pp_elf_get16(elf, versions + 2 * i) & HIDDEN)
			more[*nr + added].bind = PP_BIND_OLD;
		added++;
	}
	free(versions);
	free(code.sections);
	if (!added) {
		err = -ENOENT;
		goto err_release;
	}
	*nr += added;
	*ret_strings = from.strings;
	free(from.items);
	return 0;

err_release:
	pp_elf_symbols_release(&from);
	return err;
}

static int read_table(struct pp_elf_symtab *ret, const struct pp_elf *elf, uint32_t type,
		      uint64_t flags)
{
	struct pp_elf_symtab table = { .from = type == SHT_SYMTAB ? ".symtab" : ".dynsym" };
	struct pp_symbol *symbols = NULL;
	size_t nr = 0;
	int err = add_table(&symbols, &nr, &table.strings, elf, type, flags);

	if (!err)
		err = pp_symtab_make(&table.symtab, symbols, nr);
	if (err) {
		free(symbols);
		free(table.strings);
		return err;
	}
	*ret = table;
	return 0;
}

static int read_debug_file(struct pp_elf_symtab *ret, const struct pp_elf *elf, const char *path,
			   const struct pp_debug_places *places)
{
	char *debug_path = NULL;
	struct pp_elf debug;
	int fd = pp_debug_file_open(elf, path, places, &debug_path);
	int err;

	if (fd < 0)
		return fd;
	err = pp_elf_read(&debug, fd);
	if (!err) {
		err = read_table(ret, &debug, SHT_SYMTAB, CODE);
		pp_elf_release(&debug);
	}
	close(fd);
	if (err)
		free(debug_path);
	else
		ret->debug_path = debug_path;
	return err;
}

/* maximum uncompressed size of .gnu_debugdata; the largest known has 1 MB */
#define MAX_MINI	(64u << 20)

/* Uncompress .gnu_debugdata, an ELF file. Return a memfd with the file, or a negative errno. */
static int open_mini(const struct pp_elf *elf)
{
	const struct pp_elf_section *section = pp_elf_section_by_name(elf, ".gnu_debugdata");
	char *packed, *bytes;
	size_t size;
	int fd = -ENOENT;

	if (!section || section->size > MAX_MINI)
		return -ENOENT;
	if (pp_elf_section_data(&packed, elf, section))
		return -ENOENT;
	/* mmap() instead of malloc(): pages that are never written use no memory. */
	bytes = mmap(NULL, MAX_MINI, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		goto free_packed;
	if (pp_unpack(PP_PACKED_XZ, packed, section->size, bytes, MAX_MINI, &size))
		goto unmap;
	fd = memfd_create("minidebuginfo", MFD_CLOEXEC);
	if (fd >= 0 && op_write_all(fd, bytes, size)) {
		close(fd);
		fd = -ENOENT;
	}
unmap:
	munmap(bytes, MAX_MINI);
free_packed:
	free(packed);
	return fd < 0 ? -ENOENT : fd;
}

static int add_mini(struct pp_symbol **symbols, size_t *nr, char **ret_strings,
		    const struct pp_elf *elf)
{
	struct pp_elf mini;
	int fd = open_mini(elf);
	int err;

	if (fd < 0)
		return fd;
	err = pp_elf_read(&mini, fd);
	if (!err) {
		err = add_table(symbols, nr, ret_strings, &mini, SHT_SYMTAB, CODE);
		pp_elf_release(&mini);
	}
	close(fd);
	return err;
}

/* Append the functions of a Go program. */
static int add_go_functions(struct pp_symbol **symbols, size_t *nr, char **ret_strings,
			    const struct pp_elf *elf)
{
	struct pp_go_functions functions;
	struct pp_symbol *more;
	struct code code;
	int err = pp_go_functions_read(&functions, elf);

	if (err)
		return err;
	err = -ENOMEM;
	more = reallocarray(*symbols, *nr + functions.nr, sizeof(**symbols));
	if (!more)
		goto release;
	*symbols = more;
	if (find_code(&code, elf, CODE))
		goto release;
	for (size_t i = 0; i < functions.nr; i++) {
		const struct pp_go_function *function = &functions.items[i];
		const struct pp_elf_section *section = code_at(&code, function->start);
		const char *name = functions.names + function->name;

		if (!section || !pp_symbol_name_usable(name))
			continue;
		more[(*nr)++] = (struct pp_symbol){
			.start = function->start,
			.end = function->end,
			.name = name,
			.limit = end_of(section),
			.kind = PP_SYMBOL_FUNCTION,
			.bind = PP_BIND_GLOBAL,
		};
	}
	free(code.sections);
	*ret_strings = functions.names;
	functions.names = NULL;
	err = 0;
release:
	pp_go_functions_release(&functions);
	return err;
}

int pp_elf_symtab_read_rest(struct pp_elf_symtab *ret, const struct pp_elf *elf)
{
	struct pp_elf_symtab table = { .from = ".dynsym" };
	struct pp_symbol *symbols = NULL;
	size_t nr = 0;
	int err = add_table(&symbols, &nr, &table.strings, elf, SHT_DYNSYM, CODE);

	if (err != -ENOMEM)
		err = add_mini(&symbols, &nr, &table.more_strings, elf);
	if (table.more_strings)
		table.from = ".gnu_debugdata";
	if (err != -ENOMEM)
		err = add_go_functions(&symbols, &nr, &table.go_strings, elf);
	if (table.go_strings)
		table.from = ".gopclntab";
	if (err != -ENOMEM)
		err = nr ? pp_symtab_make(&table.symtab, symbols, nr) : -ENOENT;
	if (err) {
		free(symbols);
		free(table.strings);
		free(table.more_strings);
		free(table.go_strings);
		return err;
	}
	*ret = table;
	return 0;
}

int pp_elf_symtab_read_full(struct pp_elf_symtab *ret, const struct pp_elf *elf, const char *path,
			    const struct pp_debug_places *places)
{
	int err = read_table(ret, elf, SHT_SYMTAB, CODE);

	if (err && err != -ENOMEM && path)
		err = read_debug_file(ret, elf, path, places);
	return err;
}

static int read_open_debug(struct pp_elf_symtab *ret, const struct pp_elf *elf, int fd)
{
	char *id = pp_elf_build_id(elf), *debug_id;
	struct pp_elf debug;
	int err = fd < 0 || !id ? -ENOENT : pp_elf_read(&debug, fd);

	if (!err) {
		debug_id = pp_elf_build_id(&debug);
		err = debug_id && !strcmp(id, debug_id) ? read_table(ret, &debug, SHT_SYMTAB, CODE)
							: -ENOENT;
		free(debug_id);
		pp_elf_release(&debug);
	}
	free(id);
	return err;
}

int pp_elf_symtab_read_open(struct pp_elf_symtab *ret, const struct pp_elf *elf, int debug)
{
	struct pp_elf_symtab table = { 0 };
	int err = read_table(&table, elf, SHT_SYMTAB, CODE);

	if (err && err != -ENOMEM)
		err = read_open_debug(&table, elf, debug);
	if (err && err != -ENOMEM)
		err = pp_elf_symtab_read_rest(&table, elf);
	if (err == -ENOMEM)
		return err;
	*ret = table;
	return 0;
}

int pp_elf_data_symtab_read(struct pp_elf_symtab *ret, const struct pp_elf *elf,
			    const char *debug_path)
{
	int err = read_table(ret, elf, SHT_SYMTAB, DATA), fd = -ENOENT;
	struct pp_elf debug;

	if (err == -ENOENT && debug_path)
		fd = pp_open_regular(debug_path);
	if (fd >= 0) {
		err = pp_elf_read(&debug, fd);
		if (!err) {
			err = read_table(ret, &debug, SHT_SYMTAB, DATA);
			pp_elf_release(&debug);
		}
		close(fd);
	}
	return err && err != -ENOMEM ? read_table(ret, elf, SHT_DYNSYM, DATA) : err;
}

void pp_elf_symtab_release(struct pp_elf_symtab *symtab)
{
	pp_symtab_release(&symtab->symtab);
	free(symtab->strings);
	free(symtab->more_strings);
	free(symtab->go_strings);
	free(symtab->debug_path);
	*symtab = (struct pp_elf_symtab){ 0 };
}
