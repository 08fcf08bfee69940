// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_libcfi_file.c -- tests the list of return addresses that libcfi finds in the test program
 * itself, and files that are not programs.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "libcfi/file.h"

int main(void);

static struct cfi_elf elf;
static struct cfi_file *file;
static uint64_t room;

static int make(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes;

	(void)state;
	if (fd < 0 || fstat(fd, &st))
		return -1;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED || cfi_elf_open(&elf, bytes, (uint64_t)st.st_size))
		return -1;
	room = cfi_file_room(&elf);
	file = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return file == MAP_FAILED || cfi_file_make(&elf, file, room) ? -1 : 0;
}

static __attribute__((noinline)) uint64_t return_address(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

/* Return the file offset of the code at an address of this process. */
static uint64_t offset_of(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to, offset;
	char line[512];
	uint64_t ret = 0;

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && address >= from && address < to)
			ret = address - from + offset;
	fclose(maps);
	return ret;
}

static void return_addresses_are_listed(void **state)
{
	uint64_t offset = offset_of(return_address());
	unsigned int nr = 0;

	(void)state;
	assert_true(offset != 0);
	assert_true(cfi_file_is_after_call(file, offset));
	for (uint64_t at = file->calls_start; at < file->calls_start + file->calls_length; at++) {
		bool is = !(at & ((1u << file->calls_shift) - 1)) && at >= 8 &&
			  oprofile_uw_is_call(elf.machine, elf.data + at - 8);

		assert_int_equal(cfi_file_is_after_call(file, at), is);
		nr += is;
	}
	assert_true(nr > 10);
	assert_false(cfi_file_is_after_call(file, file->calls_start + file->calls_length));
	assert_false(cfi_file_is_after_call(file, UINT64_MAX));
}

static __attribute__((noinline)) uint64_t address_in_caller(void)
{
	return (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)) - 1;
}

static void function_starts_are_listed(void **state)
{
	uint64_t begin = offset_of((uintptr_t)function_starts_are_listed),
			here = offset_of(address_in_caller());
	uint64_t last = 0, nr = 0, end = file->calls_start + file->calls_length;
	struct cfi_elf_section plt;

	(void)state;
	assert_true(here > begin);
	for (uint64_t at = begin; at <= here; at++)
		assert_int_equal(cfi_file_function(file, at), begin);
	/*
	 * Each address between calls belongs to a function, and the start of a function belongs to
	 * the same function.
	 */
	for (uint64_t at = file->calls_start; at < end; at++) {
		uint64_t function = cfi_file_function(file, at);

		assert_true(function <= at && function >= last);
		assert_int_equal(cfi_file_function(file, function), function);
		nr += function != last;
		last = function;
	}
	assert_true(nr > 10);
	assert_int_equal(cfi_file_function(file, 0), 0);
	assert_int_equal(cfi_file_function(file, UINT64_MAX), UINT64_MAX);
	/*
	 * Although one FDE describes the whole PLT, each address of the PLT counts as a function of
	 * its own.
	 */
	for (const char *const *name = (const char *const[]){ ".plt", ".plt.sec", ".plt.got", NULL }; *name; name++) {
		if (cfi_elf_section(&elf, *name, &plt))
			continue;
		for (uint64_t at = plt.offset; at < plt.offset + plt.size; at++)
			assert_int_equal(cfi_file_function(file, at), at);
	}
}

static void file_contains_unwind_table(void **state)
{
	uint64_t size = cfi_table_room(&elf);
	void *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)state;
	assert_int_equal(cfi_table_make(&elf, table, size, NULL), 0);
	assert_memory_equal(cfi_file_table(file), table, oprofile_uw_table_size(table));
	assert_true(cfi_file_is_valid(file, cfi_file_size(file)));
	munmap(table, size);
}

/* Return the file offset of main() according to @f, or 0 if it is unknown. */
static uint64_t find_main(const struct cfi_file *f)
{
	uint64_t begin = offset_of((uintptr_t)main);

	assert_false(cfi_file_is_main(f, 0));
	assert_false(cfi_file_is_main(f, UINT64_MAX));
	if (!cfi_file_is_main(f, begin))
		return 0;
	assert_false(cfi_file_is_main(f, begin - 1));
	assert_true(cfi_file_is_main(f, begin + 16));
	return begin;
}

static void main_is_found_with_and_without_symbols(void **state)
{
	struct cfi_elf stripped = elf;
	struct cfi_file *got;

	(void)state;
	assert_int_equal(find_main(file), offset_of((uintptr_t)main));
	/*
	 * In a file without symbols, main() is found from the code at the entry point. A file
	 * without an entry point is a library and has no main().
	 */
	stripped.nr_sections = 0;
	for (int i = 0; i < 2; i++) {
		uint64_t size = cfi_file_room(&stripped);

		got = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		assert_int_equal(cfi_file_make(&stripped, got, size), 0);
		if (i || elf.machine == OPROFILE_UW_X86_64)
			assert_int_equal(find_main(got), i ? 0 : offset_of((uintptr_t)main));
		munmap(got, size);
		stripped.entry = 0;
	}
}

