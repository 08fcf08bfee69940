// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_fold.c -- tests folding, which reduces the size of intervals by merging rare nodes
 * and names, against a naive algorithm.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "intervals/private.h"
#include "libop/base/id_ranges.h"
#include "tests/unit/intervals.h"

#define NONE	UINT32_MAX
#define ROUNDS	120

/* The nodes of an interval's trees, for the naive algorithm. */
struct naive {
	const struct itv *v;
	uint32_t *parent;
	uint64_t *total;
	bool *kept, *never;
};

static uint32_t naive_walk(struct naive *n, uint32_t node, uint32_t parent, bool never)
{
	const struct itv_node *it = &n->v->nodes[node];
	uint32_t next = node + 1;

	n->parent[node] = parent;
	n->never[node] = never || it->frame == ITV_FRAME_FOLDED;
	n->total[node] = it->count;
	for (uint32_t c = 0; c < it->nr_children; c++) {
		uint32_t child = next;

		next = naive_walk(n, child, node, n->never[node]);
		n->total[node] += n->total[child];
	}
	return next;
}

static void naive_init(struct naive *n, const struct itv *v)
{
	n->v = v;
	n->parent = calloc(v->nr_nodes + 1, sizeof(*n->parent));
	n->total = calloc(v->nr_nodes + 1, sizeof(*n->total));
	n->kept = calloc(v->nr_nodes + 1, sizeof(*n->kept));
	n->never = calloc(v->nr_nodes + 1, sizeof(*n->never));
	for (uint32_t i = 0; i < v->nr_trees; i++) {
		uint32_t node = v->trees[i].node;

		for (uint32_t r = 0; r < v->trees[i].nr_roots; r++)
			node = naive_walk(n, node, NONE, false);
	}
}

static void naive_release(struct naive *n)
{
	free(n->parent);
	free(n->total);
	free(n->kept);
	free(n->never);
}

/*
 * Return the number of kept nodes, plus the number of kept nodes that have a child that is not
 * kept.
 */
static uint32_t naive_cost(const struct naive *n)
{
	uint32_t cost = 0;

	for (uint32_t i = 0; i < n->v->nr_nodes; i++) {
		bool folded = false;

		for (uint32_t c = i + 1; c < n->v->nr_nodes; c++)
			folded |= n->parent[c] == i && !n->kept[c];
		cost += n->kept[i] ? 1 + folded : 0;
	}
	return cost;
}

/* Keep the node with the highest total of the nodes that are not kept yet, the first one if totals
 * are equal. Return this node, or NONE. */
static uint32_t naive_keep(struct naive *n)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < n->v->nr_nodes; i++) {
		if (!n->kept[i] && !n->never[i] && (best == NONE || n->total[i] > n->total[best]))
			best = i;
	}
	if (best != NONE)
		n->kept[best] = true;
	return best;
}

/*
 * Compare the paths of the folded interval with the paths of the nodes that the naive algorithm
 * keeps.
 */
static void naive_compare(const struct naive *n, const struct itv *result)
{
	struct itv expected = *n->v;
	struct model a = { 0 }, b = { 0 };

	/*
	 * In the model, the counts of nodes that are not kept belong to folded nodes: set them to 0
	 * here.
	 */
	expected.nodes = calloc(n->v->nr_nodes + 1, sizeof(*expected.nodes));
	memcpy(expected.nodes, n->v->nodes, n->v->nr_nodes * sizeof(*expected.nodes));
	expected.nr_groups = 0;
	for (uint32_t i = 0; i < n->v->nr_nodes; i++) {
		if (!n->kept[i])
			expected.nodes[i].count = 0;
	}
	model_add_interval(&a, &expected);
	free(expected.nodes);
	expected = *result;
	expected.nr_groups = 0;
	expected.nodes = calloc(result->nr_nodes + 1, sizeof(*expected.nodes));
	memcpy(expected.nodes, result->nodes, result->nr_nodes * sizeof(*expected.nodes));
	for (uint32_t i = 0; i < result->nr_nodes; i++) {
		if (expected.nodes[i].frame == ITV_FRAME_FOLDED)
			expected.nodes[i].count = 0;
	}
	model_add_interval(&b, &expected);
	free(expected.nodes);
	model_assert_equal(&a, &b);
}

/* Return the sum of the counts of the tree's nodes. */
static uint64_t tree_sum(const struct itv *v, uint32_t tree)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->trees[tree].nr_nodes; i++)
		sum += v->nodes[v->trees[tree].node + i].count;
	return sum;
}

