/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_symtab.h -- the code symbols of an ELF file: .symtab of the file or of a separate debug file,
 * else .dynsym, the functions that distributions store in .gnu_debugdata because .dynsym lacks
 * them, and the functions of a Go program.
 */
#ifndef PP_IMAGE_ELF_SYMTAB_H
#define PP_IMAGE_ELF_SYMTAB_H

#include "pp/image/debug_file.h"
#include "pp/image/elf.h"
#include "pp/image/symtab.h"

struct pp_elf_symtab {
	struct pp_symtab symtab;
	char *strings, *more_strings, *go_strings;	/* memory of the symbols' names */
	/* source of the symbols: ".symtab", ".gopclntab", ".gnu_debugdata" or ".dynsym"; NULL
	 * without symbols */
	const char *from;
	char *debug_path;	/* path of the separate debug file with the symbols, or NULL */
};

/* Read .symtab of the file or of its debug file. @path, @places: as for pp_debug_file_open().
 * Return 0, -ENOMEM, or another negative errno if there is no .symtab. */
int pp_elf_symtab_read_full(struct pp_elf_symtab *ret, const struct pp_elf *elf, const char *path,
			    const struct pp_debug_places *places);
/* Read the symbols that a stripped binary still has. Return 0 or a negative errno. */
int pp_elf_symtab_read_rest(struct pp_elf_symtab *ret, const struct pp_elf *elf);
/* Read .symtab, else the symbols of a stripped binary. @debug: the open debug file, which is
 * ignored if its build-id differs, or -1. Does not open files. Return 0 even if there are no
 * symbols, or -ENOMEM. */
int pp_elf_symtab_read_open(struct pp_elf_symtab *ret, const struct pp_elf *elf, int debug);
/* Read the symbols of data objects of the file or of its debug file. Without a debug file, pass
 * NULL. Return 0, -ENOENT without symbols, or -ENOMEM. */
int pp_elf_data_symtab_read(struct pp_elf_symtab *ret, const struct pp_elf *elf,
			    const char *debug_path);
void pp_elf_symtab_release(struct pp_elf_symtab *symtab);

#endif
