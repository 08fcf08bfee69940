// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_symtab.c -- tests the look-up of the symbol at an address. */
#include "config.h"
#include "tests/unit/check.h"

#include "pp/image/symtab.h"

#define FUNC	PP_SYMBOL_FUNCTION
#define LABEL	PP_SYMBOL_LABEL
#define GLOBAL	PP_BIND_GLOBAL
#define LOCAL	PP_BIND_LOCAL
#define WEAK	PP_BIND_WEAK

static struct pp_symtab make_symtab(const struct pp_symbol *symbols, size_t nr)
{
	struct pp_symbol *copy = malloc((nr + 1) * sizeof(*copy));
	struct pp_symtab t;

	memcpy(copy, symbols, nr * sizeof(*copy));
	assert_int_equal(pp_symtab_make(&t, copy, nr), 0);
	return t;
}

#define MAKE(symbols) make_symtab(symbols, sizeof(symbols) / sizeof((symbols)[0]))

static const char *name_at(const struct pp_symtab *t, uint64_t vma)
{
	uint32_t i = pp_symtab_lookup(t, vma);

	return i == PP_NO_SYMBOL ? "-" : t->symbols[i].name;
}

static void symbol_ends_after_its_size(void **state)
{
	const struct pp_symbol s[] = {
		{ 0x100, 0x110, "f", 0x1000, FUNC, GLOBAL },
		{ 0x200, 0x280, "g", 0x1000, FUNC, LOCAL },
	};
	struct pp_symtab t = MAKE(s);

	(void)state;
	assert_string_equal(name_at(&t, 0xff), "-");
	assert_string_equal(name_at(&t, 0x100), "f");
	assert_string_equal(name_at(&t, 0x10f), "f");
	assert_string_equal(name_at(&t, 0x110), "-");
	assert_string_equal(name_at(&t, 0x1ff), "-");
	assert_string_equal(name_at(&t, 0x27f), "g");
	assert_string_equal(name_at(&t, 0x280), "-");
	assert_string_equal(name_at(&t, UINT64_MAX), "-");
	pp_symtab_release(&t);
}

/*
 * If several symbols have the same address, the look-up returns the name that programs call, not an
 * internal name of libc.
 */
static void public_alias_is_preferred(void **state)
{
	const struct pp_symbol s[] = {
		{ 0x100, 0x110, "ldexpf64x", 0x1000, FUNC, GLOBAL },
		{ 0x100, 0x110, "ldexpl", 0x1000, FUNC, WEAK },
		{ 0x200, 0x210, "fallocate64", 0x1000, FUNC, GLOBAL },
		{ 0x200, 0x210, "fallocate", 0x1000, FUNC, WEAK },
		{ 0x300, 0x310, "llseek", 0x1000, FUNC, PP_BIND_OLD },
		{ 0x300, 0x310, "lseek", 0x1000, FUNC, WEAK },
		{ 0x300, 0x310, "__lseek", 0x1000, FUNC, GLOBAL },
		{ 0x300, 0x310, "lseek64", 0x1000, FUNC, WEAK },
		{ 0x400, 0x410, "strtof64_l", 0x1000, FUNC, WEAK },
		{ 0x400, 0x410, "strtod_l", 0x1000, FUNC, WEAK },
		{ 0x400, 0x410, "__strtod_l", 0x1000, FUNC, GLOBAL },
		{ 0x500, 0x510, "crc64", 0x1000, FUNC, GLOBAL },
	};
	struct pp_symtab t = MAKE(s);

	(void)state;
	assert_string_equal(name_at(&t, 0x100), "ldexpl");
	assert_string_equal(name_at(&t, 0x200), "fallocate");
	assert_string_equal(name_at(&t, 0x300), "lseek");
	assert_string_equal(name_at(&t, 0x400), "strtod_l");
	assert_string_equal(name_at(&t, 0x500), "crc64");
	pp_symtab_release(&t);
}

