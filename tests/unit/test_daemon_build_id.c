// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_build_id.c -- tests reading build-ids of normal and hostile ELF files. */
#include "config.h"
#include "tests/unit/check.h"

#include <elf.h>

#include "daemon/image/build_id.h"

struct note {
	Elf32_Nhdr h;
	char name[4];
	unsigned char id[20];
};

struct elf64 {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[2];
	struct note note;
};

static void make_elf(struct elf64 *e)
{
	memset(e, 0, sizeof(*e));
	memcpy(e->ehdr.e_ident, ELFMAG, SELFMAG);
	e->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	e->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
#else
	e->ehdr.e_ident[EI_DATA] = ELFDATA2MSB;
#endif
	e->ehdr.e_phoff = offsetof(struct elf64, phdr);
	e->ehdr.e_phentsize = sizeof(Elf64_Phdr);
	e->ehdr.e_phnum = 2;
	e->phdr[0].p_type = PT_LOAD;
	e->phdr[1].p_type = PT_NOTE;
	e->phdr[1].p_offset = offsetof(struct elf64, note);
	e->phdr[1].p_filesz = sizeof(struct note);
	e->phdr[1].p_align = 4;
	e->note.h = (Elf32_Nhdr){ .n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID };
	memcpy(e->note.name, "GNU", 4);
	for (int i = 0; i < 20; i++)
		e->note.id[i] = (unsigned char)(i + 1);
}

static int read_bytes(void **state, const void *bytes, size_t len, uint8_t *id)
{
	char path[128];
	int fd, n;

	snprintf(path, sizeof(path), "%s/elf", (char *)*state);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	n = opd_build_id_read(fd, id);
	close(fd);
	return n;
}

static void build_id_note_is_read(void **state)
{
	uint8_t id[OPD_BUILD_ID_MAX];
	struct elf64 e;

	make_elf(&e);
	assert_int_equal(read_bytes(state, &e, sizeof(e), id), 20);
	assert_memory_equal(id, e.note.id, 20);
	e.note.h.n_type = NT_GNU_ABI_TAG;
	assert_int_equal(read_bytes(state, &e, sizeof(e), id), 0);
}

/* The build-id equals that in the output of readelf, if readelf is installed. */
static void build_id_equals_readelf_output(void **state)
{
	static const char command[] =
		"readelf -n /bin/sh 2>/dev/null | sed -n 's/.*Build ID: //p'";
	char expected[64] = "", ours[64] = "";
	uint8_t id[OPD_BUILD_ID_MAX];
	FILE *p = popen(command, "r");
	int fd, n;

	(void)state;
	assert_non_null(p);
	if (!fgets(expected, sizeof(expected), p))
		expected[0] = '\0';
	pclose(p);
	expected[strcspn(expected, "\n")] = '\0';
	if (!expected[0])
		skip();
	fd = open("/bin/sh", O_RDONLY);
	assert_true(fd >= 0);
	n = opd_build_id_read(fd, id);
	close(fd);
	for (int i = 0; i < n; i++)
		snprintf(ours + 2 * i, 3, "%02x", id[i]);
	assert_string_equal(ours, expected);
}

static void non_elf_files_have_no_build_id(void **state)
{
	uint8_t id[OPD_BUILD_ID_MAX];

	assert_int_equal(read_bytes(state, "", 0, id), 0);
	assert_int_equal(read_bytes(state, "#!/bin/sh\n", 10, id), 0);
	assert_int_equal(read_bytes(state, ELFMAG, SELFMAG, id), 0);
}

static void truncated_files_have_no_build_id(void **state)
{
	uint8_t id[OPD_BUILD_ID_MAX];
	struct elf64 e;

	make_elf(&e);
	for (size_t len = 0; len < offsetof(struct elf64, note) + sizeof(e.note); len++)
		assert_int_equal(read_bytes(state, &e, len, id), 0);
}

static void invalid_header_fields_are_survived(void **state)
{
	static const uint64_t absurd[] = { 0, 1, 0xffff, 0xfffffffful, 0x7ffffffffffffffful,
					   0xfffffffffffffff0ul, UINT64_MAX };
	uint8_t id[OPD_BUILD_ID_MAX];

	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		struct elf64 e;

		make_elf(&e);
		e.ehdr.e_phoff = absurd[i];
		read_bytes(state, &e, sizeof(e), id);
		make_elf(&e);
		e.ehdr.e_phnum = (uint16_t)absurd[i];
		read_bytes(state, &e, sizeof(e), id);
		make_elf(&e);
		e.phdr[1].p_offset = absurd[i];
		assert_true(read_bytes(state, &e, sizeof(e), id) <= 0);
		make_elf(&e);
		e.phdr[1].p_filesz = absurd[i];
		read_bytes(state, &e, sizeof(e), id);
		make_elf(&e);
		e.phdr[1].p_align = absurd[i];
		read_bytes(state, &e, sizeof(e), id);
		make_elf(&e);
		e.note.h.n_namesz = (uint32_t)absurd[i];
		assert_int_equal(read_bytes(state, &e, sizeof(e), id), 0);
		make_elf(&e);
		e.note.h.n_descsz = (uint32_t)absurd[i];
		assert_true(read_bytes(state, &e, sizeof(e), id) <= 20);
	}
}

static void build_id_note_is_found_among_others(void **state)
{
	struct { struct note other, build_id; } notes;
	uint8_t id[OPD_BUILD_ID_MAX];
	struct elf64 e;

	(void)state;
	make_elf(&e);
	notes.build_id = e.note;
	notes.other = e.note;
	notes.other.h.n_type = NT_GNU_ABI_TAG;
	memset(notes.other.id, 0, 20);
	assert_int_equal(opd_build_id_in_notes((void *)&notes, sizeof(notes), 4, 0, id), 20);
	assert_memory_equal(id, e.note.id, 20);
	for (size_t len = 0; len < sizeof(notes); len++)
		assert_int_equal(opd_build_id_in_notes((void *)&notes, len, 4, 0, id), 0);
}

static void random_files_are_survived(void **state)
{
	uint8_t id[OPD_BUILD_ID_MAX];

	srandom(4);
	for (int round = 0; round < 3000; round++) {
		struct elf64 e;

		make_elf(&e);
		e.ehdr.e_ident[EI_CLASS] = (unsigned char)(1 + round % 2);
		e.ehdr.e_ident[EI_DATA] = (unsigned char)(1 + round / 2 % 2);
		for (int i = 0; i < 8; i++)
			((unsigned char *)&e)[6 + (size_t)random() % (sizeof(e) - 6)] =
				(unsigned char)random();
		assert_true(read_bytes(state, &e, sizeof(e), id) <= OPD_BUILD_ID_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_dir(build_id_note_is_read),
		test_in_dir(build_id_equals_readelf_output),
		test_in_dir(non_elf_files_have_no_build_id),
		test_in_dir(truncated_files_have_no_build_id),
		test_in_dir(invalid_header_fields_are_survived),
		test_in_dir(build_id_note_is_found_among_others),
		test_in_dir(random_files_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