static void check_fold(const struct itv *v, uint32_t max)
{
	struct naive n;
	struct itv folded = { 0 };
	uint32_t last = NONE, kept = 0, folded_nodes = 0;
	int fd = write_interval(v, 1);

	assert_int_equal(itv_file_read(&folded, fd, ITV_READ_ALL, 1 << 24), 0);
	close(fd);
	assert_int_equal(itv_fold_paths(&folded, max), 0);
	assert_int_equal(folded.nr_trees, v->nr_trees);
	for (uint32_t i = 0; i < v->nr_trees; i++)
		assert_true(tree_sum(v, i) == tree_sum(&folded, i));
	assert_true(folded.accounting.samples == v->accounting.samples);
	assert_int_equal(itv_sum(&folded), 0);
	assert_true(folded.accounting.paths == v->accounting.paths);
	naive_init(&n, v);
	if (v->nr_nodes > max) {
		while ((last = naive_keep(&n)) != NONE && naive_cost(&n) <= max)
			;
		if (last != NONE)
			n.kept[last] = false;
		naive_compare(&n, &folded);
		for (uint32_t i = 0; i < v->nr_nodes; i++)
			kept += n.kept[i];
		for (uint32_t i = 0; i < folded.nr_nodes; i++)
			folded_nodes += folded.nodes[i].frame == ITV_FRAME_FOLDED;
		assert_int_equal(folded.nr_nodes, kept + folded_nodes);
		assert_true(folded.nr_nodes <= max + v->nr_trees);
	} else {
		assert_same_files(v, &folded);
	}
	naive_release(&n);
	itv_release(&folded);
}

static void test_random_trees_equal_naive_fold(void **state)
{
	struct random r = { 8 };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct itv v;

		random_sorted(&r, &v);
		if (v.nr_nodes < 400) {
			check_fold(&v, 0);
			check_fold(&v, v.nr_nodes);
			check_fold(&v, random_below(&r, v.nr_nodes + 1));
			check_fold(&v, random_below(&r, v.nr_nodes / 4 + 1));
		}
		itv_release(&v);
	}
}

/* Folding an interval twice, and merging folded intervals, does not change the sums. */
static void test_folding_twice_keeps_sums(void **state)
{
	struct random r = { 9 };
	struct itv sum = { 0 };
	uint64_t paths = 0;

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct itv v;

		random_sorted(&r, &v);
		paths += v.accounting.paths;
		assert_int_equal(itv_fold_paths(&v, 20), 0);
		assert_int_equal(itv_merge(&sum, &v, NULL), 0);
		assert_int_equal(itv_fold_paths(&sum, 50), 0);
		assert_true(sum.nr_nodes <= 50 + sum.nr_trees);
		itv_release(&v);
	}
	assert_int_equal(itv_sum(&sum), 0);
	assert_true(sum.accounting.paths == paths);
	assert_true(sum.accounting.folded > 0);
	itv_release(&sum);
}

static uint64_t to_line(void *arg, const struct itv_image *image, uint64_t key,
			enum itv_precision precision)
{
	assert_null(arg);
	assert_non_null(image->image.name.path);
	return precision == ITV_LINES ? key & ~63ull : 0;
}

static const struct itv_places places = { .replace = to_line };

static void test_folded_addresses_keep_sums(void **state)
{
	struct random r = { 10 };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct model expected = { 0 }, result = { 0 };
		struct itv v, lines = { 0 };
		uint64_t samples, paths;
		bool changes = false;
		int fd;

		random_sorted(&r, &v);
		samples = v.accounting.samples;
		paths = v.accounting.paths;
		fd = write_interval(&v, 1);
		assert_int_equal(itv_file_read(&lines, fd, ITV_READ_ALL, 1 << 24), 0);
		close(fd);
		assert_int_equal(itv_fold_addresses(&lines, ITV_LINES, &places), 0);
		for (uint32_t n = 0; n < v.nr_cells; n++) {
			changes |= v.cells[n].key & 63;
			v.cells[n].key &= ~63ull;
		}
		for (uint32_t n = 0; n < v.nr_frames; n++) {
			if (!v.frames[n].image || v.frames[n].how >= 16)
				continue;
			changes |= v.frames[n].offset & 63;
			v.frames[n].offset &= ~63ull;
		}
		model_add_interval(&expected, &v);
		model_add_interval(&result, &lines);
		model_assert_equal(&expected, &result);
		assert_int_equal(lines.accounting.precision, changes ? ITV_LINES : ITV_ADDRESSES);
		for (uint32_t n = 0; n < lines.nr_cells; n++)
			changes |= lines.cells[n].key;
		assert_int_equal(itv_fold_addresses(&lines, ITV_FUNCTIONS, &places), 0);
		assert_int_equal(itv_fold_addresses(&lines, ITV_LINES, &places), 0);
		if (lines.nr_cells && changes)
			assert_true(lines.accounting.precision >= ITV_LINES);
		assert_true(lines.nr_cells <= lines.nr_groups);
		assert_int_equal(itv_sum(&lines), 0);
		assert_true(lines.accounting.samples == samples && lines.accounting.paths == paths);
		model_release(&expected);
		model_release(&result);
		itv_release(&lines);
		itv_release(&v);
	}
}

