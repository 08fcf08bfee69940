// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libcfi_table.c -- tests unwind tables made from hand-made files, and from this program and
 * its libraries.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "libcfi/rule.h"
#include "libcfi/sort.h"
#include "libcfi/table.h"

/*
 * Layout of a hand-made file: headers, code at 0x1000 (address 0x11000), .eh_frame at 0x3000,
 * section headers at 0x6000.
 */
#define CODE	0x1000
#define FRAMES	0x3000
#define ADDRESS	0x10000		/* address at which the beginning of the file is mapped */
#define NAMES	0x5e00
#define SHDRS	0x6000
#define SIZE	0x7000

static const char names[] = "\0.eh_frame\0.plt\0.init\0.fini_array";

struct file {
	unsigned char bytes[SIZE];
	size_t frames;			/* number of bytes in the section .eh_frame */
	unsigned int nr_sections;
};

static void add_section(struct file *f, const char *name, uint64_t offset, uint64_t size)
{
	Elf64_Ehdr *head = (void *)f->bytes;
	Elf64_Shdr *shdr = (Elf64_Shdr *)(f->bytes + SHDRS) + f->nr_sections++;

	for (shdr->sh_name = 0; strcmp(names + shdr->sh_name, name); )
		shdr->sh_name++;
	shdr->sh_type = SHT_PROGBITS;
	shdr->sh_addr = ADDRESS + offset;
	shdr->sh_offset = offset;
	shdr->sh_size = size;
	head->e_shnum = f->nr_sections;
}

static void add_entry(struct file *f, const void *bytes, uint32_t size)
{
	memcpy(f->bytes + FRAMES + f->frames, &size, 4);
	memcpy(f->bytes + FRAMES + f->frames + 4, bytes, size);
	f->frames += 4 + size;
}

static void add_function(struct file *f, uint64_t offset, uint32_t size, const char *program,
			 size_t length)
{
	unsigned char bytes[64] = { 0 };
	uint32_t numbers[3] = { f->frames + 4, CODE + offset - (FRAMES + f->frames + 8), size };

	memcpy(bytes, numbers, 12);
	memcpy(bytes + 13, program, length);
	add_entry(f, bytes, 28);
}

static struct file *new_file(int machine)
{
	struct file *f = calloc(1, sizeof(*f));
	Elf64_Ehdr *head;
	Elf64_Phdr *load;

	assert_non_null(f);
	head = (void *)f->bytes;
	load = (void *)(f->bytes + 64);
	memcpy(head->e_ident, ELFMAG "\2\1\1", 7);
	*head = (Elf64_Ehdr){ .e_type = ET_DYN, .e_machine = machine, .e_phoff = 64, .e_shoff = SHDRS,
			      .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2, .e_shentsize = sizeof(Elf64_Shdr),
			      .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 } };
	load[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_X, .p_offset = CODE, .p_vaddr = ADDRESS + CODE,
				.p_filesz = 0x2000 };
	load[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_offset = FRAMES, .p_vaddr = ADDRESS + FRAMES, .p_filesz = 0x2000 };
	memcpy(f->bytes + NAMES, names, sizeof(names));
	add_section(f, "", NAMES, sizeof(names));
	/* Fill the code with hlt instructions, from which no rule can be inferred. */
	memset(f->bytes + CODE, 0xf4, 0x2000);
	add_entry(f, machine == EM_X86_64 ? "\0\0\0\0\1zR\0\1\x78\20\1\x1b\x0c\7\10\x90\1\0\0"
				      : "\0\0\0\0\1zR\0\4\x78\36\1\x1b\x0c\37\0\0\0\0\0", 20);
	return f;
}

static struct oprofile_uw_table *make(const void *bytes, uint64_t size, int *ret_err, uint32_t *unsupported)
{
	struct oprofile_uw_table *table;
	struct cfi_elf elf;
	uint64_t room;

