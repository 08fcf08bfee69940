// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_module_paths_nodes.c -- tests the numbering of call paths (module/paths/nodes.c): equal
 * paths have equal numbers, different paths different numbers, within the limits; frames chosen by
 * a hostile user are found as quickly as others; and one user cannot use up the space of others.
 */
#include "config.h"

#include "unit/check.h"

#include "paths/nodes.h"
#include "payer.h"
#include "waker.h"

#define BITS	12
#define MAX	(1u << BITS)

struct user_namespace init_user_ns;
struct cred sim_cred = { .user_ns = &init_user_ns };
static struct task_struct task;
struct task_struct *current = &task;

static struct oprofile_waker waker;

void *vzalloc(unsigned long size)
{
	return calloc(1, size);
}

void vfree(const void *p)
{
	free((void *)p);
}

/*
 * A stub of the kernel's random numbers: the same bytes in each run, because one hash key in
 * thousands distributes evenly growing offsets badly.
 */
void get_random_bytes(void *to, int size)
{
	static u64 next = 1;

	for (int i = 0; i < size; i++) {
		next = next * 6364136223846793005ull + 1442695040888963407ull;
		((u8 *)to)[i] = next >> 56;
	}
}

static void equal_paths_have_equal_numbers(void **state)
{
	struct oprofile_path_nodes n = { 0 };
	u32 number[1000], parent = OPROFILE_NO_NODE;

	(void)state;
	waker.urgent = false;
	assert_int_equal(oprofile_path_nodes_alloc(&n, BITS, &waker), 0);
	for (u32 i = 0; i < 1000; i++) {
		parent = number[i] = oprofile_path_node(&n, i % 10 ? parent : OPROFILE_NO_NODE, i % 7, i * 16);
		assert_int_not_equal(parent, OPROFILE_NO_NODE);
		for (u32 j = 0; j < i; j++)
			assert_int_not_equal(number[j], parent);
	}
	for (u32 i = 0; i < 1000; i++)
		assert_int_equal(oprofile_path_node(&n, i % 10 ? number[i - 1] : OPROFILE_NO_NODE, i % 7, i * 16), number[i]);
	assert_false(oprofile_path_nodes_nearly_full(&n) || waker.urgent);
	oprofile_path_nodes_release(&n);
}

static void number_of_nodes_is_limited(void **state)
{
	struct oprofile_path_nodes n = { 0 };
	u32 nr = 0;

	(void)state;
	waker.urgent = false;
	assert_int_equal(oprofile_path_nodes_alloc(&n, BITS, &waker), 0);
	for (u64 i = 0; i < 2 * MAX; i++)
		nr += oprofile_path_node(&n, OPROFILE_NO_NODE, 1, i * 4) != OPROFILE_NO_NODE;
	/* One of the MAX node numbers is reserved, so users get one less. */
	assert_int_equal(nr, MAX - 1);
	assert_true(oprofile_path_nodes_nearly_full(&n) && waker.urgent);
	oprofile_path_nodes_release(&n);
}

/*
 * Chosen frame offsets do not collide under the random hash key, although they collide under a
 * known multiplier or cancel the differences of their callers.
 */
static void chosen_offsets_do_not_collide(void **state)
{
	struct oprofile_path_nodes n = { 0 };
	u64 inverse = GOLDEN_RATIO_64;
	u32 nr = 0;

	(void)state;
	for (int i = 0; i < 6; i++)
		inverse *= 2 - GOLDEN_RATIO_64 * inverse;
	assert_true(inverse * GOLDEN_RATIO_64 == 1);
	for (int turn = 0; turn < 100; turn++) {
		assert_int_equal(oprofile_path_nodes_alloc(&n, BITS, &waker), 0);
		for (u64 i = 0; i < 500; i++) {
			nr += oprofile_path_node(&n, OPROFILE_NO_NODE, 1, (i * inverse) ^ 1ULL << 32) != OPROFILE_NO_NODE;
			nr += oprofile_path_node(&n, (u32)i, 1, (i ^ 1000) << 32) != OPROFILE_NO_NODE;
		}
		oprofile_path_nodes_release(&n);
	}
	assert_int_equal(nr, 100 * 1000);
}

/*
 * Add up to @nr new nodes as the user @uid, and return the number of nodes that were added. *@next:
 * offset of the next node.
 */
static u32 make_nodes(struct oprofile_path_nodes *n, u32 uid, u32 nr, u64 *next)
{
	u32 got = 0;

	sim_cred.uid.val = uid;
	while (nr--)
		got += oprofile_path_node(n, OPROFILE_NO_NODE, 1, (*next)++ * 4) != OPROFILE_NO_NODE;
	sim_cred.uid.val = 0;
	return got;
}

/* Nodes that a task of root makes for a task of a user are charged to the user. */
static void user_pays_for_nodes_of_others(void **state)
{
	struct oprofile_path_nodes n = { 0 };
	u64 next = 0;

	(void)state;
	assert_int_equal(oprofile_path_nodes_alloc(&n, BITS, &waker), 0);
	oprofile_path_nodes_pay_for(&n, 1000);
	assert_int_equal(make_nodes(&n, 0, MAX, &next), MAX / 4 * 3);
	oprofile_path_nodes_pay_end(&n);
	assert_int_equal(make_nodes(&n, 1000, 1, &next), 0);
	assert_int_equal(make_nodes(&n, 0, 1, &next), 1);
	oprofile_path_nodes_release(&n);
}

static void user_leaves_nodes_to_others(void **state)
{
	struct oprofile_path_nodes n = { 0 };
	u64 next = 0;

	(void)state;
	waker.urgent = false;
	assert_int_equal(oprofile_path_nodes_alloc(&n, BITS, &waker), 0);
	assert_int_equal(make_nodes(&n, 1000, MAX / 2, &next), MAX / 2);
	assert_false(oprofile_path_nodes_nearly_full(&n) || waker.urgent);
	/* The drain thread of the module is woken before the user reaches the limit of nodes. */
	assert_int_equal(make_nodes(&n, 1000, MAX / 8, &next), MAX / 8);
	assert_true(oprofile_path_nodes_nearly_full(&n) && waker.urgent);
	assert_int_equal(make_nodes(&n, 1000, MAX, &next), MAX / 8);
	/* A second user still gets nodes, and after both users have reached their limits, nodes are
	 * left for root. */
	assert_int_equal(make_nodes(&n, 1001, MAX, &next), MAX / 8 - 1);
	assert_int_equal(make_nodes(&n, 1002, MAX, &next), 0);
	assert_int_equal(make_nodes(&n, 0, MAX, &next), MAX / 8);
	oprofile_path_nodes_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_paths_have_equal_numbers),
		cmocka_unit_test(number_of_nodes_is_limited),
		cmocka_unit_test(chosen_offsets_do_not_collide),
		cmocka_unit_test(user_leaves_nodes_to_others),
		cmocka_unit_test(user_pays_for_nodes_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
