// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c -- creation of a cfi file for an ELF file: its unwind table, the starts of its functions
 * and the ends of its calls. */
#include "libcfi/file.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* maximum distance in bytes between the first and the last byte of code in an ELF file */
#define MAX_CODE	(1ULL << 30)
/* maximum size in bytes of the function at the program's entry point */
#define START_CODE	64

/* Find the range of the ELF file's executable segments. Return false if the file has no code, or
 * the range is too large. */
static bool code_range(const struct cfi_elf *elf, __u64 *start, __u64 *length)
{
	__u64 first = ~0ULL, last = 0;

	for (unsigned int i = 0; i < elf->nr_segments; i++) {
		const struct cfi_segment *s = &elf->segments[i];

		if (!s->executable)
			continue;
		if (s->offset < first)
			first = s->offset;
		if (s->offset + s->size > last)
			last = s->offset + s->size;
	}
	if (first >= last || last - first > MAX_CODE)
		return false;
	*start = first;
	*length = last - first;
	return true;
}

static unsigned int shift_of(unsigned int machine)
{
	return machine == OPROFILE_UW_AARCH64 ? 2 : 0;
}

/* Return whether a call instruction ends at @offset in the ELF file. */
static bool call_ends(const struct cfi_elf *elf, __u64 offset)
{
	__u8 before[8] = { 0 };

	if (offset >= 8)
		return oprofile_uw_is_call(elf->machine, elf->data + offset - 8);
	/* At the start of the file, fewer than 8 bytes precede the offset. */
	__builtin_memcpy(before + 8 - offset, elf->data, offset);
	return oprofile_uw_is_call(elf->machine, before);
}

/* Set the bit of @offset in @bits if a call instruction ends at @offset in the ELF file. */
static void mark(const struct cfi_elf *elf, const struct cfi_file *file, __u8 *bits, __u64 offset)
{
	__u64 at = offset - file->calls_start;

	if (offset >= file->calls_start && at < file->calls_length && call_ends(elf, offset)) {
		at >>= file->calls_shift;
		bits[at / 8] |= 1U << at % 8;
	}
}

/* Return whether any byte of @word equals @byte. */
static bool has_byte(__u64 word, __u8 byte)
{
	const __u64 ones = 0x0101010101010101ULL;
	__u64 zero_at = word ^ ones * byte;

	return (zero_at - ones) & ~zero_at & ones << 7;
}

/* If an x86 call instruction begins at @offset, set the bit of its end. A call is e8 and four
 * bytes, or ff /2, which has two to seven bytes. */
static void mark_from(const struct cfi_elf *elf, const struct cfi_file *file, __u8 *bits,
		      __u64 offset)
{
	const __u8 *code = elf->data + offset;

	if (*code == 0xe8)
		mark(elf, file, bits, offset + 5);
	else if (*code == 0xff && offset + 1 < elf->size && (code[1] >> 3 & 7) == 2)
		for (unsigned int length = 2; length <= 7; length++)
			mark(elf, file, bits, offset + length);
}

static void mark_calls(const struct cfi_elf *elf, const struct cfi_file *file, __u8 *bits)
{
	__u64 end = file->calls_start + file->calls_length, offset = file->calls_start, word;

	if (elf->machine == OPROFILE_UW_AARCH64) {
		for (; offset < end; offset += 4)
			mark(elf, file, bits, offset);
		return;
	}
	/*
	 * A call instruction that ends at the first position of the range begins up to seven bytes
	 * before the range, so start 8 bytes before it. Skip words that contain no first byte of a
	 * call instruction; most words do not.
	 */
	offset = offset < 8 ? 0 : offset - 8;
	while (offset < end) {
		if (end - offset >= sizeof(word)) {
			__builtin_memcpy(&word, elf->data + offset, sizeof(word));
			if (!has_byte(word, 0xe8) && !has_byte(word, 0xff)) {
				offset += sizeof(word);
				continue;
			}
		}
		for (__u64 next = offset + sizeof(word); offset < next && offset < end; offset++)
			mark_from(elf, file, bits, offset);
	}
}

/* Return the size of the function that starts at @offset: the distance to the next element of the
 * list of functions. Return 0 if no function starts at @offset, or if the function is the last
 * element. */
static __u64 length_of_function(const struct cfi_file *file, __u64 offset)
{
	const __u32 *functions = cfi_file_functions(file);
	__u64 at = offset - file->calls_start;

	for (__u64 i = 0; i + 1 < file->nr_functions; i++)
		if (functions[i] == at * 2 + 1)
			return (functions[i + 1] >> 1) - at;
	return 0;
}