	*ret_err = cfi_elf_open(&elf, bytes, size);
	if (*ret_err)
		return NULL;
	room = cfi_table_room(&elf);
	table = mmap(NULL, room + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(table != MAP_FAILED);
	*ret_err = cfi_table_make(&elf, table, room, unsupported);
	if (!*ret_err) {
		assert_int_equal(oprofile_uw_check(table, oprofile_uw_table_size(table)), OPROFILE_UW_SOUND);
		/* Unmap the memory after the end of the table, so that a read beyond the end causes
		 * a fault. */
		return mremap(table, room + 1, oprofile_uw_table_size(table), 0);
	}
	munmap(table, room + 1);
	return NULL;
}

static void unmap_table(struct oprofile_uw_table *table)
{
	munmap(table, oprofile_uw_table_size(table));
}

static struct oprofile_uw_table *compile_table(struct file *f)
{
	struct oprofile_uw_table *table;
	int err;

	add_section(f, ".eh_frame", FRAMES, f->frames);
	((Elf64_Ehdr *)f->bytes)->e_shstrndx = 0;
	table = make(f->bytes, SIZE, &err, NULL);
	assert_int_equal(err, 0);
	free(f);
	return table;
}

/*
 * Return the kind and the offset of the CFA at @offset of the code, as one number. Return 0 if the
 * row is missing or uncertain.
 */
static int cfa_at(const struct oprofile_uw_table *table, uint64_t offset)
{
	const struct oprofile_uw_rule *rule = oprofile_uw_lookup(table, CODE + offset);

	return rule && rule->cfa != OPROFILE_UW_CFA_CHAIN ? rule->cfa * 1000 + rule->cfa_offset : 0;
}

#define SP(offset)	(OPROFILE_UW_CFA_SP * 1000 + (offset))

/*
 * Functions may be described in any order. Padding has the row of the preceding function, and other
 * code between functions has no row.
 */
static void gaps_between_functions_have_no_row(void **state)
{
	struct file *f = new_file(EM_X86_64);
	struct oprofile_uw_table *t;

	(void)state;
	memset(f->bytes + CODE + 0x35, 0x90, 0xb);
	add_function(f, 0x1400, 0x40, "", 0);
	add_function(f, 0x20, 0x15, "\x41\x0e\x10", 3);
	add_function(f, 0x40, 0x10, "", 0);
	add_function(f, 0x80, 0x10, "\x0e\x20", 2);
	t = compile_table(f);
	assert_int_equal(cfa_at(t, 0x1f), 0);
	assert_int_equal(cfa_at(t, 0x20), SP(8));
	assert_int_equal(cfa_at(t, 0x21), SP(16));
	/* The padding has the row of the preceding function. */
	assert_int_equal(cfa_at(t, 0x3f), SP(16));
	assert_int_equal(cfa_at(t, 0x40), SP(8));
	assert_int_equal(cfa_at(t, 0x4f), SP(8));
	assert_int_equal(cfa_at(t, 0x50), 0);		/* the code after the padding has no row */
	assert_int_equal(cfa_at(t, 0x80), SP(32));
	assert_int_equal(cfa_at(t, 0x90), 0);
	assert_int_equal(cfa_at(t, 0x13ff), 0);
	assert_int_equal(cfa_at(t, 0x1400), SP(8));
	assert_int_equal(cfa_at(t, 0x1440), 0);
	unmap_table(t);
}

/*
 * If functions exceed their segment, lie outside of all segments, or begin at the same address, the
 * table contains only their valid parts.
 */
static void parts_outside_of_segment_are_cut_off(void **state)
{
	struct file *f = new_file(EM_X86_64);
	struct oprofile_uw_table *t;

	(void)state;
	add_function(f, 0x1ff0, 0x40, "\x0e\x20", 2);
	add_function(f, 0x100000, 0x40, "", 0);
	add_function(f, -0x800, 0x1000, "", 0);
	add_function(f, 0x100, 0x10, "", 0);
	add_function(f, 0x100, 0x10, "\x0e\x20", 2);
	t = compile_table(f);
	assert_int_equal(cfa_at(t, 0x1fff), SP(32));
	assert_int_equal(cfa_at(t, 0), 0);
	assert_int_not_equal(cfa_at(t, 0x100), 0);
	assert_int_equal(cfa_at(t, 0x110), 0);
	unmap_table(t);
}

static void x86_plt_stubs_have_rows(void **state)
{
	static const unsigned char plt[] = {
		0xff, 0x35, 1, 2, 3, 4, 0xff, 0x25, 1, 2, 3, 4, 0x0f, 0x1f, 0x40, 0,
		0xff, 0x25, 1, 2, 3, 4, 0x68, 0, 0, 0, 0, 0xe9, 1, 2, 3, 4,
		0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0, 0xe9, 1, 2, 3, 4, 0x66, 0x90,
		0xff, 0x25, 1, 2, 3, 4, 0x66, 0x90,
	};
	static const unsigned char init[] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3,
	};
	struct file *f = new_file(EM_X86_64);
	struct oprofile_uw_table *t;

