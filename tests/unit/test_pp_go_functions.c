// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_go_functions.c -- tests hand-made and damaged tables of functions and lines of all
 * versions of Go. */
#include "config.h"
#include "tests/unit/check.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>

#include "pp/image/elf_symtab.h"
#include "pp/image/go_table.h"
#include "pp/image/kept_table.h"

/* offset of the Go function table in the file; in memory the table is at TABLE_VMA */
#define TABLE		0x400
#define TABLE_SIZE	0x400
#define TABLE_VMA	0x30400
#define TEXT_VMA	0x20000
#define NAMES		0x100	/* offset of the names in the table */
#define INDEX		0x200
#define UNITS		0x330
#define LISTS		0x340
#define FILES		0x360
#define RELOCATIONS	0x900
#define SECTION_NAMES	0xb00
#define SECTIONS	0xc00
#define BYTES		0x8000	/* size of the test's file in bytes */
/* size of a section with a larger function table, and the offset of a long name in it */
#define LARGE_TABLE	0x2000
#define LARGE_SIZE	0x5800
#define LONG_NAME	0x1000

/* Section of a binary in which Go stores its function table. */
enum place { IN_SECTION, IN_PIE, IN_RELRO };

struct maker {
	unsigned char bytes[BYTES];
	/*
	 * Go version whose table format is written: 2, 16, 18, 20, or 26, which omits the address
	 * of the code
	 */
	int is64, big, version;
	size_t nr_relocations;
};

static void put_bytes(struct maker *m, size_t at, int size, uint64_t value)
{
	for (int i = 0; i < size; i++)
		m->bytes[at + (m->big ? size - 1 - i : i)] = value >> (8 * i);
}

static int pointer(const struct maker *m)
{
	return m->is64 ? 8 : 4;
}

static void put_word(struct maker *m, int i, uint64_t value)
{
	put_bytes(m, TABLE + 8 + i * pointer(m), pointer(m), value);
}

/* Write an address to the table, or a relocation for it if the file is position-independent. */
static void put_address(struct maker *m, size_t at, enum place place, uint64_t value)
{
	size_t entry = RELOCATIONS + m->nr_relocations * 3 * pointer(m);

	if (place == IN_SECTION) {
		put_bytes(m, at, pointer(m), value);
		return;
	}
	put_bytes(m, entry, pointer(m), at - TABLE + TABLE_VMA);
	put_bytes(m, entry + pointer(m), pointer(m), R_X86_64_RELATIVE);
	put_bytes(m, entry + 2 * pointer(m), pointer(m), value);
	m->nr_relocations++;
}

static const uint64_t starts[] = { TEXT_VMA, TEXT_VMA + 0x40, TEXT_VMA + 0x40, TEXT_VMA + 0x100 };
static const char names[] = "runtime.text\0none\0main.sum[...]";
static const int name_offsets[] = { 0, 13, 18 };

/* Encoded tables: code up to byte 0xc0 is from file 1; line 5 up to byte 0x10, then line 7. */
static const unsigned char list_of_files[] = { 4, 0xc0, 1, 0 }, list_of_lines[] = { 12, 0x10, 4, 0xb0, 1, 0 };

static void put_lines(struct maker *m, size_t description)
{
	size_t base = m->version == 2 ? LISTS : 0;

	memcpy(m->bytes + TABLE + LISTS + 4, list_of_files, sizeof(list_of_files));
	memcpy(m->bytes + TABLE + LISTS + 8, list_of_lines, sizeof(list_of_lines));
	put_bytes(m, description + 4 * 4, 4, base + 4);
	put_bytes(m, description + 5 * 4, 4, base + 8);
	put_bytes(m, description + 7 * 4, 4, 2);
	put_bytes(m, TABLE + UNITS + 3 * 4, 4,
		  8);	/* entry of the table of files: file 1 of unit 2 */
	if (m->version == 2)
		put_bytes(m, TABLE + FILES + 4, 4, FILES + 8);
	strcpy((char *)m->bytes + TABLE + FILES + 8, "/src/a.go");
}

