// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c -- the function main() of an ELF file. */
#include "libcfi/main.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

#define START_CODE	64	/* limit of bytes of a function at the entry point */

#define MEMBER(type, field) offsetof(type, field), sizeof(((type *)0)->field)
#define FIELD(elf, at, type, field)                                                                \
	((elf)->is64 ? number(elf, at, MEMBER(Elf64_##type, field)) :                              \
		       number(elf, at, MEMBER(Elf32_##type, field)))

/* Read a member of a symbol, which the caller knows to be in the file. */
static __u64 number(const struct cfi_elf *elf, __u64 at, size_t offset, size_t size)
{
	__u64 value = 0;

	__builtin_memcpy(&value, elf->data + at + offset, size);
	return value;
}

static bool by_symbol(const struct cfi_elf *elf, const char *symbols, const char *strings,
		      __u64 *address, __u64 *size)
{
	__u64 entry = elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct cfi_elf_section table, names;

	if (cfi_elf_section(elf, symbols, &table) || cfi_elf_section(elf, strings, &names))
		return false;
	for (__u64 at = table.offset; table.size >= entry; at += entry, table.size -= entry) {
		__u64 name = FIELD(elf, at, Sym, st_name), info = FIELD(elf, at, Sym, st_info);

		if ((info & 15) != STT_FUNC || info >> 4 == STB_LOCAL ||
		    !FIELD(elf, at, Sym, st_shndx) || name > names.size ||
		    names.size - name < sizeof("main") ||
		    __builtin_memcmp(elf->data + names.offset + name, "main", sizeof("main")))
			continue;
		*address = FIELD(elf, at, Sym, st_value);
		*size = FIELD(elf, at, Sym, st_size);
		return true;
	}
	return false;
}

/*
 * Find main() in the code at @address: before the code calls the C library's start function or
 * jumps to it, it passes main() in rdi by `mov ADDRESS,rdi`, `mov ADDRESS,edi` or `lea
 * ADDRESS(rip),rdi`. musl's entry code calls another function that contains this instruction.
 * @calls: the number of calls to follow.
 */
static bool by_start_code(const struct cfi_elf *elf, __u64 address, int calls, __u64 *ret)
{
	__u64 offset, left, unused;
	const __u8 *code;
	__s32 value;

	if (!cfi_elf_code(elf, address, &offset, &left))
		return false;
	if (left > START_CODE)
		left = START_CODE;
	code = elf->data + offset;
	for (__u64 i = 0; i + 7 <= left; i++) {
		int by_rip = code[i] == 0x48 && code[i + 1] == 0x8d && code[i + 2] == 0x3d;

		if (by_rip || (code[i] == 0x48 && code[i + 1] == 0xc7 && code[i + 2] == 0xc7)) {
			__builtin_memcpy(&value, code + i + 3, sizeof(value));
			*ret = (by_rip ? address + i + 7 : 0) + (__u64)value;
		} else if (code[i] == 0xbf) {
			__builtin_memcpy(&value, code + i + 1, sizeof(value));
			*ret = (__u32)value;
		} else if (code[i] == 0xe8 && calls) {
			__builtin_memcpy(&value, code + i + 1, sizeof(value));
			return by_start_code(elf, address + i + 5 + (__u64)value, calls - 1, ret);
		} else {
			continue;
		}
		if (cfi_elf_code(elf, *ret, &offset, &unused))
			return true;
	}
	return false;
}

bool cfi_main_find(const struct cfi_elf *elf, __u64 *offset, __u64 *size)
{
	__u64 address, length = 0, left;

	if (!elf->entry)
		return false;
	if (!by_symbol(elf, ".symtab", ".strtab", &address, &length) &&
	    !by_symbol(elf, ".dynsym", ".dynstr", &address, &length) &&
	    (elf->machine != OPROFILE_UW_X86_64 ||
	     !by_start_code(elf, elf->entry, 1, &address)))
		return false;
	if (!cfi_elf_code(elf, address, offset, &left))
		return false;
	*size = length < left ? length : left;
	return true;
}