	(void)state;
	memcpy(f->bytes + CODE + 0x100, plt, sizeof(plt));
	memcpy(f->bytes + CODE + 0x200, init, sizeof(init));
	add_section(f, ".plt", CODE + 0x100, sizeof(plt));
	add_section(f, ".init", CODE + 0x200, sizeof(init));
	memcpy(f->bytes + CODE + 0x31a, "\xe8\1\2\3\4\xf4", 6);
	((Elf64_Ehdr *)f->bytes)->e_entry = ADDRESS + CODE + 0x300;
	add_function(f, 0x320, 0x10, "", 0);
	t = compile_table(f);
	assert_int_equal(cfa_at(t, 0x100), SP(16));
	assert_int_equal(cfa_at(t, 0x106), SP(24));
	assert_int_equal(cfa_at(t, 0x110), OPROFILE_UW_CFA_PLT * 1000 + 11);
	assert_int_equal(cfa_at(t, 0x120), OPROFILE_UW_CFA_PLT * 1000 + 9);
	assert_int_equal(cfa_at(t, 0x137), SP(8));
	assert_int_equal(cfa_at(t, 0x138), 0);
	assert_int_equal(cfa_at(t, 0x207), SP(8));
	assert_int_equal(cfa_at(t, 0x208), SP(16));
	assert_int_equal(cfa_at(t, 0x20d), SP(16));
	assert_int_equal(cfa_at(t, 0x20e), SP(8));
	assert_int_equal(cfa_at(t, 0x20f), 0);
	/* The row of the entry point ends where a function with call frame information begins. */
	assert_int_equal(cfa_at(t, 0x300), OPROFILE_UW_CFA_END * 1000);
	assert_int_equal(cfa_at(t, 0x31f), OPROFILE_UW_CFA_END * 1000);
	assert_int_equal(cfa_at(t, 0x320), SP(8));
	assert_int_equal(cfa_at(t, 0x330), 0);
	unmap_table(t);
}

/*
 * The row of the entry point ends where the code of the entry point ends, and does not cover the
 * next function.
 */