static void make_table(struct maker *m, enum place place)
{
	static const struct {
		int version;
		uint32_t magic;
	} magics[] = { { 2, 0xfffffffb }, { 16, 0xfffffffa }, { 18, 0xfffffff0 }, { 20, 0xfffffff1 }, { 26, 0xfffffff1 } };
	bool is_relative = m->version >= 18;
	int field = is_relative ? 4 : pointer(m);
	size_t index = m->version == 2 ? (size_t)(8 + pointer(m)) : INDEX, base = m->version == 2 ? 0 : INDEX;

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (magics[i].version == m->version)
			put_bytes(m, TABLE, 4, magics[i].magic);
	m->bytes[TABLE + 6] = 1;
	m->bytes[TABLE + 7] = pointer(m);
	put_word(m, 0, 3);
	if (m->version == 16) {
		put_word(m, 2, NAMES);
		put_word(m, 3, UNITS);
		put_word(m, 4, FILES);
		put_word(m, 5, LISTS);
		put_word(m, 6, INDEX);
	} else if (is_relative) {
		if (m->version != 26)
			put_address(m, TABLE + 8 + 2 * pointer(m), place, TEXT_VMA);
		put_word(m, 3, NAMES);
		put_word(m, 4, UNITS);
		put_word(m, 5, FILES);
		put_word(m, 6, LISTS);
		put_word(m, 7, INDEX);
	} else {
		put_bytes(m, TABLE + index + 7 * field, 4, FILES);
	}
	memcpy(m->bytes + TABLE + NAMES, names, sizeof(names));
	for (int i = 0; i < 4; i++) {
		size_t description = 0x80 + 0x30 * i, at = TABLE + index + 2 * i * field;

		if (m->version == 2)
			description += INDEX;
		if (is_relative)
			put_bytes(m, at, 4, starts[i] - TEXT_VMA);
		else
			put_address(m, at, place, starts[i]);
		if (i == 3)
			break;
		put_bytes(m, at + field, field, description);
		put_bytes(m, TABLE + base + description + field, 4,
			  name_offsets[i] + (m->version == 2 ? NAMES : 0));
		put_lines(m, TABLE + base + description + field);
	}
}

