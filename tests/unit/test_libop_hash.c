// SPDX-License-Identifier: GPL-2.0-or-later
/* test_libop_hash.c -- tests the hash table against an array of the expected contents. */
#include "config.h"
#include "libop/base/hash.h"

#include "tests/unit/check.h"

#define MAX	2000

struct thing {
	struct op_hash_link link;
	unsigned int n;
	bool in;
};

static struct thing *to_thing(struct op_hash_link *link)
{
	return (struct thing *)link;
}

/* Return the hash of thing @n: ten consecutive things have the same hash. */
static uint64_t hash_of(unsigned int n)
{
	return op_hash_number(OP_HASH_BEGIN, n / 10);
}

static void check_all(const struct op_hash_table *t, struct thing *things)
{
	struct op_hash_link *link;
	size_t nr = 0, seen = 0, i;

	for (unsigned int n = 0; n < MAX; n++) {
		bool found = false;

		for (link = op_hash_first(t, hash_of(n)); link; link = op_hash_next(link)) {
			assert_int_equal(to_thing(link)->n / 10, n / 10);
			found |= to_thing(link) == &things[n];
		}
		assert_int_equal(found, things[n].in);
		nr += found;
	}
	assert_int_equal(t->nr, nr);
	op_hash_for_each(t, i, link) {
		assert_true(to_thing(link)->in);
		seen++;
	}
	assert_int_equal(seen, nr);
}

static bool is_odd(struct op_hash_link *link, void *arg)
{
	struct thing *thing = to_thing(link);

	(void)arg;
	if (thing->n % 2 == 0)
		return false;
	thing->in = false;
	/* overwrite the removed link, as if its memory were reused */
	memset(link, 0xa5, sizeof(*link));
	return true;
}

static void test_table_equals_array_model(void **state)
{
	struct thing *things = calloc(MAX, sizeof(*things));
	struct op_hash_table t;
	unsigned int random = 1;

	(void)state;
	assert_non_null(things);
	assert_int_equal(op_hash_init(&t), 0);
	check_all(&t, things);
	for (unsigned int n = 0; n < MAX; n++)
		things[n].n = n;
	for (unsigned int i = 0; i < 20 * MAX; i++) {
		struct thing *thing;

		random = random * 1103515245 + 12345;
		thing = &things[(random >> 8) % MAX];
		if (thing->in)
			op_hash_remove(&t, &thing->link);
		else
			op_hash_add(&t, &thing->link, hash_of(thing->n));
		thing->in = !thing->in;
		if (i % MAX == 0)
			check_all(&t, things);
	}
	op_hash_filter(&t, is_odd, NULL);
	check_all(&t, things);
	op_hash_release(&t);
	free(things);
}

/*
 * The hash function returns the published values of FNV-1a, because file names and identities on
 * disk depend on them.
 */
static void test_hash_is_fnv1a(void **state)
{
	(void)state;
	assert_true(op_hash_text(OP_HASH_BEGIN, "") == 0xcbf29ce484222325u);
	assert_true(op_hash_text(OP_HASH_BEGIN, "a") == 0xaf63dc4c8601ec8cu);
	assert_true(op_hash_bytes(OP_HASH_BEGIN, "foobar", 6) == 0x85944171f73967e8u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_equals_array_model),
		cmocka_unit_test(test_hash_is_fnv1a),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
