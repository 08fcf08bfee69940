// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_symbols.c -- tests the reduction of addresses' precision: an address is rounded
 * down, but never out of the function that contains it.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "intervals/store.h"
#include "intervals/symbols.h"

/* addresses and sizes of symbols: neighbouring, nested and overlapping symbols, a symbol without a
 * size, and a gap between the last two symbols */
static const struct {
	uint64_t start, size;
} symbols[] = {
	{ 0x401000, 0x105 }, { 0x401040, 0x10 }, { 0x401105, 0x7b }, { 0x401170, 0x90 },
	{ 0x401210, 0 }, { 0x401300, 0x203 },
};

#define NR_SYMBOLS	(sizeof(symbols) / sizeof(symbols[0]))
#define SEGMENT		0x401000u
#define OFFSET		0x1000u
#define SIZE		0x700u

struct fixture {
	char dir[64];
	int store;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[128];

	strcpy(f->dir, "/tmp/test_symbols.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(path, sizeof(path), "%s/.symbols", f->dir);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/.intervals", f->dir);
	assert_int_equal(mkdir(path, 0755), 0);
	f->store = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	close(f->store);
	snprintf(command, sizeof(command), "rm -rf %s", f->dir);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

/* Write the symbol table of @image to the directory @dir. @end: text of the last line of the
 * table. */
static void write_table(const struct fixture *f, const char *dir, const struct itv_image *image,
			const char *end)
{
	char name[OP_TABLE_NAME_SIZE], path[256];
	uint64_t last = 0;
	gzFile gz;

	assert_int_equal(op_table_name(name, &image->image.identity, image->image.mtime,
				       image->build_id, image->build_id_len), 0);
	snprintf(path, sizeof(path), "%s/%s", f->dir, dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", f->dir, dir, name);
	gz = gzopen(path, "wb");
	assert_non_null(gz);
	gzprintf(gz, "oprofile-symbols 1\nfrom .symtab\nsegment 0 0 500 -\n"
		 "segment %x %x %x x\nsymbols\n", SEGMENT, OFFSET, SIZE);
	for (size_t i = 0; i < NR_SYMBOLS; i++) {
		/*
		 * Insert a symbol name that is longer than the reader's buffer and contains text
		 * that looks like other lines of the table.
		 */
		gzprintf(gz, "%lx %lx g f%zu%*s end 2\n", (unsigned long)(symbols[i].start - last),
			 (unsigned long)symbols[i].size, i, i == 1 ? 600 : 1, "");
		last = symbols[i].start;
	}
	gzputs(gz, end);
	assert_int_equal(gzclose(gz), Z_OK);
}

/* Return a bit set of the symbols that contain a file offset. */
static unsigned int symbols_at(uint64_t offset)
{
	unsigned int set = 0;

	for (size_t i = 0; i < NR_SYMBOLS; i++) {
		uint64_t address = offset - OFFSET + SEGMENT;

		if (address >= symbols[i].start && address < symbols[i].start + symbols[i].size)
			set |= 1u << i;
	}
	return set;
}

static void addresses_are_rounded_within_functions(void **state)
{
	struct fixture *f = *state;
	struct itv_image image = {
		.image = { .name.path = (char *)"/bin/a", .identity = { 7, 1 }, .mtime = 3 },
	};
	unsigned int nr_lines = 0, nr_functions = 0;
	struct itv_symbols *s;
	struct itv_places places;

	write_table(f, OP_TABLES_DIR, &image, "end 6\n");
	assert_int_equal(itv_symbols_open(&s, f->store, 0), 0);
	places = itv_symbols_places(s);
	for (uint64_t at = 0; at < OFFSET + SIZE + 0x100; at++) {
		uint64_t line = places.replace(places.arg, &image, at, ITV_LINES);
		uint64_t function = places.replace(places.arg, &image, at, ITV_FUNCTIONS);

		assert_true(function <= line && line <= at);
		assert_int_equal(symbols_at(line), symbols_at(at));
		assert_int_equal(symbols_at(function), symbols_at(at));
		assert_true(at - line < 64);
		if (!symbols_at(at))
			assert_true(at - function < 4096);
		/* Rounding a rounded address again does not change the address. */
		assert_true(places.replace(places.arg, &image, line, ITV_LINES) == line);
		assert_true(places.replace(places.arg, &image, function, ITV_FUNCTIONS) ==
			    function);
		nr_lines += symbols_at(at) && line == at;
		nr_functions += symbols_at(at) && function == at;
	}
	/* number of ranges into which the symbols' starts and ends divide the code */
	assert_int_equal(nr_functions, 7);
	assert_true(nr_lines < 0x405 / 64 + 8);
	itv_symbols_close(s);
}

static void addresses_without_valid_table_stay(void **state)
{
	struct fixture *f = *state;
	struct itv_image image = {
		.image = { .name.path = (char *)"/bin/b", .identity = { 8, 1 } },
	};

	for (int i = 0; i < 3; i++) {
		struct itv_symbols *s;
		struct itv_places places;

		if (i)
			write_table(f, OP_TABLES_DIR, &image, i == 1 ? "end 9\n" : "");
		assert_int_equal(itv_symbols_open(&s, f->store, 0), 0);
		places = itv_symbols_places(s);
		assert_int_equal(places.replace(places.arg, &image, OFFSET + 9, ITV_FUNCTIONS),
				 OFFSET + 9);
		itv_symbols_close(s);
	}
}

/*
 * In a stripped program, which has segments but no symbols, addresses are rounded down to lines or
 * pages.
 */
static void addresses_without_symbols_are_rounded(void **state)
{
	struct fixture *f = *state;
	struct itv_image image = {
		.image = { .name.path = (char *)"/bin/d", .identity = { 10, 1 } },
	};
	char name[OP_TABLE_NAME_SIZE], path[256];
	struct itv_symbols *s;
	struct itv_places places;
	gzFile gz;

	assert_int_equal(op_table_name(name, &image.image.identity, 0, NULL, 0), 0);
	snprintf(path, sizeof(path), "%s/" OP_TABLES_DIR "/%s", f->dir, name);
	gz = gzopen(path, "wb");
	assert_non_null(gz);
	gzputs(gz, "oprofile-symbols 1\nfrom -\nsegment 401020 1020 9000 x\nsymbols\nend 0\n");
	assert_int_equal(gzclose(gz), Z_OK);
	assert_int_equal(itv_symbols_open(&s, f->store, 0), 0);
	places = itv_symbols_places(s);
	assert_int_equal(places.replace(places.arg, &image, 0x2345, ITV_LINES), 0x2340);
	assert_int_equal(places.replace(places.arg, &image, 0x2345, ITV_FUNCTIONS), 0x2000);
	assert_int_equal(places.replace(places.arg, &image, 0x1025, ITV_LINES), 0x1020);
	assert_int_equal(places.replace(places.arg, &image, 0x1fff, ITV_FUNCTIONS), 0x1020);
	assert_int_equal(places.replace(places.arg, &image, 0x1005, ITV_FUNCTIONS), 0x1005);
	itv_symbols_close(s);
}

static void tables_in_store_are_used(void **state)
{
	struct fixture *f = *state;
	struct itv_image image = {
		.image = { .name.path = (char *)"/bin/c", .identity = { 9, 1 } },
	};
	struct itv_symbols *s;
	struct itv_places places;

	write_table(f, OP_INTERVAL_TABLES_DIR, &image, "end 6\n");
	assert_int_equal(itv_symbols_open(&s, f->store, 0), 0);
	places = itv_symbols_places(s);
	assert_int_equal(places.replace(places.arg, &image, OFFSET + 9, ITV_FUNCTIONS), OFFSET);
	itv_symbols_close(s);
}

static void kernel_addresses_are_rounded_within_functions(void **state)
{
	static const char text[] = "oprofile-kernel-symbols 1\nrelease 6.1\nimage vmlinux 2000\n"
				   "0 T _stext\n100 t a\n1f01 T b\n3000 t made_at_run_time\n"
				   "image ext4 80\n10 t c\n";
	static const struct {
		const char *image;
		uint64_t at, line, function;
	} expected[] = {
		{ "vmlinux", 0xff, 0xc0, 0 }, { "vmlinux", 0x1f00, 0x1f00, 0x100 },
		{ "vmlinux", 0x1f02, 0x1f01, 0x1f01 }, { "vmlinux", 0x1fff, 0x1fc0, 0x1f01 },
		{ "vmlinux", 0x2001, 0x2001, 0x2001 }, { "vmlinux", 0x3001, 0x3001, 0x3001 },
		{ "ext4", 0x0f, 0x0f, 0x0f }, { "ext4", 0x7f, 0x40, 0x10 },
		{ "ext4", 0x80, 0x80, 0x80 }, { "xfs", 0x80, 0x80, 0x80 },
	};
	struct fixture *f = *state;
	struct itv_symbols *s;
	struct itv_places places;
	uint32_t kernel;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/kernel-symbols", f->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	fd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(itv_store_kernel(&kernel, f->store, fd), 0);
	close(fd);
	assert_int_equal(itv_symbols_open(&s, f->store, kernel), 0);
	places = itv_symbols_places(s);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct itv_image image = { .image = {
			.name = { .kind = OP_IMAGE_KERN, .path = (char *)expected[i].image },
			.is_kernel = true,
		} };

		assert_int_equal(places.replace(places.arg, &image, expected[i].at, ITV_LINES),
				 expected[i].line);
		assert_int_equal(places.replace(places.arg, &image, expected[i].at,
						ITV_FUNCTIONS), expected[i].function);
	}
	itv_symbols_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(addresses_are_rounded_within_functions,
						setup, teardown),
		cmocka_unit_test_setup_teardown(addresses_without_valid_table_stay, setup,
						teardown),
		cmocka_unit_test_setup_teardown(addresses_without_symbols_are_rounded, setup,
						teardown),
		cmocka_unit_test_setup_teardown(tables_in_store_are_used, setup, teardown),
		cmocka_unit_test_setup_teardown(kernel_addresses_are_rounded_within_functions,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