static void symbol_without_size_ends_at_next(void **state)
{
	const struct pp_symbol s[] = {
		{ 0x100, 0x100, "f", 0x1000, FUNC, GLOBAL },
		{ 0x200, 0x200, "g", 0x1000, LABEL, LOCAL },
		{ 0x2000, 0x2000, "h", 0x2100, FUNC, LOCAL },
	};
	struct pp_symtab t = MAKE(s);

	(void)state;
	assert_string_equal(name_at(&t, 0x1ff), "f");
	assert_string_equal(name_at(&t, 0x200), "g");
	assert_string_equal(name_at(&t, 0xfff), "g");
	/* An address after the end of the section has no symbol. */
	assert_string_equal(name_at(&t, 0x1000), "-");
	assert_string_equal(name_at(&t, 0x20ff), "h");
	pp_symtab_release(&t);
}

static void usual_name_is_preferred(void **state)
{
	const struct pp_symbol s[] = {
		{ 0x100, 0x110, "__read", 0x1000, FUNC, GLOBAL },
		{ 0x100, 0x110, "read", 0x1000, FUNC, WEAK },
		{ 0x200, 0x210, "weak_name", 0x1000, FUNC, WEAK },
		{ 0x200, 0x210, "local_name", 0x1000, FUNC, LOCAL },
		{ 0x200, 0x210, "global_name_that_is_long", 0x1000, FUNC, GLOBAL },
		{ 0x300, 0x300, "a_label", 0x1000, LABEL, GLOBAL },
		{ 0x300, 0x340, "_function", 0x1000, FUNC, LOCAL },
		{ 0x400, 0x410, "_ZN1AC2Ev", 0x1000, FUNC, WEAK },
		{ 0x400, 0x410, "_ZN1AC1Ev", 0x1000, FUNC, WEAK },
		{ 0x500, 0x510, "longer", 0x1000, FUNC, GLOBAL },
		{ 0x500, 0x510, "short", 0x1000, FUNC, GLOBAL },
		{ 0x600, 0x600, "no_size", 0x1000, FUNC, GLOBAL },
		{ 0x600, 0x610, "__with_size", 0x1000, FUNC, GLOBAL },
	};
	struct pp_symtab t = MAKE(s);

	(void)state;
	assert_string_equal(name_at(&t, 0x100), "read");
	assert_string_equal(name_at(&t, 0x200), "global_name_that_is_long");
	assert_string_equal(name_at(&t, 0x300), "_function");
	assert_string_equal(name_at(&t, 0x400), "_ZN1AC1Ev");
	assert_string_equal(name_at(&t, 0x500), "short");
	assert_string_equal(name_at(&t, 0x600), "__with_size");
	pp_symtab_release(&t);
}

static void inner_function_splits_outer(void **state)
{
	const struct pp_symbol s[] = {
		{ 0x100, 0x200, "outer", 0x1000, FUNC, GLOBAL },
		{ 0x140, 0x160, "inner", 0x1000, FUNC, LOCAL },
		{ 0x150, 0x150, "label", 0x1000, LABEL, LOCAL },
		{ 0x180, 0x180, "entry", 0x1000, FUNC, GLOBAL },
		{ 0x1f0, 0x220, "overlaps", 0x1000, FUNC, GLOBAL },
	};
	struct pp_symtab t = MAKE(s);

	(void)state;
	assert_string_equal(name_at(&t, 0x13f), "outer");
	assert_string_equal(name_at(&t, 0x140), "inner");
	/* A label inside a function does not count as a function. */
	assert_string_equal(name_at(&t, 0x150), "inner");
	assert_string_equal(name_at(&t, 0x160), "outer");
	/* A symbol without type and size at an entry point counts as a function. */
	assert_string_equal(name_at(&t, 0x180), "entry");
	assert_string_equal(name_at(&t, 0x1ef), "entry");
	assert_string_equal(name_at(&t, 0x1f0), "overlaps");
	assert_string_equal(name_at(&t, 0x21f), "overlaps");
	assert_string_equal(name_at(&t, 0x220), "-");
	pp_symtab_release(&t);
}