static uint64_t keep_address(void *arg, const struct itv_image *image, uint64_t key,
			     enum itv_precision precision)
{
	assert_null(arg);
	assert_non_null(image->image.name.path);
	assert_int_equal(precision, ITV_FUNCTIONS);
	return key;
}

/*
 * If the symbols are unknown, folding does not change addresses or the interval's recorded
 * precision.
 */
static void test_unknown_symbols_keep_addresses(void **state)
{
	static const struct itv_places nowhere = { .replace = keep_address };
	struct random r = { 12 };
	struct itv v;

	(void)state;
	random_sorted(&r, &v);
	assert_int_equal(itv_fold_addresses(&v, ITV_FUNCTIONS, &nowhere), 0);
	assert_int_equal(v.accounting.precision, ITV_ADDRESSES);
	itv_release(&v);
}

/* Return the number of samples of the image @path; set *@key to its last address. */
static uint64_t samples_of(const struct itv *v, const char *path, uint64_t *key)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->nr_groups; i++) {
		const struct itv_group *g = &v->groups[i];

		if (strcmp(v->images[g->image].image.name.path, path))
			continue;
		for (uint32_t n = g->cell; n < g->cell + g->nr_cells; n++) {
			sum += v->cells[n].count;
			*key = v->cells[n].key;
		}
	}
	return sum;
}

/*
 * Return the size of the names of images that can be folded: not the kernel's, and not "(more
 * programs)".
 */
static uint64_t bytes_of_names(const struct itv *v)
{
	struct itv_image *images = calloc(v->nr_images + 1, sizeof(*images));
	struct itv others = { .images = images };
	uint64_t bytes;

	assert_non_null(images);
	for (uint32_t i = 0; i < v->nr_images; i++)
		if (v->images[i].image.name.kind != OP_IMAGE_KERN && !v->images[i].image.is_kernel &&
		    strncmp(v->images[i].image.name.path, "/(", 2))
			images[others.nr_images++] = v->images[i];
	bytes = itv_names_bytes(&others);
	free(images);
	return bytes;
}

/* Return the number of different owners of images. */
static uint64_t count_owners(const struct itv *v)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < v->nr_images; i++) {
		uint32_t n = 0;

		while (v->images[n].image.identity.owner != v->images[i].image.identity.owner)
			n++;
		nr += n == i;
	}
	return nr;
}

static void test_folded_names_keep_sums(void **state)
{
	static const struct op_id_ranges no_ranges;
	struct random r = { 11 };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct model before = { 0 }, after = { 0 };
		uint64_t samples, paths, wakers, names, max, owners;
		struct itv v;

		random_sorted(&r, &v);
		owners = count_owners(&v);
		samples = v.accounting.samples;
		paths = v.accounting.paths;
		wakers = v.accounting.wakers;
		names = itv_names_bytes(&v);
		model_add_interval(&before, &v);
		assert_int_equal(itv_fold_names(&v, names, &no_ranges), 0);
		model_add_interval(&after, &v);
		model_assert_equal(&before, &after);
		model_release(&before);
		model_release(&after);
		max = random_below(&r, (uint32_t)names + 1);
		assert_int_equal(itv_fold_names(&v, max, &no_ranges), 0);
		assert_int_equal(itv_sum(&v), 0);
		assert_true(v.accounting.samples == samples && v.accounting.paths == paths);
		assert_true(v.accounting.wakers == wakers);
		/*
		 * A name that is shorter than its replacement "(more programs ...)" may be kept,
		 * which exceeds the limit. Programs of wakers have replacements of their own.
		 */
		assert_true(bytes_of_names(&v) <= max + (64 + 80) * owners);
		assert_true(itv_names_bytes(&v) <= names);
		itv_release(&v);
	}
}

