// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_elf.c -- tests the ELF reader with hand-made files of both word sizes and byte orders. */
#include "config.h"
#include "tests/unit/check.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "pp/image/elf.h"

/* State of writing an ELF file with the given word size and byte order. */
struct maker {
	unsigned char bytes[4096];
	bool is64, big;
};

static void put_number(struct maker *m, size_t at, int size, uint64_t value)
{
	for (int i = 0; i < size; i++)
		m->bytes[at + (m->big ? size - 1 - i : i)] = value >> (8 * i);
}

#define OFFSET(m, type, field)                                                                     \
	((m)->is64 ? offsetof(Elf64_##type, field) : offsetof(Elf32_##type, field))
#define SIZE(m, type, field)                                                                       \
	(int)((m)->is64 ? sizeof(((Elf64_##type *)0)->field) : sizeof(((Elf32_##type *)0)->field))
#define PUT(m, base, type, field, value)                                                           \
	put_number(m, (base) + OFFSET(m, type, field), SIZE(m, type, field), value)

#define PHDRS	0x100
#define SHDRS	0x400
#define NAMES	0x800
#define STRINGS	0x840
#define SYMBOLS	0x900
#define NOTE	0xa00

static size_t shdr(const struct maker *m, int i)
{
	return SHDRS + i * (m->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
}

static void section(struct maker *m, int i, int name, int type, uint64_t flags, uint64_t addr,
		    uint64_t offset, uint64_t size, int link)
{
	PUT(m, shdr(m, i), Shdr, sh_name, name);
	PUT(m, shdr(m, i), Shdr, sh_type, type);
	PUT(m, shdr(m, i), Shdr, sh_flags, flags);
	PUT(m, shdr(m, i), Shdr, sh_addr, addr);
	PUT(m, shdr(m, i), Shdr, sh_offset, offset);
	PUT(m, shdr(m, i), Shdr, sh_size, size);
	PUT(m, shdr(m, i), Shdr, sh_link, link);
}

static void make_elf(struct maker *m, bool is64, bool big)
{
	static const char names[] = "\0.text\0.symtab\0.strtab\0.note";
	static const char strings[] = "\0main\0helper";
	static const unsigned char id[] = { 0xde, 0xad, 0xbe, 0xef };
	size_t symbol = is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t phdr = is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	*m = (struct maker){ .is64 = is64, .big = big };
	memcpy(m->bytes, ELFMAG, SELFMAG);
	m->bytes[EI_CLASS] = is64 ? ELFCLASS64 : ELFCLASS32;
	m->bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	PUT(m, 0, Ehdr, e_type, ET_DYN);
	PUT(m, 0, Ehdr, e_machine, EM_PPC64);
	PUT(m, 0, Ehdr, e_phoff, PHDRS);
	PUT(m, 0, Ehdr, e_phnum, 3);
	PUT(m, 0, Ehdr, e_phentsize, phdr);
	PUT(m, 0, Ehdr, e_shoff, SHDRS);
	PUT(m, 0, Ehdr, e_shnum, 5);
	PUT(m, 0, Ehdr, e_shentsize, shdr(m, 1) - shdr(m, 0));
	PUT(m, 0, Ehdr, e_shstrndx, 3);
	/*
	 * The look-up must choose the executable segment, although a data segment and a segment
	 * that is not PT_LOAD precede it.
	 */
	for (int i = 0; i < 3; i++) {
		PUT(m, PHDRS + i * phdr, Phdr, p_type, i < 2 ? PT_LOAD : PT_NOTE);
		PUT(m, PHDRS + i * phdr, Phdr, p_offset, i * 0x500);
		PUT(m, PHDRS + i * phdr, Phdr, p_vaddr, 0x10000 * (i + 1) + i * 0x500);
		PUT(m, PHDRS + i * phdr, Phdr, p_filesz, 0x800);
		PUT(m, PHDRS + i * phdr, Phdr, p_flags, i == 1 ? PF_R | PF_X : PF_R);
		PUT(m, PHDRS + i * phdr, Phdr, p_align, 0x1000);
	}
	memcpy(m->bytes + NAMES, names, sizeof(names));
	memcpy(m->bytes + STRINGS, strings, sizeof(strings));
	section(m, 1, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x20500, 0x500, 0x300, 0);
	section(m, 2, 7, SHT_SYMTAB, 0, 0, SYMBOLS, 3 * symbol, 3);
	/* the names of sections and of symbols share one string table */
	section(m, 3, 15, SHT_STRTAB, 0, 0, NAMES, 0x100, 0);
	section(m, 4, 23, SHT_NOTE, SHF_ALLOC, 0, NOTE, 12 + 4 + 4, 0);
	for (int i = 1; i < 3; i++) {
		size_t at = SYMBOLS + i * symbol;

		PUT(m, at, Sym, st_name, STRINGS - NAMES + (i == 1 ? 1 : 6));
		PUT(m, at, Sym, st_value, 0x20500 + i * 0x10);
		PUT(m, at, Sym, st_size, 0x10);
		PUT(m, at, Sym, st_info, ELF64_ST_INFO(i == 1 ? STB_GLOBAL : STB_LOCAL, STT_FUNC));
		PUT(m, at, Sym, st_shndx, i == 1 ? 1 : SHN_UNDEF);
	}
	put_number(m, NOTE, 4, 4);
	put_number(m, NOTE + 4, 4, sizeof(id));
	put_number(m, NOTE + 8, 4, NT_GNU_BUILD_ID);
	memcpy(m->bytes + NOTE + 12, "GNU", 4);
	memcpy(m->bytes + NOTE + 16, id, sizeof(id));
}

static int write_file(const struct maker *m, size_t len)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, m->bytes, len), len);
	return fd;
}

static void all_classes_and_byte_orders_are_read(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct pp_elf_symbols symbols;
		static struct maker m;
		struct pp_elf elf;
		uint64_t vma;
		char *id;

		make_elf(&m, kind & 1, kind & 2);
		int fd = write_file(&m, sizeof(m.bytes));

		assert_int_equal(pp_elf_read(&elf, fd), 0);
		assert_int_equal(elf.machine, EM_PPC64);
		assert_int_equal(elf.nr_sections, 5);
		assert_int_equal(elf.nr_segments, 2);
		assert_false(elf.damaged);
		assert_ptr_equal(pp_elf_section_by_name(&elf, ".text"), &elf.sections[1]);
		assert_null(pp_elf_section_by_name(&elf, ".data"));

		assert_int_equal(pp_elf_symbols_read(&symbols, &elf,
						     pp_elf_section_by_type(&elf, SHT_SYMTAB)),
				 0);
		assert_int_equal(symbols.nr, 3);
		assert_string_equal(symbols.items[1].name, "main");
		assert_int_equal(symbols.items[1].value, 0x20510);
		assert_int_equal(symbols.items[1].size, 0x10);
		assert_int_equal(symbols.items[1].type, STT_FUNC);
		assert_int_equal(symbols.items[1].bind, STB_GLOBAL);
		assert_true(symbols.items[1].defined);
		assert_string_equal(symbols.items[2].name, "helper");
		assert_false(symbols.items[2].defined);
		pp_elf_symbols_release(&symbols);

		id = pp_elf_build_id(&elf);
		assert_string_equal(id, "deadbeef");
		free(id);

		/* If an offset is in two segments, the executable segment is used. */
		assert_int_equal(pp_elf_offset_to_vma(&elf, 0x600, &vma), 0);
		assert_int_equal(vma, 0x20600);
		assert_int_equal(pp_elf_offset_to_vma(&elf, 0x100, &vma), 0);
		assert_int_equal(vma, 0x10100);
		assert_int_equal(pp_elf_offset_to_vma(&elf, 0xd00, &vma), -ERANGE);
		pp_elf_release(&elf);
		close(fd);
	}
}

static void truncated_files_are_refused_or_marked(void **state)
{
	static struct maker m;
	struct pp_elf elf;

	(void)state;
	make_elf(&m, true, false);
	for (size_t len = 0; len < NAMES; len += 16) {
		int fd = write_file(&m, len);

		assert_int_equal(pp_elf_read(&elf, fd), -ENOEXEC);
		close(fd);
	}
	int fd = write_file(&m, NOTE);	/* the file is truncated at the start of the note */

	assert_int_equal(pp_elf_read(&elf, fd), 0);
	assert_true(elf.damaged);
	assert_null(pp_elf_build_id(&elf));
	pp_elf_release(&elf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_classes_and_byte_orders_are_read),
		cmocka_unit_test(truncated_files_are_refused_or_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
