// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libop_raw_elf.c -- what a sampler wants to know of a binary: its build-id, and which address a place in it is
 * linked at.
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

/* A segment that is read, code at 0x1040 linked at 0x402040, and notes of which the second is the build-id. */
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

static void test_code(void **state)
{
	unsigned char file[0x600];
	struct bytes b = { file, sizeof(file) };
	struct raw_elf elf;

	(void)state;
	make_elf(file, sizeof(file));
	/* Mapped from the page before; and from somewhere inside. */
	assert_int_equal(raw_elf_read(&elf, 0x1000, read_bytes, &b), 0);
	assert_int_equal(elf.vaddr, 0x402000);
	assert_int_equal(elf.build_id_len, sizeof(id));
	assert_memory_equal(elf.build_id, id, sizeof(id));
	assert_int_equal(raw_elf_read(&elf, 0x1140, read_bytes, &b), 0);
	assert_int_equal(elf.vaddr, 0x402140);
	assert_int_equal(raw_elf_read(&elf, 0x1540, read_bytes, &b), -ENOEXEC);
}

static void test_broken(void **state)
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

/* Our own program: a function is at the address that its symbol says, relative to another one. */
static void test_own(void **state)
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
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