static void ends_of_address_space_are_found(void **state)
{
	const struct pp_symbol s[] = {
		{ 0, 0, "zero", 0x10, FUNC, GLOBAL },
		{ UINT64_MAX - 1, UINT64_MAX - 1, "last", UINT64_MAX, FUNC, GLOBAL },
	};
	struct pp_symtab t = MAKE(s);
	struct pp_symtab empty = make_symtab(s, 0);

	(void)state;
	assert_string_equal(name_at(&t, 0), "zero");
	assert_string_equal(name_at(&t, 0x10), "-");
	assert_string_equal(name_at(&t, UINT64_MAX - 1), "last");
	assert_string_equal(name_at(&empty, 0), "-");
	pp_symtab_release(&t);
	pp_symtab_release(&empty);
}

static void unusable_names_are_refused(void **state)
{
	(void)state;
	assert_false(pp_symbol_name_usable(""));
	assert_false(pp_symbol_name_usable("$x"));
	assert_false(pp_symbol_name_usable("$d.12"));
	assert_false(pp_symbol_name_usable(".Lloop"));
	assert_false(pp_symbol_name_usable("_etext"));
	assert_true(pp_symbol_name_usable("$xyz"));
	assert_true(pp_symbol_name_usable("$"));
	assert_true(pp_symbol_name_usable("main"));
}

/* Return the innermost symbol, found by examining all symbols: the last one that starts before the
 * address and covers it. */
static const char *name_by_scan(const struct pp_symbol *s, size_t nr, uint64_t vma)
{
	const struct pp_symbol *best = NULL;

	for (size_t i = 0; i < nr; i++)
		if (s[i].start <= vma && vma < s[i].end && (!best || s[i].start >= best->start))
			best = &s[i];
	return best ? best->name : "-";
}

/* In tables of distinct, nested symbols, both sparse and dense, the look-up and a linear scan
 * return the same names. */
static void random_tables_equal_linear_lookup(void **state)
{
	static struct pp_symbol s[64];
	static char names[64][8];

	(void)state;
	srand(1);
	for (int round = 0; round < 2000; round++) {
		size_t nr = 1 + rand() % 64;
		uint64_t gap = 1ull << (rand() % 40);
		uint64_t vma = rand();

		for (size_t i = 0; i < nr; i++) {
			snprintf(names[i], sizeof(names[i]), "s%zu", i);
			vma += 1 + rand() % gap;
			s[i] = (struct pp_symbol){vma,	    vma + 1 + rand() % (3 * gap),
						  names[i], UINT64_MAX,
						  FUNC,	    GLOBAL};
		}
		/*
		 * The extents of symbols are nested: an inner symbol does not end after the outer
		 * symbol.
		 */
		for (size_t i = 0; i < nr; i++)
			for (size_t j = i + 1; j < nr; j++)
				if (s[j].start < s[i].end && s[j].end > s[i].end)
					s[j].end = s[i].end;
		struct pp_symtab t = make_symtab(s, nr);

		for (size_t i = 0; i < nr; i++) {
			uint64_t try[] = { s[i].start - 1, s[i].start, s[i].end - 1, s[i].end,
					   s[i].start + rand() % gap };

			for (size_t k = 0; k < sizeof(try) / sizeof(try[0]); k++)
				assert_string_equal(name_at(&t, try[k]),
						    name_by_scan(s, nr, try[k]));
		}
		pp_symtab_release(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbol_ends_after_its_size),
		cmocka_unit_test(public_alias_is_preferred),
		cmocka_unit_test(symbol_without_size_ends_at_next),
		cmocka_unit_test(usual_name_is_preferred),
		cmocka_unit_test(inner_function_splits_outer),
		cmocka_unit_test(ends_of_address_space_are_found),
		cmocka_unit_test(unusable_names_are_refused),
		cmocka_unit_test(random_tables_equal_linear_lookup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