#define OFFSET(m, type, field)	((m)->is64 ? offsetof(Elf64_##type, field) : offsetof(Elf32_##type, field))
#define SIZE(m, type, field)							\
	(int)((m)->is64 ? sizeof(((Elf64_##type *)0)->field) : sizeof(((Elf32_##type *)0)->field))
#define PUT(m, base, type, field, value)					\
	put_bytes(m, (base) + OFFSET(m, type, field), SIZE(m, type, field), value)

static void put_section(struct maker *m, int i, const char *name, int type, uint64_t flags,
			uint64_t addr, uint64_t offset, uint64_t size)
{
	size_t at = SECTIONS + i * (m->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));

	strcpy((char *)m->bytes + SECTION_NAMES + 0x20 * i, name);
	PUT(m, at, Shdr, sh_name, 0x20 * i);
	PUT(m, at, Shdr, sh_type, type);
	PUT(m, at, Shdr, sh_flags, flags);
	PUT(m, at, Shdr, sh_addr, addr);
	PUT(m, at, Shdr, sh_offset, offset);
	PUT(m, at, Shdr, sh_size, size);
}

static void make(struct maker *m, int is64, int big, int version, enum place place)
{
	static const char *const place_names[] = { ".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro" };

	*m = (struct maker){ .is64 = is64, .big = big, .version = version };
	make_table(m, place);
	memcpy(m->bytes, ELFMAG, SELFMAG);
	m->bytes[EI_CLASS] = is64 ? ELFCLASS64 : ELFCLASS32;
	m->bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	PUT(m, 0, Ehdr, e_type, ET_EXEC);
	PUT(m, 0, Ehdr, e_shoff, SECTIONS);
	PUT(m, 0, Ehdr, e_shnum, 5);
	PUT(m, 0, Ehdr, e_shentsize, is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	PUT(m, 0, Ehdr, e_shstrndx, 1);
	put_section(m, 1, ".shstrtab", SHT_STRTAB, 0, 0, SECTION_NAMES, 0x100);
	put_section(m, 2, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT_VMA, 0x100, 0x200);
	/* In this section the table does not begin at the start of .data.rel.ro. */
	put_section(m, 3, place_names[place], SHT_PROGBITS, SHF_ALLOC,
		    TABLE_VMA - (place == IN_RELRO) * 0x40,
		    TABLE - (place == IN_RELRO) * 0x40, TABLE_SIZE + (place == IN_RELRO) * 0x40);
	put_section(m, 4, ".rela", SHT_RELA, SHF_ALLOC, 0, RELOCATIONS,
		    m->nr_relocations * 3 * pointer(m));
}

/*
 * Look up the lines of all functions. In a damaged table any line is valid, but each name must end
 * within the file.
 */
static void read_lines(const struct pp_elf *elf, bool is_sound)
{
	struct pp_go_lines *lines;
	struct pp_frame frame;

	if (pp_go_lines_open(&lines, elf)) {
		assert_false(is_sound);
		return;
	}
	for (uint64_t vma = TEXT_VMA; vma < TEXT_VMA + 0x110; vma += 8) {
		uint64_t offset = vma - starts[vma < starts[1] ? 0 : 2];
		bool found = pp_go_lines_line(lines, vma, &frame);

		if (found)
			assert_true(strlen(frame.file) < sizeof(((struct maker *)0)->bytes));
		if (!is_sound)
			continue;
		assert_int_equal(found, vma < starts[3] && offset < 0xc0);
		if (!found)
			continue;
		assert_string_equal(frame.file, "/src/a.go");
		assert_int_equal(frame.line, offset < 0x10 ? 5 : 7);
	}
	pp_go_lines_close(lines);
}

static int read_bytes(struct pp_elf_symtab *ret, const struct maker *m, bool is_sound)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct pp_elf elf;
	int err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, m->bytes, sizeof(m->bytes)), sizeof(m->bytes));
	err = pp_elf_read(&elf, fd);
	if (!err) {
		err = pp_elf_symtab_read_rest(ret, &elf);
		read_lines(&elf, is_sound);
		pp_elf_release(&elf);
	}
	close(fd);
	return err;
}

static void expect_functions(const struct maker *m)
{
	struct pp_elf_symtab symtab = { 0 };
	const struct pp_symbol *s;

	assert_int_equal(read_bytes(&symtab, m, true), 0);
	assert_string_equal(symtab.from, ".gopclntab");
	assert_int_equal(symtab.symtab.nr, 2);	/* a function without code is omitted */
	s = symtab.symtab.symbols;
	assert_string_equal(s[0].name, "runtime.text");
	assert_int_equal(s[0].start, starts[0]);
	assert_int_equal(s[0].end, starts[1]);
	assert_string_equal(s[1].name, "main.sum[...]");
	assert_int_equal(s[1].start, starts[2]);
	assert_int_equal(s[1].end, starts[3]);
	pp_elf_symtab_release(&symtab);
}

static const int versions[] = { 2, 16, 18, 20, 26 };
#define NR_VERSIONS	(sizeof(versions) / sizeof(versions[0]))

static void function_tables_of_all_versions_are_read(void **state)
{
	static struct maker m;

	(void)state;
	for (size_t v = 0; v < NR_VERSIONS; v++)
		for (int kind = 0; kind < 4; kind++) {
			make(&m, kind & 1, kind & 2, versions[v], IN_SECTION);
			expect_functions(&m);
		}
}

static void addresses_are_read_from_relocations(void **state)
{
	static struct maker m;

	(void)state;
	for (size_t v = 0; v < NR_VERSIONS; v++)
		for (int kind = 0; kind < 4; kind++)
			for (int place = IN_PIE; place <= IN_RELRO; place++) {
				make(&m, kind & 1, kind & 2, versions[v], place);
				expect_functions(&m);
			}
}

static void cached_table_contains_go_functions(void **state)
{
	struct pp_elf_symtab symtab = { 0 };
	const struct pp_plt plt = { 0 };
	struct pp_kept_table kept;
	static struct maker m;
	int fd = memfd_create("table", MFD_CLOEXEC);

	(void)state;
	make(&m, 1, 0, 20, IN_SECTION);
	assert_int_equal(read_bytes(&symtab, &m, false), 0);
	assert_int_equal(pp_kept_table_write(fd, &(struct pp_elf){ .fd = -1, .is64 = true }, &symtab, &plt), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(pp_kept_table_read(&kept, fd), 0);
	assert_string_equal(kept.from, ".gopclntab");
	assert_int_equal(kept.symtab.nr, 2);
	assert_string_equal(kept.symtab.symbols[1].name, "main.sum[...]");
	pp_kept_table_release(&kept);
	pp_elf_symtab_release(&symtab);
	close(fd);
}

/*
 * If another linker has put code before Go's in .text, and the table does not store the code's
 * address, the table is refused.
 */
static void table_without_code_address_is_refused(void **state)
{
	struct pp_elf_symtab symtab;
	static struct maker m;

	(void)state;
	make(&m, 1, 0, 26, IN_SECTION);
	put_section(&m, 4, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x40000, 0x100, 0x10);
	assert_int_equal(read_bytes(&symtab, &m, false), -ENOENT);
}

/* If a number anywhere in the table is very large, or just outside of the table, reads stay within
 * bounds. */
static void damaged_tables_are_read_within_bounds(void **state)
{
	static const uint32_t values[] = { 0, 1, 0x3f8, 0x3ff, 0x400, 0x7fffffff, 0x80000000, 0xffffffff };
	size_t nr_read = 0, nr_refused = 0;
	static struct maker m;

	(void)state;
	for (size_t v = 0; v < NR_VERSIONS; v++)
		for (int is64 = 0; is64 < 2; is64++)
			for (size_t at = 0; at < TABLE_SIZE; at += 4)
				for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
					struct pp_elf_symtab symtab;

					make(&m, is64, 0, versions[v], at & 4 ? IN_SECTION : IN_RELRO);
					put_bytes(&m, TABLE + at, 4, values[i]);
					if (read_bytes(&symtab, &m, false)) {
						nr_refused++;
						continue;
					}
					nr_read++;
					for (size_t s = 0; s < symtab.symtab.nr; s++) {
						assert_true(symtab.symtab.symbols[s].end <= TEXT_VMA + 0x200);
						assert_true(strlen(symtab.symtab.symbols[s].name) < TABLE_SIZE);
					}
					pp_elf_symtab_release(&symtab);
				}
	assert_true(nr_read > 1000);
	assert_true(nr_refused > 300);
}

/* A table that is truncated, or whose section exceeds the file, is refused or read within
 * bounds. */
static void truncated_tables_are_refused_or_read(void **state)
{
	static struct maker m;

	(void)state;
	for (size_t v = 0; v < NR_VERSIONS; v++)
		for (size_t size = 0; size < TABLE_SIZE; size++) {
			struct pp_elf_symtab symtab;

			make(&m, 1, 0, versions[v], IN_SECTION);
			put_section(&m, 3, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, TABLE_VMA,
				    sizeof(m.bytes) - size, size);
			memmove(m.bytes + sizeof(m.bytes) - size, m.bytes + TABLE, size);
			if (!read_bytes(&symtab, &m, false)) {
				assert_true(size > 0x200);
				pp_elf_symtab_release(&symtab);
			}
		}
	make(&m, 1, 0, 20, IN_SECTION);
	put_section(&m, 3, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, TABLE_VMA, TABLE, UINT32_MAX);
	assert_int_equal(read_bytes(&(struct pp_elf_symtab){ 0 }, &m, false), -ENOENT);
}

/* The memory for names is limited, even if many functions share one long name: a copy of the name
 * for each function would take thousands of times the size of the table. */
static void memory_for_names_is_limited_by_table_size(void **state)
{
	struct pp_elf_symtab symtab;
	static struct maker m;

	(void)state;
	make(&m, 1, 0, 20, IN_SECTION);
	put_word(&m, 0, 60);
	put_word(&m, 3, 0x48);	/* offset of the names in the table */
	memset(m.bytes + TABLE + 0x48, 'n', 0x100);
	m.bytes[TABLE + 0x148] = '\0';
	for (int i = 0; i <= 60; i++) {
		put_bytes(&m, TABLE + INDEX + 8 * i, 4, i);
		put_bytes(&m, TABLE + INDEX + 8 * i + 4, 4, 0x1f0);
	}
	put_bytes(&m, TABLE + INDEX + 0x1f4, 4, 0);
	assert_int_equal(read_bytes(&symtab, &m, false), -ENOENT);
	put_word(&m, 0, 3);
	assert_int_equal(read_bytes(&symtab, &m, false), 0);
	assert_int_equal(symtab.symtab.nr, 3);
	pp_elf_symtab_release(&symtab);
}

static void too_long_name_skips_its_function(void **state)
{
	struct pp_elf_symtab symtab = { 0 };
	static struct maker m;

	(void)state;
	for (size_t length = PP_GO_MAX_NAME; length <= PP_GO_MAX_NAME + 2; length++) {
		make(&m, 1, 0, 20, IN_SECTION);
		memcpy(m.bytes + LARGE_TABLE, m.bytes + TABLE, TABLE_SIZE);
		put_section(&m, 3, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, TABLE_VMA, LARGE_TABLE,
			    LARGE_SIZE);
		/* the name of function 0, whose description is at 0x80 */
		put_bytes(&m, LARGE_TABLE + INDEX + 0x84, 4, LONG_NAME - NAMES);
		memset(m.bytes + LARGE_TABLE + LONG_NAME, 'n', length);
		assert_int_equal(read_bytes(&symtab, &m, true), 0);
		if (length == PP_GO_MAX_NAME) {
			assert_int_equal(symtab.symtab.nr, 2);
			assert_int_equal(strlen(symtab.symtab.symbols[0].name), length);
		} else {
			assert_int_equal(symtab.symtab.nr, 1);
			assert_string_equal(symtab.symtab.symbols[0].name, "main.sum[...]");
		}
		pp_elf_symtab_release(&symtab);
	}
	/* A name without a terminating NUL makes the whole table invalid. */
	memset(m.bytes + LARGE_TABLE + LONG_NAME, 'n', LARGE_SIZE - LONG_NAME);
	put_section(&m, 3, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, TABLE_VMA, LARGE_TABLE,
		    LONG_NAME + PP_GO_MAX_NAME + 1);
	assert_int_equal(read_bytes(&symtab, &m, false), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_tables_of_all_versions_are_read),
		cmocka_unit_test(addresses_are_read_from_relocations),
		cmocka_unit_test(cached_table_contains_go_functions),
		cmocka_unit_test(table_without_code_address_is_refused),
		cmocka_unit_test(damaged_tables_are_read_within_bounds),
		cmocka_unit_test(truncated_tables_are_refused_or_read),
		cmocka_unit_test(memory_for_names_is_limited_by_table_size),
		cmocka_unit_test(too_long_name_skips_its_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
