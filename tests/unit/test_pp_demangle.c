// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_demangle.c -- tests names whose demangled form is extremely long or takes too much
 * time. */
#include "config.h"
#include "tests/unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "pp/image/demangle.h"

struct fixture {
	struct pp_demangler demangler;
	struct pp_block *strings;
};

static int setup(void **state)
{
	const struct rlimit memory = { 1u << 30, RLIM_INFINITY };
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	setrlimit(RLIMIT_DATA, &memory);
	pp_demangler_init(&f->demangler, &f->strings);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pp_demangler_release(&f->demangler);
	pp_block_free(f->strings);
	free(f);
	return 0;
}

/* Write the @i-th back reference ("substitution") of a mangled name. */
static void put_substitution(char *to, int i)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (!i)
		strcpy(to, "S_");
	else if (i <= 36)
		sprintf(to, "S%c_", digits[i - 1]);
	else
		sprintf(to, "S%c%c_", digits[(i - 1) / 36], digits[(i - 1) % 36]);
}

/*
 * Write a mangled name whose demangled form doubles with each level: a template of two arguments,
 * each of which is the template of the level below.
 */
static void make_doubling_name(char name[2000], int nr, int levels)
{
	size_t len = sprintf(name, "_Z7bomb%03d1pI1a1aE", nr);

	for (int i = 0; i < levels; i++) {
		char s[8];

		put_substitution(s, i + 2);
		len += sprintf(name + len, "S_I%s%sE", s, s);
	}
}

/*
 * Write a mangled name that takes the demangler 2^@levels steps: conversion operators whose
 * template arguments it parses twice at each level.
 */
static void make_exponential_name(char name[2000], int nr, int levels)
{
	size_t len = sprintf(name, "_ZN4A%03dcv", nr);

	for (int i = 0; i < levels; i++)
		len += sprintf(name + len, "T_I");
	name[len++] = 'i';
	memset(name + len, 'E', levels);
	strcpy(name + len + levels, "Ev");
}

static void expect_unchanged(struct fixture *f, const char *name)
{
	size_t before = f->demangler.nr_given_up;

	assert_string_equal(pp_demangle(&f->demangler, name, PP_DEMANGLE_NORMAL), name);
	assert_string_equal(pp_demangle(&f->demangler, name, PP_DEMANGLE_SMART), name);
	assert_int_equal(f->demangler.nr_given_up, before + 2);
	/* The second call returns the result that the first call has stored. */
	assert_string_equal(pp_demangle(&f->demangler, name, PP_DEMANGLE_NORMAL), name);
	assert_int_equal(f->demangler.nr_given_up, before + 2);
}

static void expect_demangled(struct fixture *f, const char *name, const char *text)
{
	assert_string_equal(pp_demangle(&f->demangler, name, PP_DEMANGLE_NORMAL), text);
}

static void names_with_long_text_stay_mangled(void **state)
{
	char name[2000];
	size_t len;

	make_doubling_name(name, 1, 10);
	len = strlen(pp_demangle(&((struct fixture *)*state)->demangler, name, PP_DEMANGLE_NORMAL));
	assert_in_range(len, 1000, PP_MAX_DEMANGLED);
	make_doubling_name(name, 2, 40);
	expect_unchanged(*state, name);
	expect_demangled(*state, "_ZN3foo3barEi", "foo::bar(int)");
}

static void endless_rust_names_stay_mangled(void **state)
{
	static const char name[] = "_RINvC1a1fFGzzzzzz_uEuE";

	/* A name with a huge number of lifetimes stays mangled, because printing all lifetimes
	 * would take forever. */
	expect_unchanged(*state, name);
}

#ifndef __SANITIZE_ADDRESS__	/* ASan replaces realloc() itself */
/* whether each realloc() takes 20 ms of CPU time */
static bool is_realloc_slow;
static volatile int nr_in_realloc;

extern void *__libc_realloc(void *p, size_t size);

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Replace realloc() of the C library in the whole process, including the demangler's library. */
void *realloc(void *p, size_t size)
{
	long end = cpu_ms() + 20;

	nr_in_realloc++;
	while (is_realloc_slow && cpu_ms() < end)
		;
	p = __libc_realloc(p, size);
	nr_in_realloc--;
	return p;
}

/* Demangling is not aborted inside realloc(): libiberty allocates memory for each character of an
 * identifier in this form. */
