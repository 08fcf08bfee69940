/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_symtab.h -- the code symbols of an ELF file: .symtab of the file or of its separate debug
 * file. Without .symtab: .dynsym, the further functions that distributions store in .gnu_debugdata,
 * and the functions of a Go program.
 */
#ifndef PP_IMAGE_ELF_SYMTAB_H
#define PP_IMAGE_ELF_SYMTAB_H

#include "pp/image/debug_file.h"
#include "pp/image/elf.h"
#include "pp/image/symtab.h"

struct pp_elf_symtab {
	struct pp_symtab symtab;
	char *strings, *more_strings, *go_strings;	/* memory of the symbols' names */
	/* source of the symbols: ".symtab", ".gopclntab", ".gnu_debugdata" or ".dynsym"; NULL:
	 * none */
	const char *from;
	/* path of the separate debug file, if the symbols come from it; else NULL */
	char *debug_path;
};

/* Read .symtab of the file or of its separate debug file. @path, @places: as for
 * pp_debug_file_open(). Return 0, -ENOMEM, or another negative errno if no .symtab exists. */
int pp_elf_symtab_read_full(struct pp_elf_symtab *ret, const struct pp_elf *elf, const char *path,
			    const struct pp_debug_places *places);
/* Read the symbols that a stripped binary retains. Return 0 or a negative errno. */
int pp_elf_symtab_read_rest(struct pp_elf_symtab *ret, const struct pp_elf *elf);
/* Read .symtab or, without it, the symbols that a stripped binary retains. Open no files. @debug:
 * the open debug file or -1; ignored if its build-id differs. Return 0 even without symbols, or
 * -ENOMEM. */
int pp_elf_symtab_read_open(struct pp_elf_symtab *ret, const struct pp_elf *elf, int debug);
/* Read the symbols of data objects in the file or in its debug file, which may be NULL. Return 0,
 * -ENOENT without symbols, or -ENOMEM. */
int pp_elf_data_symtab_read(struct pp_elf_symtab *ret, const struct pp_elf *elf,
			    const char *debug_path);
void pp_elf_symtab_release(struct pp_elf_symtab *symtab);

#endif