static void entry_point_row_ends_with_its_code(void **state)
{
	static const struct {
		uint16_t machine;
		unsigned char code[64];
		/* number of bytes of code that belong to the entry point */
		unsigned int size;
	} entries[] = {
		/* xor %ebp,%ebp; and $-16,%rsp; call; hlt; then a function that begins with a call */
		{ EM_X86_64, { 0x31, 0xed, 0x48, 0x83, 0xe4, 0xf0, 0xe8, 1, 2, 0, 0, 0xf4, 0xe8, 1, 2, 0, 0, 0xf4 }, 12 },
		/* the entry point makes a call, then a call that never returns, and ends in ud2 */
		{ EM_X86_64, { 0x31, 0xed, 0x90, 0xe8, 1, 2, 0, 0, 0x90, 0xff, 0x15, 1, 2, 0, 0, 0x0f, 0x0b, 0x90 }, 17 },
		/* no instruction after the call shows that it never returns */
		{ EM_X86_64, { 0x31, 0xed, 0x90, 0xe8, 1, 2, 0, 0, 0x55, 0x48, 0x89, 0xe5 }, 8 },
		/* the dynamic linker: call; mov rax, r12; xor ebp, ebp; call; jmp *r12 */
		{ EM_X86_64, { 0x48, 0x89, 0xe7, 0xe8, 1, 2, 0, 0, 0x49, 0x89, 0xc4, 0x31, 0xed, 0xe8, 1, 2, 0, 0, 0x41, 0xff, 0xe4,
			       0x55, 0x48, 0x89, 0xe5 }, 21 },
		/* an entry point that only jumps */
		{ EM_X86_64, { 0xe9, 1, 2, 0, 0, 0x55, 0x48, 0x89, 0xe5 }, 16 },
		/*
		 * mov x29, #0; mov x30, #0; bl __libc_start_main; bl abort; then another function
		 */
		{ EM_AARCH64, { 0x1d, 0, 0x80, 0xd2, 0x1e, 0, 0x80, 0xd2, 1, 0, 0, 0x94, 2, 0, 0, 0x94, 0xfd, 0x7b, 0xbf, 0xa9 }, 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		struct file *f = new_file(entries[i].machine);
		struct oprofile_uw_table *t;

		memcpy(f->bytes + CODE + 0x300, entries[i].code, sizeof(entries[i].code));
		((Elf64_Ehdr *)f->bytes)->e_entry = ADDRESS + CODE + 0x300;
		add_function(f, 0x600, 0x10, "", 0);
		t = compile_table(f);
		assert_int_equal(cfa_at(t, 0x300), OPROFILE_UW_CFA_END * 1000);
		assert_int_equal(cfa_at(t, 0x300 + entries[i].size - 1), OPROFILE_UW_CFA_END * 1000);
		assert_int_not_equal(cfa_at(t, 0x300 + entries[i].size), OPROFILE_UW_CFA_END * 1000);
		unmap_table(t);
	}
}

static void x86_crt_functions_have_rows(void **state)
{
	static const unsigned char dtors[] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0x80, 0x3d, 1, 2, 3, 4, 0, 0x75, 0x2b, 0x55, 0x48, 0x89, 0xe5, 0xe8, 1, 2, 3, 4,
		0x5d, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xf3, 0x0f, 0x1e, 0xfa, 0xe9, 1, 2, 3, 4,
	};
	uint64_t address = ADDRESS + CODE + 0x100;

	(void)state;
	for (int covered = 0; covered < 2; covered++) {
		struct file *f = new_file(EM_X86_64);
		struct oprofile_uw_table *t;

		memcpy(f->bytes + CODE + 0x100, dtors, sizeof(dtors));
		memcpy(f->bytes + CODE + 0x90, "\x48\x8d\x3d", 3);
		memcpy(f->bytes + FRAMES + 0x800, &address, sizeof(address));
		add_section(f, ".fini_array", FRAMES + 0x800, 8);
		add_function(f, covered ? 0x100 : 0x200, 0x10, "", 0);
		t = compile_table(f);
		assert_int_equal(cfa_at(t, 0x8f), 0);
		assert_int_equal(cfa_at(t, 0x90), SP(8));
		assert_int_equal(cfa_at(t, 0x100), SP(8));
		assert_int_equal(cfa_at(t, 0x10e), covered ? SP(8) : SP(16));
		assert_int_equal(cfa_at(t, 0x116), covered ? 0 : SP(16));
		assert_int_equal(cfa_at(t, 0x117), covered ? 0 : SP(8));
		assert_int_equal(cfa_at(t, 0x128), covered ? 0 : SP(8));
		assert_int_equal(cfa_at(t, 0x129), 0);
		unmap_table(t);
	}
}

static void aarch64_plt_stubs_have_rows(void **state)
{
	static const uint32_t plt[16] = { 0xa9bf7bf0, 0xf00000f0 };
	static const uint32_t init[] = { 0xd503201f, 0xa9bf7bfd, 0x910003fd, 0x9400002a, 0xa8c17bfd, 0xd65f03c0 };
	struct file *f = new_file(EM_AARCH64);
	const struct oprofile_uw_rule *rule;
	struct oprofile_uw_table *t;

	(void)state;
	memcpy(f->bytes + CODE + 0x100, plt, sizeof(plt));
	memcpy(f->bytes + CODE + 0x200, init, sizeof(init));
	add_section(f, ".plt", CODE + 0x100, sizeof(plt));
	add_section(f, ".init", CODE + 0x200, sizeof(init));
	add_function(f, 0x320, 0x10, "", 0);
	t = compile_table(f);
	assert_int_equal(cfa_at(t, 0x100), SP(0));
	assert_int_equal(cfa_at(t, 0x104), SP(16));
	assert_int_equal(cfa_at(t, 0x120), SP(0));
	assert_int_equal(cfa_at(t, 0x204), SP(0));
	assert_int_equal(cfa_at(t, 0x208), SP(16));
	rule = oprofile_uw_lookup(t, CODE + 0x208);
	assert_int_equal(rule->saved, OPROFILE_UW_AT_CFA << 4 | OPROFILE_UW_AT_CFA);
	assert_int_equal(rule->fp_offset, -2);
	assert_int_equal(rule->other_offset, -1);
	assert_int_equal(cfa_at(t, 0x214), SP(0));
	unmap_table(t);
}

