// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_jit.c -- tests maps and dumps of JIT code: accepted and skipped functions, and the
 * function that owns an address. */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "pp/image/jit.h"
#include "pp/tool/console.h"

static int parse(struct pp_jit *jit, int (*fn)(struct pp_jit *jit), const void *data, size_t size)
{
	int err;

	*jit = (struct pp_jit){ .data = malloc(size + 1), .size = size };
	memcpy(jit->data, data, size);
	jit->data[size] = '\0';
	err = fn(jit);
	return err ? err : pp_jit_finish(jit);
}

static const char *name_at(const struct pp_jit *jit, uint64_t vma)
{
	uint32_t i = pp_symtab_lookup(&jit->symtab, vma);

	return i == PP_NO_SYMBOL ? "none" : jit->symtab.symbols[i].name;
}

static void perf_maps_are_parsed(void **state)
{
	static const char text[] = "1000 100 first\n2000 10 a name with blanks\r\n"
				   "10c0 20 inside, later\n3000 0 empty\n 4000 10 blank\n"
				   "5000 10\n0x6000 10 with prefix\n7000 10 \n"
				   "ffffffffffffffff 10 wraps\n9000\t20\ttabs\n8000 10 cut";
	struct pp_jit jit;

	(void)state;
	assert_int_equal(parse(&jit, pp_perf_map_parse, text, sizeof(text) - 1), 0);
	/* The function "replaced" is not found, because later code has overwritten it
	 * completely. */
	assert_string_equal(name_at(&jit, 0x1000), "none");
	assert_string_equal(name_at(&jit, 0x10c0), "inside, later");
	assert_string_equal(name_at(&jit, 0x10df), "inside, later");
	assert_string_equal(name_at(&jit, 0x10e0), "none");
	assert_string_equal(name_at(&jit, 0x200f), "a name with blanks");
	/* Code without a size ends at the next function. */
	assert_string_equal(name_at(&jit, 0x3000), "empty");
	assert_string_equal(name_at(&jit, 0x3fff), "empty");
	assert_string_equal(name_at(&jit, 0x400f), "blank");
	assert_string_equal(name_at(&jit, 0x901f), "tabs");
	assert_string_equal(name_at(&jit, 0x7000), "none");
	assert_string_equal(name_at(&jit, 0x8000), "none");
	pp_jit_close(&jit);

	assert_int_equal(parse(&jit, pp_perf_map_parse, "nonsense\n", 9), -EINVAL);
	pp_jit_close(&jit);
	assert_int_equal(parse(&jit, pp_perf_map_parse, "", 0), 0);
	assert_int_equal(jit.nr_codes, 0);
	pp_jit_close(&jit);
	/* Code without a size at the last address is skipped, because no byte follows. */
	assert_int_equal(parse(&jit, pp_perf_map_parse, "ffffffffffffffff 0 last\n", 24), 0);
	assert_int_equal(jit.nr_codes, 0);
	pp_jit_close(&jit);
}

static void functions_without_size_end_at_next_function(void **state)
{
	static const char text[] = "1000 0 first\n2000 0 old\n2000 0 new\n3000 10 sized\n900000 0 last\nffffffffffffff00 0 end\n";
	struct pp_jit jit;

	(void)state;
	assert_int_equal(parse(&jit, pp_perf_map_parse, text, sizeof(text) - 1), 0);
	assert_string_equal(name_at(&jit, 0x1000), "first");
	assert_string_equal(name_at(&jit, 0x1fff), "first");
	assert_string_equal(name_at(&jit, 0x2fff), "new");
	assert_string_equal(name_at(&jit, 0x300f), "sized");
	assert_string_equal(name_at(&jit, 0x3010), "none");
	assert_string_equal(name_at(&jit, 0x90ffff), "last");
	/* The last function has a limited size. */
	assert_string_equal(name_at(&jit, 0x910000), "none");
	assert_string_equal(name_at(&jit, 0xffffffffffffff80), "end");
	pp_jit_close(&jit);
}

static void later_functions_replace_earlier(void **state)
{
	static const char text[] = "1000 100 old\n1080 100 newer\n1100 100 newest\n"
				   "900 50 apart\n1000 20 back again\n";
	struct pp_jit jit;

	(void)state;
	assert_int_equal(parse(&jit, pp_perf_map_parse, text, sizeof(text) - 1), 0);
	assert_string_equal(name_at(&jit, 0x920), "apart");
	assert_string_equal(name_at(&jit, 0x1010), "back again");
	assert_string_equal(name_at(&jit, 0x1050), "none");
	assert_string_equal(name_at(&jit, 0x1110), "newest");
	pp_jit_close(&jit);
}

/* A jitdump file in either byte order. */
struct dump {
	char bytes[1024];
	size_t size;
	int swap;
};

static void put(struct dump *d, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d->bytes[d->size + (d->swap ? n - 1 - i : i)] = value >> (8 * i);
	d->size += n;
}

static void put_text(struct dump *d, const char *text)
{
	memcpy(d->bytes + d->size, text, strlen(text) + 1);
	d->size += strlen(text) + 1;
}