static void rust_demangling_is_not_aborted_inside_realloc(void **state)
{
	static const char name[] = "_RINvC7example3runCu23a8e1e7f9goiqjqkolwmrnyoE";

	is_realloc_slow = true;
	expect_unchanged(*state, name);
	is_realloc_slow = false;
	assert_int_equal(nr_in_realloc, 0);
}
#endif

static void slow_names_stay_mangled(void **state)
{
	char name[2000];

	make_exponential_name(name, 1, 200);
	expect_unchanged(*state, name);
	expect_demangled(*state, "_ZN3foo3barEi", "foo::bar(int)");
}

/* A thousand slow names take no longer than a few slow names, because all names share one time
 * limit. */
static void slow_names_share_one_time_limit(void **state)
{
	struct fixture *f = *state;
	char (*names)[2000] = calloc(1000, sizeof(*names));

	for (int i = 0; i < 1000; i++) {
		make_exponential_name(names[i], i, 100);
		assert_string_equal(pp_demangle(&f->demangler, names[i], PP_DEMANGLE_NORMAL), names[i]);
	}
	assert_int_equal(f->demangler.nr_given_up, 1000);
	assert_int_equal(f->demangler.time, 0);
	free(names);
}

static void long_names_share_one_memory_limit(void **state)
{
	struct fixture *f = *state;
	char (*names)[2000] = calloc(1000, sizeof(*names));
	size_t mangled = 0, text = 0;

	for (int i = 0; i < 1000; i++) {
		make_doubling_name(names[i], i, 20);
		text += strlen(pp_demangle(&f->demangler, names[i], PP_DEMANGLE_NORMAL));
		mangled += strlen(names[i]);
	}
	assert_true(f->demangler.nr_given_up > 0);
	assert_in_range(text, 1u << 20, (16u << 20) + 17 * mangled);
	free(names);
}

static void ocaml_names_are_demangled(void **state)
{
	expect_demangled(*state, "camlStdlib__List__map_355", "Stdlib.List.map_355");
	expect_demangled(*state, "camlStdlib.List.map_355", "Stdlib.List.map_355");
	expect_demangled(*state, "camlMain__$2b$2e_91", "Main.+._91");
	expect_demangled(*state, "camlMain__x$3", "Main.x$3");
	expect_demangled(*state, "camlMain__odd$00$zz", "Main.odd$00$zz");
	expect_demangled(*state, "camlMain__", "Main__");
	expect_demangled(*state, "caml_alloc_small", "caml_alloc_small");
	expect_demangled(*state, "camlCase", "camlCase");
}

static void d_names_are_demangled(void **state)
{
	expect_demangled(*state, "_D3app4workFiZv", "app.work");
	expect_demangled(*state, "_D3app5Thing6methodMxFNaNbZi", "app.Thing.method");
	expect_demangled(*state, "_D3app5Thing6__ctorMFiZC", "app.Thing.this");
	expect_demangled(*state, "_D3app5Thing6__dtorMFZv", "app.Thing.~this");
}

/* A symbol of the language D stays mangled if its demangled name would be that of another
 * function. */
static void unsupported_d_names_stay_mangled(void **state)
{
	static const char *const names[] = {
		"_D", "_Dmain", "_D3", "_D3app", "_D0F", "_D3ap", "_D03appFZv", "_D99999999999999999999appFZv", "_D4097appFZv",
		"_D3app4workF", "_D3app4workFZ6nestedMFiZv", "_D3app4workFC3app5ThingZv", "_D3app__T3sumTiZQhFiZi",
		"_D3app12__T3sumTiZ3sumFiZi", "_D3app4workFQeZv", "_D3app4dataAi", "_D3a.p4workFiZv",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_demangled(*state, names[i], names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_with_long_text_stay_mangled, setup, teardown),
		cmocka_unit_test_setup_teardown(endless_rust_names_stay_mangled, setup, teardown),
#ifndef __SANITIZE_ADDRESS__
		cmocka_unit_test_setup_teardown(rust_demangling_is_not_aborted_inside_realloc,
						setup, teardown),
#endif
		cmocka_unit_test_setup_teardown(ocaml_names_are_demangled, setup, teardown),
		cmocka_unit_test_setup_teardown(d_names_are_demangled, setup, teardown),
		cmocka_unit_test_setup_teardown(unsupported_d_names_stay_mangled, setup, teardown),
		cmocka_unit_test_setup_teardown(slow_names_stay_mangled, setup, teardown),
		cmocka_unit_test_setup_teardown(slow_names_share_one_time_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(long_names_share_one_memory_limit, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