/* A function with call frame information keeps its rows, even if its section is called .plt. */
static void frame_info_overrides_plt_stub(void **state)
{
	struct file *f = new_file(EM_X86_64);
	struct oprofile_uw_table *t;

	(void)state;
	add_section(f, ".plt", CODE + 0x100, 0x20);
	add_function(f, 0x100, 0x20, "\x0e\x20", 2);
	((Elf64_Ehdr *)f->bytes)->e_entry = ADDRESS + CODE + 0x100;
	t = compile_table(f);
	assert_int_equal(cfa_at(t, 0x100), SP(32));
	assert_int_equal(cfa_at(t, 0x11f), SP(32));
	unmap_table(t);
}

/*
 * Return the table of a file with @nr functions of one byte each. The CFA of function i is sp +
 * @offsets[i].
 */
static struct oprofile_uw_table *table_of_offsets(size_t nr, const uint32_t *offsets, uint32_t *unsupported)
{
	size_t size = FRAMES + 24 + nr * 32;
	unsigned char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct file *f = new_file(EM_X86_64);
	struct oprofile_uw_table *t;
	Elf64_Phdr *load;
	int err;

	assert_true(bytes != MAP_FAILED);
	add_section(f, ".eh_frame", FRAMES, 24);
	memcpy(bytes, f->bytes, FRAMES + 24);
	load = (void *)(bytes + 64);
	load[0].p_offset = 0;		/* make all bytes of the file executable code */
	load[0].p_vaddr = 0;
	load[0].p_filesz = size;
	((Elf64_Ehdr *)bytes)->e_shoff = 0;
	load[1] = (Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME, .p_vaddr = 0x200, .p_filesz = 12 };
	memcpy(bytes + 0x200, "\1\x1b\3\x3b", 4);
	*(int32_t *)(bytes + 0x204) = FRAMES - 0x204;
	for (size_t i = 0; i < nr; i++) {
		uint32_t at = FRAMES + 24 + i * 32, numbers[4] = { 28, at + 4 - FRAMES, 0x1000 + i - (at + 8), 1 };
		unsigned char *program = bytes + at + 17;

		memcpy(bytes + at, numbers, 16);
		program[0] = 0x0e;
		for (int j = 0; j < 5; j++)
			program[1 + j] = (offsets[i] >> 7 * j & 0x7f) | (j < 4 ? 0x80 : 0);
	}
	t = make(bytes, size, &err, unsupported);
	assert_int_equal(err, 0);
	munmap(bytes, size);
	free(f);
	return t;
}

/* If a file has more rules than a table can contain, its table omits the excess rules. */
static void excess_rules_are_dropped(void **state)
{
	static uint32_t offsets[1 << 17];
	struct oprofile_uw_table *t;
	uint32_t unsupported;

	(void)state;
	for (uint32_t i = 0; i < 1 << 17; i++)
		offsets[i] = i;
	t = table_of_offsets(1 << 17, offsets, &unsupported);
	assert_true(unsupported > 0 && t->nr_rules == OPROFILE_UW_MAX_RULES);
	unmap_table(t);
}

/*
 * If all rules collide in the hash table of table.c, the time for building the unwind table is
 * limited, and does not grow with the square of the number of rules.
 */
static void colliding_rules_take_limited_time(void **state)
{
	static uint32_t offsets[256];
	uint32_t unsupported, nr = 0;
	struct oprofile_uw_table *t;

	(void)state;
	for (uint32_t i = 1; nr < 256; i++)
		if (((i | (uint64_t)OPROFILE_UW_CFA_SP << 32) * 0x9e3779b97f4a7c15ULL) >> 47 == 0x1234)
			offsets[nr++] = i;
	t = table_of_offsets(256, offsets, &unsupported);
	assert_true(unsupported > 0 && t->nr_rules < 128);
	unmap_table(t);
}

