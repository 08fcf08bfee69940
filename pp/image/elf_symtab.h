/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_symtab.h -- the code symbols of an ELF file: .symtab, else a separate debug file's, else
 * .dynsym together with the small table that distributions pack into .gnu_debugdata
 * (minidebuginfo: the functions .dynsym lacks) and the functions of a Go program.
 */
#ifndef PP_IMAGE_ELF_SYMTAB_H
#define PP_IMAGE_ELF_SYMTAB_H

#include "pp/image/debug_file.h"
#include "pp/image/elf.h"
#include "pp/image/symtab.h"

struct pp_elf_symtab {
	struct pp_symtab symtab;
	char *strings, *more_strings, *go_strings;	/* the names */
	/* ".symtab", ".gopclntab", ".gnu_debugdata", ".dynsym", or NULL: none */
	const char *from;
	char *debug_path;	/* of the separate file they came from, or NULL */
};

/* The .symtab of the file or of its debug file; @path, @places: as for pp_debug_file_open().
 * -ENOMEM, or another error when there is none. */
int pp_elf_symtab_read_full(struct pp_elf_symtab *ret, const struct pp_elf *elf, const char *path,
			    const struct pp_debug_places *places);
/* What a stripped binary itself still has. Errors likewise. */
int pp_elf_symtab_read_rest(struct pp_elf_symtab *ret, const struct pp_elf *elf);
/* Both, one after the other, the debug file being open as @debug (-1: there is none); only one
 * with the same build-id counts. Opens nothing. 0 also when there are no symbols. -ENOMEM. */
int pp_elf_symtab_read_open(struct pp_elf_symtab *ret, const struct pp_elf *elf, int debug);
/* The symbols of data, of the file itself or of its debug file (NULL: none). -ENOENT: none,
 * -ENOMEM. */
int pp_elf_data_symtab_read(struct pp_elf_symtab *ret, const struct pp_elf *elf,
			    const char *debug_path);
void pp_elf_symtab_release(struct pp_elf_symtab *symtab);

#endif