#define MEMBER(type, field) offsetof(type, field), sizeof(((type *)0)->field)
#define FIELD(elf, at, type, field)                                                                \
	((elf)->is64 ? number(elf, at, MEMBER(Elf64_##type, field)) :                              \
		       number(elf, at, MEMBER(Elf32_##type, field)))

/* Read a member of a symbol. The caller has checked that the symbol is in the file. */
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
 * Find the address of main() in the code at the entry point @address. Before this code calls or
 * jumps to the C library's start function, it loads the address of main() into rdi by `mov
 * ADDRESS,rdi`, `mov ADDRESS,edi` or `lea ADDRESS(rip),rdi`. In musl this instruction is in another
 * function, which the entry code calls. @calls: maximum number of calls to follow.
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
		bool by_rip = code[i] == 0x48 && code[i + 1] == 0x8d && code[i + 2] == 0x3d;

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

/*
 * Find main() by its symbol. In an x86_64 program without symbols, use the address that the code at
 * the entry point loads into rdi. Set *@offset to the file offset of main(), and *@size to its size
 * in bytes; *@size is 0 if only the start is known. Return whether main() was found.
 */
static bool main_range(const struct cfi_elf *elf, __u64 *offset, __u64 *size)
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

/* Store the file offset and the size of main() in @file, if both are known. */
static void find_main(const struct cfi_elf *elf, struct cfi_file *file)
{
	__u64 offset, size;

	if (!main_range(elf, &offset, &size))
		return;
	if (!size)
		size = length_of_function(file, offset);
	if (size) {
		file->main_start = offset;
		file->main_length = size;
	}
}

__u64 cfi_file_room(const struct cfi_elf *elf)
{
	__u64 start, length;

	if (!code_range(elf, &start, &length))
		return 0;
	return sizeof(struct cfi_file) + cfi_table_room(elf) + 8 +
	       cfi_functions_room(elf) * sizeof(__u32) + length / 8 + 8;
}

int cfi_file_make(const struct cfi_elf *elf, void *room, __u64 size)
{
	struct cfi_file *file = room;
	const struct oprofile_uw_table *table = (const struct oprofile_uw_table *)(file + 1);
	__u64 table_room = cfi_table_room(elf), start, length, used;
	__u32 nr_functions, *functions;
	__u8 *bits;
	int err = -ENOENT;

	if (!code_range(elf, &start, &length))
		return -ENOENT;
	if (size < cfi_file_room(elf))
		return -ENOSPC;
	if (table_room)
		err = cfi_table_make(elf, file + 1, table_room, 0);
	if (err && err != -ENOENT)
		return err;
	*file = (struct cfi_file){
		.magic = CFI_FILE_MAGIC,
		.machine = elf->machine,
		.calls_shift = shift_of(elf->machine),
		.table_size = err ? 0 : (oprofile_uw_table_size(table) + 7) & ~7ULL,
		.calls_start = start & ~3ULL,
		.calls_length = length + (start & 3),
	};
	/* cfi_table_make() has used the memory after the table as a work area, so zero this
	 * memory. */
	used = err ? 0 : oprofile_uw_table_size(table);
	__builtin_memset((char *)(file + 1) + used, 0, file->table_size - used);
	functions = (__u32 *)((char *)(file + 1) + file->table_size);
	err = cfi_functions_list(elf, file->calls_start, file->calls_length, functions,
				 cfi_functions_room(elf), &nr_functions);
	if (err)
		return err;
	file->nr_functions = nr_functions;
	find_main(elf, file);
	bits = (__u8 *)(functions + nr_functions);
	__builtin_memset(bits, 0, cfi_file_size(file) - (__u64)(bits - (__u8 *)file));
	mark_calls(elf, file, bits);
	return 0;
}

bool cfi_file_is_valid(const struct cfi_file *file, __u64 size)
{
	const struct oprofile_uw_table *table = (const struct oprofile_uw_table *)(file + 1);

	if (size < sizeof(*file) || file->magic != CFI_FILE_MAGIC || file->reserved ||
	    !oprofile_uw_nr_registers(file->machine) ||
	    file->calls_shift != shift_of(file->machine) || file->table_size % 8 ||
	    file->table_size > size || file->calls_length > MAX_CODE + 4 ||
	    file->nr_functions > size / sizeof(__u32) ||
	    file->calls_start + file->calls_length < file->calls_start ||
	    cfi_file_size(file) != size)
		return false;
	if (!file->table_size)
		return true;
	return file->table_size >= sizeof(*table) && table->nr_rows <= OPROFILE_UW_MAX_ROWS &&
	       oprofile_uw_table_size(table) <= file->table_size &&
	       table->machine == file->machine &&
	       !oprofile_uw_check(table, oprofile_uw_table_size(table));
}