static void damaged_files_are_survived(void **state)
{
	static const size_t places[] = { 4, 5, 18, 32, 40, 52, 54, 56, 58, 60, 62, 64, 68, 72, 80, 96, 104, 120 };
	struct file *good = new_file(EM_X86_64), *f = malloc(sizeof(*f));
	unsigned int seed = 3;
	uint32_t unsupported;

	(void)state;
	assert_non_null(f);
	add_function(good, 0x100, 0x40, "\x41\x0e\x10\x42\x0e\x20", 6);
	add_section(good, ".plt", CODE, 0x40);
	add_section(good, ".init", CODE + 0x40, 0x20);
	add_section(good, ".eh_frame", FRAMES, good->frames);
	for (int round = 0; round < 20000; round++) {
		struct oprofile_uw_table *t;
		int err;

		*f = *good;
		for (int i = 0; i < 2; i++) {
			size_t at;

			seed = seed * 1103515245 + 12345;
			at = seed >> 8 & 1 ? places[(seed >> 9) % 18] : seed >> 9 & 1 ? SHDRS + (seed >> 10) % 0x140
										      : (seed >> 10) % (SIZE - 8);
			f->bytes[at + (seed >> 24) % 8] = seed >> 16;
		}
		t = make(f->bytes, SIZE, &err, &unsupported);
		if (t) {
			for (uint64_t offset = 0; offset < SIZE; offset += 7)
				oprofile_uw_lookup(t, offset);
			unmap_table(t);
		}
	}
	for (size_t size = 0; size < 0x200; size++) {
		void *copy = malloc(size ? size : 1);
		int err;

		assert_non_null(copy);
		memcpy(copy, good->bytes, size);
		assert_null(make(copy, size, &err, NULL));
		assert_true(err < 0);
		free(copy);
	}
	free(good);
	free(f);
}

struct comparison {
	const struct cfi_elf *elf;
	const struct oprofile_uw_table *table;
	unsigned long rows;
};

static int compare_row(void *data, const struct cfi_row *row)
{
	struct comparison *l = data;
	const struct oprofile_uw_rule *rule;
	__u64 offset, left;

	l->rows++;
	for (uint64_t at = row->from; at < row->to; at++)
		if (cfi_elf_code(l->elf, at, &offset, &left)) {
			rule = oprofile_uw_lookup(l->table, offset);
			assert_non_null(rule);
			assert_true(cfi_same_rule(rule, &row->rule));
		}
	return 0;
}

/* At each address of this program, the unwind table has the same rule as .eh_frame. */
static void own_table_equals_eh_frame(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), err;
	struct cfi_section frames;
	struct comparison l = { .rows = 0 };
	uint32_t unsupported;
	struct cfi_elf elf;
	struct stat st;
	void *bytes;

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(bytes != MAP_FAILED);
	close(fd);
	assert_int_equal(cfi_elf_open(&elf, bytes, st.st_size), 0);
	l.table = make(bytes, st.st_size, &err, &unsupported);
	assert_int_equal(err, 0);
	l.elf = &elf;
	assert_int_equal(cfi_elf_frames(&elf, CFI_EH_FRAME, &frames), 0);
	assert_int_equal(cfi_compile(&frames, compare_row, &l), 0);
	assert_true(l.rows > 100);
	assert_true(unsupported <= l.rows / 1000);
	unmap_table((void *)l.table);
	munmap(bytes, st.st_size);
}

static void numbers_are_sorted(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (unsigned int nr = 0; nr < 300; nr++) {
		uint32_t numbers[300];

		for (unsigned int i = 0; i < nr; i++) {
			seed = seed * 1103515245 + 12345;
			numbers[i] = nr % 3 == 2 ? i : seed >> (nr % 3 ? 28 : 0);
		}
		cfi_sort(numbers, nr);
		for (unsigned int i = 1; i < nr; i++)
			assert_true(numbers[i - 1] <= numbers[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_between_functions_have_no_row),
		cmocka_unit_test(parts_outside_of_segment_are_cut_off),
		cmocka_unit_test(x86_plt_stubs_have_rows),
		cmocka_unit_test(entry_point_row_ends_with_its_code),
		cmocka_unit_test(x86_crt_functions_have_rows),
		cmocka_unit_test(aarch64_plt_stubs_have_rows),
		cmocka_unit_test(frame_info_overrides_plt_stub),
		cmocka_unit_test(excess_rules_are_dropped),
		cmocka_unit_test(colliding_rules_take_limited_time),
		cmocka_unit_test(damaged_files_are_survived),
		cmocka_unit_test(own_table_equals_eh_frame),
		cmocka_unit_test(numbers_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
