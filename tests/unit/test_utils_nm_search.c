// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_utils_nm_search.c -- tests the search for the symbol at an address in the output of `nm -n`.
 */
#include "config.h"
#include "utils/addr2func/nm_search.h"

#include <inttypes.h>
#include <stdbool.h>

#include "tests/unit/check.h"

#define LINES	200000

struct list {
	char *text;
	size_t len;
	uint64_t *addresses;
};

struct bytes {
	const char *at;
	size_t len;		/* number of bytes of the text that are searched */
};

static long read_bytes(void *arg, uint64_t at, void *buf, size_t len)
{
	const struct bytes *bytes = arg;

	if (at >= bytes->len)
		return 0;
	len = len < bytes->len - at ? len : bytes->len - at;
	memcpy(buf, bytes->at + at, len);
	return len;
}

/*
 * Write a sorted list: symbols without an address, then names of 1 to 300 characters, some at equal
 * addresses.
 */
static void make_list(struct list *l, bool padded)
{
	uint64_t address = 0x1000;
	FILE *f = open_memstream(&l->text, &l->len);

	assert_non_null(f);
	l->addresses = calloc(LINES, sizeof(*l->addresses));
	assert_non_null(l->addresses);
	for (int i = 0; i < 50; i++)
		fprintf(f, padded ? "%-40s\n" : "%s\n", "                 U puts");
	for (unsigned int i = 0; i < LINES; i++) {
		int width = padded ? 12 : i % 97 ? 1 + i * 7 % 20 : 300;

		l->addresses[i] = address;
		fprintf(f, "%016" PRIx64 " T f%0*u%s\n", address, width, i, padded ? "         " : "");
		address += i % 5 ? i * 2654435761u % 200 : 0;
	}
	fclose(f);
}

static void test_search_equals_scan(void **state)
{
	(void)state;
	for (int padded = 0; padded < 2; padded++) {
		struct list l;
		struct nm_text text;
		size_t most = 0, at = 0;
		struct bytes bytes;

		make_list(&l, padded);
		bytes = (struct bytes){ l.text, l.len };
		text = (struct nm_text){ read_bytes, &bytes, l.len, 0 };
		for (uint64_t pc = 0; pc < l.addresses[LINES - 1] + 1000; pc += 1 + pc % 61) {
			char name[400];
			size_t len;

			while (at < LINES && l.addresses[at] <= pc)
				at++;
			text.looked = 0;
			len = nm_search(&text, pc, name, sizeof(name) - 1);
			name[len] = '\0';
			most = text.looked > most ? text.looked : most;
			assert_int_equal(len > 0, at > 0);
			if (!len)
				continue;
			assert_int_equal(name[0], 'f');
			assert_int_equal(strtoul(name + 1, NULL, 10), at - 1);
			assert_true(len >= 2 && name[len - 1] >= '0' && name[len - 1] <= '9');
		}
		/* A search reads at most log2(number of bytes) lines of the list. */
		assert_in_range(most, 1, 26);
		free(l.text);
		free(l.addresses);
	}
}

static void test_edge_cases_are_searched(void **state)
{
	static const struct { const char *text; uint64_t pc; const char *name; } cases[] = {
		{ "", 1, NULL }, { "\n", 1, NULL }, { "\n\n\n", 1, NULL }, { "1 T a", 0, NULL }, { "1 T a", 1, "a" },
		{ "1 T a\n", UINT64_MAX, "a" }, { "1 T a\n2 T b", 1, "a" }, { "1 T a\n2 T b", 2, "b" },
		{ "1 T a\n1 W b\n2 T c\n", 1, "b" }, { "1 T operator new(unsigned long)\n", 5, "operator new(unsigned long)" },
		{ "         U x\n1 T a  \n", 7, "a" }, { "1\n", 1, NULL }, { "1 T\n", 1, NULL }, { "zzz\n1 T a\n", 1, "a" },
		{ "ffffffffffffffff T end\n", UINT64_MAX, "end" }, { "11111111111111111 T x\n", 1, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes bytes = { cases[i].text, strlen(cases[i].text) };
		struct nm_text text = { read_bytes, &bytes, bytes.len, 0 };
		char name[40];
		size_t len = nm_search(&text, cases[i].pc, name, sizeof(name));

		assert_int_equal(len, cases[i].name ? strlen(cases[i].name) : 0);
		if (len)
			assert_memory_equal(name, cases[i].name, len);
	}
}

/* A search in unsorted, damaged or truncated text ends, and may return any name or no name. */
static void test_damaged_text_ends_search(void **state)
{
	uint64_t n = 88172645463325252ULL;
	char damaged[400];

	(void)state;
	for (int turn = 0; turn < 100000; turn++) {
		struct bytes bytes = { damaged, 1 + turn % sizeof(damaged) };
		struct nm_text text = { read_bytes, &bytes, bytes.len, 0 };
		char name[8];

		for (size_t i = 0; i < text.len; i++) {
			n = n * 6364136223846793005ULL + 1442695040888963407ULL;
			damaged[i] = "0123456789abcdefT f\n"[n >> 32 & 15 ? (n >> 40) % 20 : 19];
		}
		if (turn % 3 == 0)
			bytes.len /= 2;
		assert_true(nm_search(&text, n, name, sizeof(name)) <= sizeof(name));
		assert_true(text.looked <= text.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search_equals_scan),
		cmocka_unit_test(test_edge_cases_are_searched),
		cmocka_unit_test(test_damaged_text_ends_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