static void put_header(struct dump *d)
{
	static const uint32_t header[] = { 0x4a695444, 1, 40, 62, 0, 7 };

	for (size_t i = 0; i < 6; i++)
		put(d, header[i], 4);
	put(d, 0, 8);
	put(d, 0, 8);
}

static void put_load(struct dump *d, uint64_t address, const char *name, const char *code)
{
	put(d, 0, 4);
	put(d, 56 + strlen(name) + 1 + strlen(code), 4);
	put(d, 1, 8);
	put(d, 7, 4);
	put(d, 7, 4);
	put(d, address, 8);
	put(d, address, 8);
	put(d, strlen(code), 8);
	put(d, 0, 8);
	put_text(d, name);
	put_text(d, code);
	d->size--;
}

static void put_move(struct dump *d, uint64_t from, uint64_t to, uint64_t size)
{
	put(d, 1, 4);
	put(d, 64, 4);
	put(d, 1, 8);
	put(d, 0, 8);
	put(d, to, 8);
	put(d, from, 8);
	put(d, to, 8);
	put(d, size, 8);
	put(d, 0, 8);
}

static void put_lines(struct dump *d, uint64_t address)
{
	size_t begin = d->size;

	put(d, 2, 4);
	put(d, 0, 4);
	put(d, 1, 8);
	put(d, address, 8);
	put(d, 3, 8);
	put(d, address, 8);
	put(d, 10, 4);
	put(d, 0, 4);
	put_text(d, "/src/a.js");
	put(d, address + 4, 8);
	put(d, 12, 4);
	put(d, 0, 4);
	put_text(d, "\xff");
	put(d, address + 6, 8);
	put(d, 1, 4);
	put(d, 0, 4);
	put_text(d, "/src/b.js");
	for (size_t i = 0, size = d->size - begin; i < 4; i++)
		d->bytes[begin + 4 + (d->swap ? 3 - i : i)] = size >> (8 * i);
}

static void jitdumps_of_both_byte_orders_are_parsed(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct dump d = { .swap = swap };
		struct pp_frame frame;
		char code[16];
		struct pp_jit jit;

		put_header(&d);
		put_lines(&d, 0x1000);
		put_load(&d, 0x1000, "compute", "12345678");
		put_load(&d, 0x2000, "mover", "abcd");
		put_move(&d, 0x2000, 0x3000, 4);
		put_move(&d, 0x9999, 0x4000, 4);	/* a move of unknown code is ignored */
		assert_int_equal(parse(&jit, pp_jitdump_parse, d.bytes, d.size), 0);
		assert_int_equal(jit.machine, 62);
		assert_string_equal(name_at(&jit, 0x1007), "compute");
		assert_string_equal(name_at(&jit, 0x1008), "none");
		assert_string_equal(name_at(&jit, 0x3003), "mover");
		assert_string_equal(name_at(&jit, 0x4000), "none");
		assert_int_equal(pp_jit_line(&jit, 0x1005, &frame), 1);
		assert_string_equal(frame.file, "/src/a.js");
		assert_int_equal(frame.line, 12);
		assert_int_equal(pp_jit_line(&jit, 0x1007, &frame), 1);
		assert_string_equal(frame.file, "/src/b.js");
		assert_int_equal(pp_jit_line(&jit, 0x3000, &frame), 0);
		assert_int_equal(pp_jit_code(&jit, 0x1006, code, sizeof(code)), 2);
		assert_memory_equal(code, "78", 2);
		assert_int_equal(pp_jit_code(&jit, 0x3001, code, 2), 2);
		assert_memory_equal(code, "bc", 2);
		pp_jit_close(&jit);

		/*
		 * A file that is truncated at any byte is refused, or its complete records are
		 * used.
		 */
		for (size_t size = 0; size < d.size; size++) {
			int err = parse(&jit, pp_jitdump_parse, d.bytes, size);

			assert_int_equal(err, size < 40 ? -EINVAL : 0);
			assert_true(jit.nr_codes <= 3);
			pp_jit_close(&jit);
		}
	}
}

/* Append the padding at the end of a record, and write the record's size. */
static void end_record(struct dump *d, size_t begin)
{
	while (d->size % 8)
		put(d, 0, 1);
	for (size_t i = 0, size = d->size - begin; i < 4; i++)
		d->bytes[begin + 4 + (d->swap ? 3 - i : i)] = size >> (8 * i);
}

static void put_agent_load(struct dump *d, uint64_t address, const char *name, size_t size, const char *code)
{
	size_t begin = d->size;

	put(d, 0, 8);
	put(d, 1, 8);
	put(d, address, 8);
	put(d, address, 8);
	put(d, size, 4);
	put(d, 0, 4);
	put_text(d, name);
	if (code) {
		put_text(d, code);
		d->size--;
	}
	end_record(d, begin);
}

static void put_agent_lines(struct dump *d, uint64_t address)
{
	size_t begin = d->size;

	put(d, d->swap ? 3ull << 32 : 3, 8);
	put(d, 1, 8);
	put(d, address, 8);
	put(d, 2, 4);
	put(d, 0, 4);
	put(d, address, 8);
	put(d, 10, 4);
	put_text(d, "a.java");
	put(d, address + 4, 8);
	put(d, 12, 4);
	put_text(d, "b.java");
	end_record(d, begin);
}

