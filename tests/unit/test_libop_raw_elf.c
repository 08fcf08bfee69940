// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_elf.c -- tests reading a binary's build-id, and the conversion of file offsets to
 * link-time addresses.
 */
#include "config.h"
#include "libop/raw/elf.h"

#include <elf.h>
#include <errno.h>

#include "tests/unit/check.h"

struct bytes {
	unsigned char *at;
	size_t len;
};

static long read_bytes(void *arg, uint64_t at, void *buf, size_t len)
{
	const struct bytes *b = arg;

	if (at >= b->len)
		return 0;
	if (len > b->len - at)
		len = b->len - at;
	memcpy(buf, b->at + at, len);
	return len;
}

static const unsigned char id[8] = { 0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4 };

/*
 * Write an ELF file: a readable segment, code at 0x1040 linked at 0x402040, and two notes, the
 * second of which is the build-id.
 */
static void make_elf(unsigned char *to, size_t len)
{
	Elf64_Ehdr h = { .e_phoff = sizeof(h), .e_phnum = 3, .e_phentsize = sizeof(Elf64_Phdr) };
	Elf64_Phdr p[3] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = 0, .p_vaddr = 0x400000, .p_filesz = 0x1040 },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x1040, .p_vaddr = 0x402040, .p_filesz = 0x500 },
		{ .p_type = PT_NOTE, .p_offset = 0x300, .p_filesz = 64, .p_align = 4 },
	};
	Elf64_Nhdr other = { 4, 6, 77 }, build = { 4, sizeof(id), NT_GNU_BUILD_ID };

	memset(to, 0, len);
	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	memcpy(to, &h, sizeof(h));
	memcpy(to + sizeof(h), p, sizeof(p));
	memcpy(to + 0x300, &other, 12);
	memcpy(to + 0x30c, "GNU", 4);
	memcpy(to + 0x318, &build, 12);
	memcpy(to + 0x324, "GNU", 4);
	memcpy(to + 0x328, id, sizeof(id));
}

static void test_code_address_and_build_id_are_read(void **state)
{
	unsigned char file[0x600];
	struct bytes b = { file, sizeof(file) };
	struct raw_elf elf;

	(void)state;
	make_elf(file, sizeof(file));
	/*
	 * The result is the same for a mapping of the code's page and for an offset within the
	 * code.
	 */
	assert_int_equal(raw_elf_read(&elf, 0x1000, read_bytes, &b), 0);
	assert_int_equal(elf.vaddr, 0x402000);
	assert_int_equal(elf.build_id_len, sizeof(id));
	assert_memory_equal(elf.build_id, id, sizeof(id));
	assert_int_equal(raw_elf_read(&elf, 0x1140, read_bytes, &b), 0);
	assert_int_equal(elf.vaddr, 0x402140);
	assert_int_equal(raw_elf_read(&elf, 0x1540, read_bytes, &b), -ENOEXEC);
}

/*
 * A build-id is found in a note segment that is aligned to eight bytes, as linkers align
 * .note.gnu.property. The name ends at byte 16 of the note, so the descriptor follows without
 * padding.
 */
static void test_notes_aligned_to_eight_bytes(void **state)
{
	static const unsigned char swapped_type[4] = { 0, 0, 0, NT_GNU_BUILD_ID };
	struct {
		Elf64_Nhdr h;
		char name[4];
		unsigned char desc[8];
	} notes[2] = { { { 4, 6, 5 }, "GNU", "other" }, { { 4, sizeof(id), NT_GNU_BUILD_ID }, "GNU", "" } };
	struct raw_elf_notes n = { .bytes = (void *)notes, .len = sizeof(notes), .align = 8 };
	struct raw_elf_note note;
	uint32_t len = 0;

	(void)state;
	memcpy(notes[1].desc, id, sizeof(id));
	assert_ptr_equal(raw_elf_find_build_id(n, &len), notes[1].desc);
	assert_int_equal(len, sizeof(id));
	assert_true(raw_elf_next_note(&note, &n));
	assert_int_equal(note.type, 5);
	assert_int_equal(note.desc_size, 6);
	assert_memory_equal(note.desc, "other", 6);
	assert_true(raw_elf_next_note(&note, &n));
	assert_false(raw_elf_next_note(&note, &n));
	/* A truncated note does not yield a build-id. */
	for (n.len = 0; n.len < sizeof(notes); n.len++) {
		n.at = 0;
		assert_null(raw_elf_find_build_id(n, &len));
	}
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		notes[1].h = (Elf64_Nhdr){ 4u << 24, (uint32_t)sizeof(id) << 24, 0 };
		memcpy(&notes[1].h.n_type, swapped_type, sizeof(swapped_type));
		n = (struct raw_elf_notes){ .bytes = (void *)&notes[1], .len = sizeof(notes[1]), .align = 8, .is_swapped = true };
		assert_ptr_equal(raw_elf_find_build_id(n, &len), notes[1].desc);
	}
}