#define MANY	1000

/*
 * Folding the many program names of one user keeps the names of other users, of root and of the
 * kernel, and the names of this user's programs with the most samples.
 */
static void test_names_of_other_users_are_kept(void **state)
{
	static struct itv_image images[MANY + 3];
	static struct itv_group groups[MANY + 3];
	static struct itv_cell cells[MANY + 3];
	static const struct op_id_range range = { 2000, 10 };
	const struct op_id_ranges ranges = { (struct op_id_range *)&range, 1 };
	struct itv_event event = { .name = (char *)"TIMER" };
	struct itv random = {
		.images = images, .groups = groups, .cells = cells, .events = &event,
		.nr_images = MANY + 3, .nr_groups = MANY + 3, .nr_cells = MANY + 3, .nr_events = 1,
	}, v = random;
	uint64_t key = 0;
	int fd;

	(void)state;
	for (uint32_t i = 0; i < MANY + 3; i++) {
		images[i].image.name.path = i < MANY ? model_text("/home/many/%08u", i) :
					    strdup(i == MANY ? "/home/few/program" :
						   i == MANY + 1 ? "/usr/bin/roots" : "vmlinux");
		images[i].image.name.kind = i == MANY + 2 ? OP_IMAGE_KERN : OP_IMAGE_ROOT;
		images[i].image.identity.build = 1;
		images[i].image.identity.owner = i < MANY ? 2001 + i % 10 : i == MANY ? 1001 : 1;
		groups[i] = (struct itv_group){ i, i, 0, OP_ALL, OP_ALL, OP_ALL, i, 1 };
		cells[i] = (struct itv_cell){ 100 + i, i < MANY ? 1000 + i : 1 };
	}
	memset(&v, 0, sizeof(v));
	assert_int_equal(itv_sorted_lists(&random, &v), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(itv_fold_names(&v, 1000, &ranges), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(samples_of(&v, "/home/few/program", &key), 1);
	assert_int_equal(key, 100 + MANY);
	assert_int_equal(samples_of(&v, "/usr/bin/roots", &key), 1);
	assert_int_equal(samples_of(&v, "vmlinux", &key), 1);
	assert_int_equal(key, 100 + MANY + 2);
	assert_int_equal(samples_of(&v, "/home/many/00000999", &key), 1999);
	assert_int_equal(key, 1099);
	assert_true(samples_of(&v, "/(more programs of user 2000)", &key) > 1000 * 900);
	assert_int_equal(key, 0);
	assert_true(v.nr_images > 10 && v.nr_images < 30);
	/* Folding again keeps the name that stands for the folded programs. */
	assert_int_equal(itv_fold_names(&v, 0, &ranges), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(v.nr_images, 4);
	fd = write_interval(&v, 1);
	close(fd);
	itv_release(&v);
	for (uint32_t i = 0; i < MANY + 3; i++)
		free(images[i].image.name.path);
}

/*
 * A program of root that wakes the many programs of a user, and programs of a user that wake a
 * program of root, keep their names: the user pays for the pairs.
 */
static void test_pairs_with_wakers_are_the_users(void **state)
{
	enum { NR = 3 * MANY + 2 };
	static struct itv_image images[NR];
	static struct itv_group groups[NR];
	static struct itv_cell cells[NR];
	static const struct op_id_ranges no_ranges;
	struct itv_event event = { .name = (char *)"TIMER" };
	struct itv random = {
		.images = images, .groups = groups, .cells = cells, .events = &event,
		.nr_images = NR, .nr_groups = NR, .nr_cells = NR, .nr_events = 1,
	}, v = { .nr_images = 0 };
	uint64_t key = 0;

	(void)state;
	for (uint32_t i = 0; i < NR; i++) {
		struct itv_image *image = &images[i];
		const bool is_root = i >= 2 * MANY;

		image->image.name.path = is_root ? strdup(i < NR - 1 ? "/sbin/server" : "/sbin/other") :
						   model_text("/home/many/%08u", i % MANY);
		if (i >= 2 * MANY && i < 3 * MANY)
			image->woken = model_text("/home/many/%08u", i % MANY);
		else if (i >= MANY && i < 2 * MANY)
			image->woken = strdup("/sbin/server");
		image->image.name.kind = OP_IMAGE_ROOT;
		image->image.identity.build = 1;
		image->image.identity.owner = is_root ? 1 : 1001;
		groups[i] = (struct itv_group){ i, i, 0, OP_ALL, OP_ALL, OP_ALL, i, 1 };
		cells[i] = (struct itv_cell){ 100 + i, i < 3 * MANY ? 1000 : 1 };
	}
	assert_int_equal(itv_sorted_lists(&random, &v), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(itv_fold_names(&v, 1000, &no_ranges), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(samples_of(&v, "/sbin/other", &key), 1);
	assert_int_equal(key, 100 + NR - 1);
	assert_int_equal(v.accounting.wakers, 2 * MANY * 1000);
	assert_int_equal(samples_of(&v, "/(more programs of user 0)", &key), 0);
	assert_true(samples_of(&v, "/(more programs of user 1000)", &key) > 2 * MANY * 1000);
	itv_release(&v);
	for (uint32_t i = 0; i < NR; i++) {
		free(images[i].image.name.path);
		free(images[i].woken);
	}
}

/*
 * A user who names programs like "(more programs ...)" in a user namespace cannot prevent folding.
 */
static void test_hostile_names_are_folded(void **state)
{
	static const struct op_id_ranges no_ranges;
	enum { NAMES = 1000 };
	static struct itv_image images[NAMES];
	static struct itv_group groups[NAMES];
	static struct itv_cell cells[NAMES];
	struct itv_event event = { .name = (char *)"TIMER", .count = 1 };
	const struct itv all = {
		.images = images, .events = &event, .groups = groups, .cells = cells,
		.nr_images = NAMES, .nr_events = 1, .nr_groups = NAMES, .nr_cells = NAMES,
	};
	struct itv v = { 0 };

	(void)state;
	for (uint32_t i = 0; i < NAMES; i++) {
		images[i].image.name.path = i % 2 ? model_text("/(1)/%04u", i) :
						    model_text("/(more programs of user %u)", i);
		images[i].image.identity.owner = i % 4 < 2 ? 1001 : 0;
		groups[i] = (struct itv_group){ i, i, 0, OP_ALL, OP_ALL, OP_ALL, i, 1 };
		cells[i] = (struct itv_cell){ i, 1 };
	}
	assert_int_equal(itv_sorted_lists(&all, &v), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(itv_fold_names(&v, 1000, &no_ranges), 0);
	assert_int_equal(itv_sum(&v), 0);
	assert_int_equal(v.accounting.samples, NAMES);
	assert_true(v.nr_images < 60);
	itv_release(&v);
	for (uint32_t i = 0; i < NAMES; i++)
		free(images[i].image.name.path);
}

/* A name is not folded if its replacement is longer. */
static void test_short_names_are_not_folded(void **state)
{
	static const struct op_id_ranges no_ranges;
	struct itv_image images[2] = {
		{ .image = { .name.path = (char *)"/bin/a", .identity = { 1, 1001 } } },
		{ .image = { .name.path = (char *)"/bin/b", .identity = { 2, 1002 } } },
	};
	struct itv_group groups[2] = {
		{ 0, 0, 0, OP_ALL, OP_ALL, OP_ALL, 0, 1 }, { 1, 1, 0, OP_ALL, OP_ALL, OP_ALL, 1, 1 },
	};
	struct itv_cell cells[2] = { { 7, 1 }, { 8, 1 } };
	struct itv_event event = { .name = (char *)"TIMER" };
	struct itv made = {
		.images = images, .groups = groups, .cells = cells, .events = &event,
		.nr_images = 2, .nr_groups = 2, .nr_cells = 2, .nr_events = 1,
	}, v = { .nr_images = 0 };
	uint64_t bytes, key = 0;

	(void)state;
	assert_int_equal(itv_sorted_lists(&made, &v), 0);
	bytes = itv_names_bytes(&v);
	assert_int_equal(itv_fold_names(&v, 0, &no_ranges), 0);
	assert_true(itv_names_bytes(&v) <= bytes);
	assert_int_equal(samples_of(&v, "/bin/a", &key), 1);
	assert_int_equal(key, 7);
	itv_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_trees_equal_naive_fold),
		cmocka_unit_test(test_folding_twice_keeps_sums),
		cmocka_unit_test(test_folded_addresses_keep_sums),
		cmocka_unit_test(test_unknown_symbols_keep_addresses),
		cmocka_unit_test(test_hostile_names_are_folded),
		cmocka_unit_test(test_short_names_are_not_folded),
		cmocka_unit_test(test_folded_names_keep_sums),
		cmocka_unit_test(test_names_of_other_users_are_kept),
		cmocka_unit_test(test_pairs_with_wakers_are_the_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