static void dumps_of_oprofile1_agents_are_parsed(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		static const uint32_t header[] = { 0x4f74496a, 1, 48, 9, 8, 0 };
		struct dump d = { .swap = swap };
		struct pp_frame frame;
		struct pp_jit jit;
		char code[16];

		for (size_t i = 0; i < 6; i++)
			put(&d, header[i], 4);
		put(&d, 1600000000, 8);
		put_text(&d, "elf64-x86-64");
		put(&d, 0, 3);
		put_agent_load(&d, 0x1000, "old", 8, "ABCDEFGH");
		put_agent_lines(&d, 0x1000);
		put_agent_load(&d, 0x2000, "compute", 8, "12345678");
		put_agent_lines(&d, 0x2000);
		put_agent_load(&d, 0x1000, "new", 0x100, NULL);
		assert_int_equal(parse(&jit, pp_agent_dump_parse, d.bytes, d.size), 0);
		assert_int_equal(jit.machine, 62);
		assert_string_equal(name_at(&jit, 0x2007), "compute");
		assert_string_equal(name_at(&jit, 0x2008), "none");
		assert_string_equal(name_at(&jit, 0x1004), "new");
		assert_false(pp_jit_line(&jit, 0x1004, &frame));
		assert_true(pp_jit_line(&jit, 0x2003, &frame));
		assert_string_equal(frame.file, "a.java");
		assert_true(pp_jit_line(&jit, 0x2004, &frame));
		assert_string_equal(frame.file, "b.java");
		assert_int_equal(frame.line, 12);
		assert_int_equal(pp_jit_code(&jit, 0x2006, code, sizeof(code)), 2);
		assert_memory_equal(code, "78", 2);
		assert_int_equal(pp_jit_code(&jit, 0x1000, code, sizeof(code)), 0);
		pp_jit_close(&jit);
		for (size_t size = 0; size < d.size; size++) {
			int err = parse(&jit, pp_agent_dump_parse, d.bytes, size);

			assert_int_equal(err, size < 48 ? -EINVAL : 0);
			pp_jit_close(&jit);
		}
	}
}

static void write_copy(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/jit/%s", dir, name);
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/*
 * A process inherits JIT code from its ancestors, but not from programs that the process itself
 * executed earlier.
 */
static void child_inherits_code_of_ancestors(void **state)
{
	char dir[] = "/tmp/test_jit.XXXXXX", command[64], path[64], *dirs[] = { dir };
	const struct pp_jit_places places = { dirs, 1, 0 };
	struct pp_console console;
	struct pp_jit jit;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/jit", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	pp_console_init(&console, "test", stderr);
	assert_int_equal(pp_jit_open(&jit, &places, 7, 0, &console.log), -ENOENT);

	write_copy(dir, "7.born", "6 28 2\n5 -1\n99 5 0\n");
	write_copy(dir, "5.map", "1000 10 five\n2000 10 five two\n5000 10 five five\n");
	write_copy(dir, "6.map", "1000 10 another program's\n");
	write_copy(dir, "6.2.map", "2000 10 six\n3000 10 six too\n2000 10 six after the fork\n");
	assert_int_equal(pp_jit_open(&jit, &places, 7, 0, &console.log), 0);
	assert_string_equal(name_at(&jit, 0x1000), "five");
	assert_string_equal(name_at(&jit, 0x2000), "six");
	assert_string_equal(name_at(&jit, 0x3000), "six too");
	pp_jit_close(&jit);

	/* After an exec, only JIT code of the new program applies. */
	write_copy(dir, "7.map", "3000 10 before\n4000 10 before too\n");
	write_copy(dir, "7.1.map", "4000 10 now\n");
	write_copy(dir, "6.2.dump", "no dump");
	assert_int_equal(pp_jit_open(&jit, &places, 7, 0, &console.log), 0);
	assert_string_equal(name_at(&jit, 0x1000), "five");
	assert_string_equal(name_at(&jit, 0x3000), "before");
	assert_string_equal(name_at(&jit, 0x4000), "before too");
	assert_string_equal(name_at(&jit, 0x5000), "five five");
	pp_jit_close(&jit);
	assert_int_equal(pp_jit_open(&jit, &places, 7, 1, &console.log), 0);
	assert_string_equal(name_at(&jit, 0x3000), "none");
	assert_string_equal(name_at(&jit, 0x4000), "now");
	pp_jit_close(&jit);
	assert_int_equal(pp_jit_open(&jit, &places, 7, 2, &console.log), -ENOENT);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_maps_are_parsed),
		cmocka_unit_test(functions_without_size_end_at_next_function),
		cmocka_unit_test(later_functions_replace_earlier),
		cmocka_unit_test(jitdumps_of_both_byte_orders_are_parsed),
		cmocka_unit_test(dumps_of_oprofile1_agents_are_parsed),
		cmocka_unit_test(child_inherits_code_of_ancestors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