/* Headers of 32-bit files and of the other byte order are read; invalid headers are refused. */
static void test_headers_of_all_classes_are_read(void **state)
{
	static const struct { size_t at; unsigned char value; } invalid[] = {
		{ EI_CLASS, 0 }, { EI_CLASS, 3 }, { EI_DATA, 0 }, { EI_DATA, 3 }, { EI_MAG0, 0 },
		{ offsetof(Elf64_Ehdr, e_phentsize), 55 }, { offsetof(Elf64_Ehdr, e_phoff) + 7, 0x40 },
	};
	unsigned char file[0x600];
	struct bytes b = { file, sizeof(file) };
	struct raw_elf_headers headers;
	struct raw_elf_segment s;
	Elf32_Ehdr h = { .e_machine = EM_386, .e_phoff = sizeof(h), .e_phnum = 1, .e_phentsize = sizeof(Elf32_Phdr) };
	Elf32_Phdr p = { PT_LOAD, 0x1000, 0x8000, 0, 0x20, 0x30, PF_X, 4 };

	(void)state;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		make_elf(file, sizeof(file));
		assert_int_equal(raw_elf_headers_read(&headers, read_bytes, &b), 0);
		file[invalid[i].at] = invalid[i].value;
		assert_int_equal(raw_elf_headers_read(&headers, read_bytes, &b), -ENOEXEC);
	}
	make_elf(file, sizeof(file));
	memcpy(h.e_ident, file, EI_NIDENT);
	h.e_ident[EI_CLASS] = ELFCLASS32;
	memset(file, 0, sizeof(file));
	memcpy(file, &h, sizeof(h));
	memcpy(file + sizeof(h), &p, sizeof(p));
	b.len = sizeof(h) + sizeof(p);
	assert_int_equal(raw_elf_headers_read(&headers, read_bytes, &b), 0);
	assert_int_equal(headers.machine, EM_386);
	assert_int_equal(raw_elf_segment_read(&s, &headers, 0), 0);
	assert_int_equal(s.offset, 0x1000);
	assert_int_equal(s.vaddr, 0x8000);
	assert_int_equal(s.file_size, 0x20);
	assert_int_equal(s.memory_size, 0x30);
	assert_int_equal(s.flags, PF_X);
	assert_int_equal(raw_elf_segment_read(&s, &headers, 1), -ENOEXEC);
	b.len--;
	assert_int_equal(raw_elf_segment_read(&s, &headers, 0), -ENOEXEC);
}

static void test_broken_files_are_refused(void **state)
{
	unsigned char file[0x600];
	struct raw_elf elf = { .vaddr = 42 };
	uint64_t n = 88172645463325252ULL;

	(void)state;
	make_elf(file, sizeof(file));
	for (size_t len = 0; len < sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr); len++) {
		struct bytes b = { file, len };

		assert_int_equal(raw_elf_read(&elf, 0x1000, read_bytes, &b), -ENOEXEC);
	}
	assert_int_equal(elf.vaddr, 42);
	for (int turn = 0; turn < 100000; turn++) {
		struct bytes b = { file, sizeof(file) };

		make_elf(file, sizeof(file));
		for (int i = 0; i < 4; i++) {
			n ^= n << 13;
			n ^= n >> 7;
			n ^= n << 17;
			file[n % 0x338] = n >> 32;
		}
		if (!raw_elf_read(&elf, 0x1000, read_bytes, &b))
			assert_true(elf.build_id_len <= RAW_BUILD_ID_MAX);
	}
}

static long read_fd(void *arg, uint64_t at, void *buf, size_t len)
{
	return pread(*(int *)arg, buf, len, at);
}

/*
 * In the test program itself, the distance between the converted addresses of two functions equals
 * the distance between their symbols.
 */
static void test_own_functions_have_symbol_distance(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct raw_elf elf;
	Elf64_Ehdr h;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &h, sizeof(h), 0), sizeof(h));
	if (h.e_ident[EI_CLASS] == ELFCLASS64) {
		for (int i = 0; i < h.e_phnum; i++) {
			Elf64_Phdr p;

			assert_int_equal(pread(fd, &p, sizeof(p), h.e_phoff + i * sizeof(p)), sizeof(p));
			if (p.p_type != PT_LOAD || !(p.p_flags & PF_X))
				continue;
			assert_int_equal(raw_elf_read(&elf, p.p_offset & ~0xfffULL, read_fd, &fd), 0);
			assert_int_equal(elf.vaddr, p.p_vaddr & ~0xfffULL);
		}
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_address_and_build_id_are_read),
		cmocka_unit_test(test_notes_aligned_to_eight_bytes),
		cmocka_unit_test(test_headers_of_all_classes_are_read),
		cmocka_unit_test(test_broken_files_are_refused),
		cmocka_unit_test(test_own_functions_have_symbol_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
