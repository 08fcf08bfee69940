// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * go_functions.c -- lookup of functions in Go's .gopclntab.
 *
 * The table begins with a magic number, two zero bytes, the size of the smallest instruction, the
 * size of a pointer, and words of that size. An index of the functions consists of pairs of
 * offsets, 4 bytes each, in ascending order. The table is read in place and is not trusted.
 */
#include "libcfi/go_functions.h"

#include <stddef.h>

#define GO_1_18		0xfffffff0
#define GO_1_20		0xfffffff1
#define TOPFRAME	1	/* bit in a function's flags: a call path ends at this function */
/* offset of the field, in the description of a function, that contains the offset of the function's
 * name */
#define NAME		4
#define PAIR		8	/* size in bytes of a pair of offsets in the index of functions */
#define WORD		8

/* Indexes of the words in the table's header. The first word is at byte 8 of the table. */
enum { NR_FUNCTIONS, NR_FILES, TEXT, NAMES, UNITS, FILES, LISTS, INDEX, NR_WORDS };

static __u32 number(const struct cfi_go_functions *f, const struct cfi_elf *elf, __u64 at)
{
	__u32 value;

	__builtin_memcpy(&value, elf->data + f->table + at, sizeof(value));
	return value;
}

static __u64 word(const struct cfi_go_functions *f, const struct cfi_elf *elf, unsigned int i)
{
	__u64 value;

	__builtin_memcpy(&value, elf->data + f->table + 8 + i * WORD, sizeof(value));
	return value;
}

/*
 * Return the start address of the code, or 0 if it is unknown. Offsets of functions in Go's table
 * are relative to this address. This function is for tables that do not store the address: tables
 * of position-independent programs and of Go 1.26. The code begins at the start of .text, unless a
 * linker other than Go's has put its own code there.
 */
static __u64 text_of(const struct cfi_elf *elf)
{
	struct cfi_elf_section text, other;

	if (cfi_elf_section(elf, ".text", &text) || !cfi_elf_section(elf, ".eh_frame", &other) ||
	    !cfi_elf_section(elf, ".init", &other))
		return 0;
	return text.address;
}

void cfi_go_functions_read(struct cfi_go_functions *functions, const struct cfi_elf *elf,
			   const struct cfi_elf_section *section, __u64 text)
{
	struct cfi_go_functions f = { .table = section->offset, .size = section->size };
	__u32 magic;

	*functions = (struct cfi_go_functions){ 0 };
	if (f.size < 8 + NR_WORDS * WORD)
		return;
	magic = number(&f, elf, 0);
	if ((magic != GO_1_18 && magic != GO_1_20) || elf->data[f.table + 7] != WORD)
		return;
	f.flags = magic == GO_1_18 ? 37 : 41;
	f.text = word(&f, elf, TEXT);
	if (!f.text)
		f.text = text;
	f.nr = word(&f, elf, NR_FUNCTIONS);
	f.names = word(&f, elf, NAMES);
	f.index = word(&f, elf, INDEX);
	if (f.text && f.index <= f.size && f.nr <= (f.size - f.index) / PAIR)
		*functions = f;
}

void cfi_go_functions_open(struct cfi_go_functions *functions, const struct cfi_elf *elf)
{
	struct cfi_elf_section section;

	*functions = (struct cfi_go_functions){ 0 };
	if (elf->machine == OPROFILE_UW_X86_64 &&
	    (!cfi_elf_section(elf, ".gopclntab", &section) ||
	     !cfi_elf_section(elf, ".data.rel.ro.gopclntab", &section)))
		cfi_go_functions_read(functions, elf, &section, text_of(elf));
}

/* Look up the function that starts at @address. Return the offset of the function's description in
 * the table, or 0 if the table has no such function. */
static __u64 find(const struct cfi_go_functions *f, const struct cfi_elf *elf, __u64 address)
{
	__u64 first = 0, end = f->nr;

	while (first < end) {
		const __u64 middle = first + (end - first) / 2, at = f->index + middle * PAIR;
		const __u64 begin = f->text + number(f, elf, at);

		if (begin == address)
			return f->index + number(f, elf, at + 4);
		if (begin < address)
			first = middle + 1;
		else
			end = middle;
	}
	return 0;
}

bool cfi_go_is_outermost(const struct cfi_go_functions *f, const struct cfi_elf *elf, __u64 address)
{
	const __u64 found = find(f, elf, address), flags = found + f->flags;

	return found && flags < f->size && elf->data[f->table + flags] & TOPFRAME;
}

bool cfi_go_has_name(const struct cfi_go_functions *f, const struct cfi_elf *elf, __u64 address,
		     const char *name)
{
	const __u64 found = find(f, elf, address);

	if (!found || found > f->size - 2 * NAME)
		return false;
	/* Compare byte by byte, because freestanding code has no strlen(). */
	for (__u64 at = f->names + number(f, elf, found + NAME); at < f->size; at++, name++) {
		if ((char)elf->data[f->table + at] != *name)
			return false;
		if (!*name)
			return true;
	}
	return false;
}