static void damaged_files_are_refused(void **state)
{
	uint64_t size = cfi_file_size(file);
	struct cfi_file saved = *file;
	struct oprofile_uw_table *table = (void *)(file + 1);
	__u32 *first = (__u32 *)oprofile_uw_buckets(table), was;

	(void)state;
	for (uint64_t n = 0; n < size; n += 1 + size / 100)
		assert_false(cfi_file_is_valid(file, n));
	assert_false(cfi_file_is_valid(file, size + 1));
#define CHANGED(field, to) do {					\
		file->field = (to);				\
		assert_false(cfi_file_is_valid(file, size));	\
		*file = saved;					\
	} while (0)
	CHANGED(magic, 0);
	CHANGED(machine, 0);
	CHANGED(machine, elf.machine == OPROFILE_UW_AARCH64 ? OPROFILE_UW_X86_64 : OPROFILE_UW_AARCH64);
	CHANGED(calls_shift, 60);
	CHANGED(reserved, 1);
	CHANGED(table_size, saved.table_size - 8);
	CHANGED(table_size, saved.table_size + 4);
	CHANGED(table_size, UINT64_MAX - 7);
	CHANGED(calls_length, UINT64_MAX);
	CHANGED(calls_start, UINT64_MAX);
	CHANGED(nr_functions, saved.nr_functions + 1);
	CHANGED(nr_functions, UINT64_MAX);
	CHANGED(nr_functions, 1ull << 62);
	was = first[1];
	first[1] = UINT32_MAX;
	assert_false(cfi_file_is_valid(file, size));
	first[1] = was;
	was = table->nr_rows;
	table->nr_rows = UINT32_MAX;
	assert_false(cfi_file_is_valid(file, size));
	table->nr_rows = was;
	assert_true(cfi_file_is_valid(file, size));
}

/*
 * A file whose code has no call frame information gets a table of inferred rules and the list of
 * return addresses.
 */
static void rules_are_inferred_without_frame_info(void **state)
{
	struct cfi_elf bare = elf;
	struct cfi_file *got;

	(void)state;
	bare.nr_sections = 0;
	bare.index_size = 0;
	bare.index_address = 0;
	bare.entry = 0;
	room = cfi_file_room(&bare);
	got = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_int_equal(cfi_file_make(&bare, got, room), 0);
	assert_non_null(cfi_file_table(got));
	assert_non_null(oprofile_uw_lookup(cfi_file_table(got), offset_of(return_address())));
	assert_true(cfi_file_is_valid(got, cfi_file_size(got)));
	assert_true(cfi_file_is_after_call(got, offset_of(return_address())));
	assert_int_equal(cfi_file_make(&bare, got, room - 1), -ENOSPC);
	munmap(got, room);
	for (unsigned int i = 0; i < bare.nr_segments; i++)
		bare.segments[i].executable = 0;
	assert_int_equal(cfi_file_room(&bare), 0);
	assert_int_equal(cfi_file_make(&bare, file, room), -ENOENT);
}

/*
 * If the code ends in the middle of an instruction, at the end of the file's last page, the search
 * does not read beyond the end, which would cause a page fault.
 */
static void search_does_not_read_after_file_end(void **state)
{
	const uint64_t bytes = 4096 - sizeof(struct cfi_file), page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct cfi_file *got = (struct cfi_file *)(pages + page - 4096);

	(void)state;
	assert_int_equal(munmap(pages + page, page), 0);
	*got = (struct cfi_file){ .magic = CFI_FILE_MAGIC, .machine = OPROFILE_UW_AARCH64, .calls_shift = 2 };
	for (uint64_t length = 32 * bytes - 40; length <= 32 * bytes + 40; length++) {
		got->calls_length = length;
		if (!cfi_file_is_valid(got, 4096))
			continue;
		for (uint64_t at = length - 40; at < length + 40; at++)
			assert_false(cfi_file_is_after_call(got, at));
	}
	munmap(pages, page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(return_addresses_are_listed),
		cmocka_unit_test(function_starts_are_listed),
		cmocka_unit_test(file_contains_unwind_table),
		cmocka_unit_test(main_is_found_with_and_without_symbols),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(rules_are_inferred_without_frame_info),
		cmocka_unit_test(search_does_not_read_after_file_end),
	};

	return cmocka_run_group_tests(tests, make, NULL);
}
