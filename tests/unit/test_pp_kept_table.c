// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_kept_table.c -- tests that the cached symbol table of a binary is read back unchanged
 * and completely, or is refused.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/mman.h>

#include "libop/session/table_seal.h"
#include "pp/image/kept_table.h"

static const struct pp_symbol symbols[] = {
	{ .start = 0x1000, .end = 0x1100, .name = "plain", .limit = 0x9000 },
	{ .start = 0x1040, .end = 0x1050, .name = "inside it", .limit = 0x9000 },
	{ .start = 0x2000, .end = 0x2010, .name = "bad\n\\n\\name", .limit = 0x9000,
	  .bind = PP_BIND_LOCAL },
	{ .start = 0xffffffffff600000, .end = 0xffffffffff600008, .name = "far",
	  .limit = 0xffffffffff601000 },
};

static void make_symtab(struct pp_symtab *ret, const struct pp_symbol *from, size_t nr)
{
	struct pp_symbol *copy = calloc(nr, sizeof(*copy));

	assert_non_null(copy);
	memcpy(copy, from, nr * sizeof(*copy));
	assert_int_equal(pp_symtab_make(ret, copy, nr), 0);
}

/* Write a table with the symbols above to a file. Return a descriptor of the file. */
static int write_table(void)
{
	static const struct pp_symbol stubs[] = {
		{ .start = 0x1000, .end = 0x1010, .name = "hidden@plt", .limit = 0x9000 },
		{ .start = 0x3000, .end = 0x3010, .name = "puts@plt", .limit = 0x9000 },
	};
	struct pp_elf_segment segments[] = { { 0x400000, 0, 0x800, 0 }, { 0x1000, 0x800, 0x3000, 1 } };
	struct pp_elf elf = {
		.fd = -1, .is64 = 1, .machine = 62, .segments = segments, .nr_segments = 2
	};
	struct pp_elf_symtab symtab = { .from = ".symtab" };
	struct pp_plt plt = { 0 };
	int fd = memfd_create("table", 0);

	assert_true(fd >= 0);
	make_symtab(&symtab.symtab, symbols, 4);
	make_symtab(&plt.symtab, stubs, 2);
	assert_int_equal(pp_kept_table_write(fd, &elf, &symtab, &plt), 0);
	pp_symtab_release(&symtab.symtab);
	pp_symtab_release(&plt.symtab);
	return fd;
}

static const char *name_at(const struct pp_kept_table *table, uint64_t vma)
{
	uint32_t i = pp_symtab_lookup(&table->symtab, vma);

	return i == PP_NO_SYMBOL ? "" : table->symtab.symbols[i].name;
}

static void cached_table_is_read_as_written(void **state)
{
	struct pp_kept_table table;
	uint64_t vma;
	int fd = write_table();

	(void)state;
	assert_true(lseek(fd, 0, SEEK_SET) == 0);
	assert_int_equal(pp_kept_table_read(&table, fd), 0);
	assert_string_equal(table.from, ".symtab");
	assert_int_equal(table.elf.machine, 62);
	assert_int_equal(table.symtab.nr, 5);
	assert_string_equal(name_at(&table, 0x1000), "plain");
	assert_string_equal(name_at(&table, 0x1048), "inside it");
	assert_string_equal(name_at(&table, 0x1050), "plain");
	assert_string_equal(name_at(&table, 0x1100), "");
	assert_string_equal(name_at(&table, 0x2008), "bad\n\\n\\name");
	assert_string_equal(name_at(&table, 0x3008), "puts@plt");
	assert_string_equal(name_at(&table, 0xffffffffff600004), "far");
	assert_int_equal(table.symtab.symbols[2].bind, PP_BIND_LOCAL);
	assert_int_equal(pp_elf_offset_to_vma(&table.elf, 0x900, &vma), 0);
	assert_int_equal(vma, 0x1100);
	pp_kept_table_release(&table);
	close(fd);
}

/* Return the size of a seal, which the daemon appends to a table to identify the binary. */
static off_t seal_size(void)
{
	int fd = memfd_create("seal", 0);
	off_t size;

	assert_int_equal(op_table_seal(fd), 0);
	size = lseek(fd, 0, SEEK_END);
	close(fd);
	return size;
}

static void truncated_table_is_refused(void **state)
{
	struct pp_kept_table table;
	int fd = write_table();
	off_t size = lseek(fd, 0, SEEK_END) - seal_size();

	(void)state;
	/* Truncate a table without its seal, because reports do not read the seal. */
	for (off_t cut = size - 1; cut >= 0; cut--) {
		assert_int_equal(ftruncate(fd, cut), 0);
		assert_true(lseek(fd, 0, SEEK_SET) == 0);
		assert_int_equal(pp_kept_table_read(&table, fd), -ENOEXEC);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cached_table_is_read_as_written),
		cmocka_unit_test(truncated_table_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
