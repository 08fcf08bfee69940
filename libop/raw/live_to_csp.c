// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_to_csp.c -- conversion of a .csp.live file to a .csp file.
 */
#include "libop/raw/live_to_csp.h"

#include <errno.h>

#include "libop/raw/live_tree.h"

static const char *loss_name(enum raw_live_loss loss)
{
	static const char *const names[] = {
#define X(loss, name) [RAW_LIVE_##loss] = name,
		RAW_LIVE_LOSSES(X)
#undef X
	};

	return names[loss];
}

static void write_count(struct raw_csp_out *out, const char *of, const char *prefix,
			const char *name, uint64_t count)
{
	raw_csp_item(out, RAW_CSP_COUNT,
		     8 + __builtin_strlen(of) + __builtin_strlen(prefix) + __builtin_strlen(name));
	raw_csp_u64(out, count);
	raw_csp_bytes(out, of, __builtin_strlen(of));
	raw_csp_bytes(out, prefix, __builtin_strlen(prefix));
	raw_csp_bytes(out, name, __builtin_strlen(name));
}

void raw_live_counts_write(struct raw_csp_out *out, const char *of,
			   const struct raw_live_counts *counts, uint64_t cut_off)
{
	write_count(out, of, "", "taken", counts->taken);
	write_count(out, of, "", "recorded", counts->recorded);
	write_count(out, of, "", "complete", counts->complete);
	for (int k = 0; k < RAW_LIVE_NR_LOSSES; k++)
		write_count(out, of, "lost: ", loss_name(k), counts->lost[k]);
	write_count(out, of, "lost: ", "cut off", cut_off);
}

static void write_marker(struct raw_csp_out *out, const struct raw_live_marker *marker)
{
	static const char *const names[] = {
#define X(count, name) [RAW_LIVE_MARKER_##count] = name,
		RAW_LIVE_MARKER(X)
#undef X
	};

	for (int k = 0; k < RAW_LIVE_NR_MARKER; k++)
		write_count(out, "marker ", "", names[k], marker->nr[k]);
}

void raw_live_counts_add(struct raw_live_counts *sum, const struct raw_live_counts *counts)
{
	sum->taken += counts->taken;
	sum->recorded += counts->recorded;
	sum->complete += counts->complete;
	for (int k = 0; k < RAW_LIVE_NR_LOSSES; k++)
		sum->lost[k] += counts->lost[k];
}

/* Subtract @nr from *@left, but not below 0. Return the part of @nr that was not subtracted. */
static uint64_t subtract(uint64_t *left, uint64_t nr)
{
	uint64_t there = nr < *left ? nr : *left;

	*left -= there;
	return nr - there;
}

/* Return the number of samples recorded or lost minus the number of samples taken, or 0 if this is
 * negative. */
static uint64_t surplus_of(const struct raw_live_counts *sum)
{
	uint64_t left = sum->taken, surplus = subtract(&left, sum->recorded);

	for (int k = 0; k < RAW_LIVE_NR_LOSSES; k++)
		surplus += subtract(&left, sum->lost[k]);
	return surplus;
}

/*
 * Return the number of samples taken that were neither recorded nor lost, because their thread was
 * killed. If more samples were recorded or lost than taken, because a thread is still counting,
 * increase the number of samples taken.
 */
static uint64_t balance(struct raw_live_counts *sum)
{
	uint64_t cut_off = sum->taken - sum->recorded;

	for (int k = 0; k < RAW_LIVE_NR_LOSSES; k++)
		cut_off -= sum->lost[k];
	if (cut_off > sum->taken) {
		sum->taken -= cut_off;
		cut_off = 0;
	}
	if (sum->complete > sum->recorded)
		sum->complete = sum->recorded;
	return cut_off;
}

/* The passes over all trees: the first counts the trees, the second writes them, the third writes
 * the lists of the trailer. */
enum pass { COUNT_TREES, WRITE_TREES, WRITE_LISTS };

struct writing {
	const struct raw_live *live;
	const struct raw_live_run *run;
	struct raw_csp_out *out;
	struct raw_live_sums *sums;
	/* number of the arena whose trees to write; 0: write the trees of all arenas */
	uint32_t only;
	/* number of the newest epoch, which is the first epoch in the .csp file */
	uint32_t newest;
	uint32_t nr_shown;		/* number of metrics that are written to the .csp file */
	uint8_t shown[RAW_LIVE_MAX_METRICS];
	/* for each metric in the .csp file, the sum of its counts in all trees */
	uint64_t totals[RAW_LIVE_MAX_METRICS];
};

/* Store in @shown the indexes of the metrics to write to the .csp file. Return their number. */
static uint32_t shown_metrics(const struct raw_live_run *run, uint8_t shown[RAW_LIVE_MAX_METRICS])
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < run->nr_metrics; i++)
		if (!(run->metrics[i].flags & RAW_LIVE_HIDDEN))
			shown[nr++] = i;
	return nr;
}

/* Write the nodes of a tree to which raw_live_number_tree() has assigned numbers. Skip nodes that
 * the program has added later. */
static void write_nodes(struct writing *wr, const struct raw_live_arena *arena,
			const struct raw_live_tree *tree, uint64_t nr)
{
	uint64_t metrics[RAW_LIVE_MAX_METRICS];
	uint8_t places[RAW_LIVE_MAX_METRICS];
	uint32_t root = tree->root, at = root;
	struct raw_live_walk w;

	for (uint32_t m = 0; m < wr->nr_shown; m++)
		places[m] = raw_live_column(tree->columns, wr->shown[m]);
	raw_live_walk_begin(&w, arena, tree->columns, nr);
	for (uint64_t i = 0; i < nr; i++) {
		const struct raw_live_node *n = raw_live_walk_node(&w, at);
		const struct raw_live_node *parent = raw_live_walk_node(&w, n->parent);

		for (uint32_t m = 0; m < wr->nr_shown; m++) {
			bool is_there = raw_live_has_column(tree->columns, wr->shown[m]);

			metrics[m] = is_there ? n->metrics[places[m]] : 0;
			wr->totals[m] += metrics[m];
			if (wr->run->metrics[wr->shown[m]].flags & RAW_CSP_ASYNC)
				wr->sums->samples.recorded += metrics[m];
		}
		raw_csp_node(wr->out, n->id, at == root ? n->id : parent->id, n->ip, n->sp, metrics,
			     wr->nr_shown);
		if (raw_live_walk_next(&w, root, &at) <= 0)
			return;
	}
}

static void write_flagged(struct raw_csp_out *out, enum raw_csp_item kind, uint32_t flag,
			  uint64_t nr, uint32_t tree, const struct raw_live_arena *arena,
			  const struct raw_live_tree *in)
{
	uint32_t at = in->root;
	struct raw_live_walk w;

	if (!nr)
		return;
	raw_csp_item(out, kind, 8 + 8 * nr);
	raw_csp_u32(out, tree);
	raw_csp_u32(out, 0);
	raw_live_walk_begin(&w, arena, in->columns,
			    raw_live_room_for(arena, raw_live_node_size(in->columns)));
	while (nr) {
		const struct raw_live_node *n = raw_live_walk_node(&w, at);

		if (n->flags & flag) {
			raw_csp_u64(out, n->id);
			nr--;
		}
		if (raw_live_walk_next(&w, in->root, &at) <= 0)
			return;
	}
}

static void one_tree(struct writing *w, enum pass pass, const struct raw_live_arena *arena,
		     const struct raw_live_tree *tree, uint64_t *left, uint32_t *nr)
{
	uint64_t nodes, flagged[2];

	if (w->newest - tree->epoch >= w->sums->epochs ||
	    (tree->columns & ~raw_live_columns(w->run->nr_metrics)) ||
	    raw_live_number_tree(arena, w->run, tree, left, &nodes, flagged)) {
		w->sums->broken += pass == COUNT_TREES;
		return;
	}
	switch (pass) {
	case COUNT_TREES:
		w->sums->nodes += nodes;
		break;
	case WRITE_TREES:
		raw_csp_tree(w->out, nodes, w->newest - tree->epoch,
			     w->run->flags & RAW_LIVE_MARKED);
		write_nodes(w, arena, tree, nodes);
		break;
	case WRITE_LISTS:
		write_flagged(w->out, RAW_CSP_INTERRUPTED, RAW_LIVE_INTERRUPTED, flagged[0], *nr,
			      arena, tree);
		write_flagged(w->out, RAW_CSP_SHORT, RAW_LIVE_SHORT, flagged[1], *nr, arena, tree);
		break;
	}
	++*nr;
}

/* Do the pass @pass over all trees. Return the number of trees. */
static uint32_t all_trees(struct writing *w, enum pass pass)
{
	uint32_t nr = 0;

	for (uint32_t i = w->only ? w->only : 1; i < (w->only ? w->only + 1 : w->live->nr_arenas);
	     i++) {
		const struct raw_live_arena *arena = &w->live->arenas[i];
		const struct raw_live_thread *thread =
			raw_live_get(arena, RAW_LIVE_TOP, sizeof(*thread));
		uint32_t ref = thread ? thread->trees : 0, before = UINT32_MAX;
		uint64_t left = raw_live_room_for(arena, raw_live_node_size(0));

		/* In a valid list of trees, an older tree has a lower reference. If references do
		 * not decrease, stop, because the list may be a cycle. */
		while (ref && ref < before) {
			const struct raw_live_tree *tree = raw_live_get(arena, ref, sizeof(*tree));

			if (!tree)
				break;
			one_tree(w, pass, arena, tree, &left, &nr);
			before = ref;
			ref = tree->older;
		}
	}
	return nr;
}

/* Return module @i of an epoch, or NULL if it is invalid. */
static struct raw_live_module *module_at(const struct raw_live_arena *arena,
					 const struct raw_live_epoch *epoch, uint32_t i)
{
	const uint32_t *refs =
		raw_live_get(arena, epoch->modules, (uint64_t)epoch->nr_modules * sizeof(*refs));
	struct raw_live_module *m = refs ? raw_live_get(arena, refs[i], sizeof(*m)) : NULL;

	if (!m || m->build_id_len > RAW_BUILD_ID_MAX || m->path_len >= RAW_LIVE_PATH)
		return NULL;
	return raw_live_get(arena, refs[i], sizeof(*m) + m->path_len) ? m : NULL;
}

/*
 * Return the number of modules of an epoch before its first invalid module. *@left: maximum number
 * of modules of this epoch and the remaining epochs. Without this limit, a small file whose epochs
 * share modules could become a large .csp file. A module with a very long name counts as several.
 */
static uint32_t count_modules(const struct raw_live_arena *arena,
			      const struct raw_live_epoch *epoch, uint64_t *left)
{
	uint32_t nr = 0;

	while (nr < epoch->nr_modules) {
		const struct raw_live_module *m = module_at(arena, epoch, nr);

		if (!m || *left < 1 + m->path_len / 256)
			break;
		*left -= 1 + m->path_len / 256;
		nr++;
	}
	return nr;
}

/* Call @each for all epochs, from the newest to the oldest. Stop at an epoch whose number is not
 * one less than the number of the previous epoch. Return the number of epochs. */
static uint32_t all_epochs(struct writing *w,
			   void (*each)(struct writing *w, const struct raw_live_epoch *epoch,
					uint32_t nr_modules, uint32_t index))
{
	const struct raw_live_arena *arena = &w->live->arenas[0];
	uint64_t left = raw_live_room_for(arena, sizeof(uint32_t));
	uint32_t nr = 0, ref = w->run->epochs, number = 0;

	while (ref) {
		const struct raw_live_epoch *e = raw_live_get(arena, ref, sizeof(*e));

		if (!e || (nr && e->number + 1 != number) || e->number >= w->run->nr_epochs)
			break;
		if (!nr)
			w->newest = e->number;
		if (each)
			each(w, e, count_modules(arena, e, &left), nr);
		nr++;
		number = e->number;
		if (!number)
			break;
		ref = e->older;
	}
	return nr;
}

static void write_epoch(struct writing *w, const struct raw_live_epoch *epoch, uint32_t nr_modules,
			uint32_t index)
{
	(void)index;
	raw_csp_epoch(w->out, nr_modules);
	for (uint32_t i = 0; i < nr_modules; i++) {
		const struct raw_live_module *m = module_at(&w->live->arenas[0], epoch, i);

		raw_csp_module(w->out, m->path, m->path_len, m->preferred, m->mapped);
	}
}

static void write_build_ids(struct writing *w, const struct raw_live_epoch *epoch,
			    uint32_t nr_modules, uint32_t index)
{
	for (uint32_t i = 0; i < nr_modules; i++) {
		const struct raw_live_module *m = module_at(&w->live->arenas[0], epoch, i);

		if (m->build_id_len) {
			raw_csp_item(w->out, RAW_CSP_BUILD_ID, 8 + m->build_id_len);
			raw_csp_u32(w->out, index);
			raw_csp_u32(w->out, i);
			raw_csp_bytes(w->out, m->build_id, m->build_id_len);
		}
	}
}

static void write_sizes(struct writing *w, const struct raw_live_epoch *epoch, uint32_t nr_modules,
			uint32_t index)
{
	if (!nr_modules)
		return;
	raw_csp_item(w->out, RAW_CSP_SIZES, 8 + 8 * (uint64_t)nr_modules);
	raw_csp_u32(w->out, index);
	raw_csp_u32(w->out, 0);
	for (uint32_t i = 0; i < nr_modules; i++)
		raw_csp_u64(w->out, module_at(&w->live->arenas[0], epoch, i)->size);
}

/* Write the mask of the metrics for which the trees of an epoch have counts. Bits are in the order
 * of the metrics in the .csp file. Write nothing if the trees have counts for all metrics. */
static void write_columns(struct writing *w, const struct raw_live_epoch *epoch,
			  uint32_t nr_modules, uint32_t index)
{
	uint64_t columns = 0;

	(void)nr_modules;
	for (uint32_t m = 0; m < w->nr_shown; m++)
		columns |= (uint64_t)raw_live_has_column(epoch->columns, w->shown[m]) << m;
	if (columns == raw_live_columns(w->nr_shown))
		return;
	raw_csp_item(w->out, RAW_CSP_COLUMNS, 16);
	raw_csp_u32(w->out, index);
	raw_csp_u32(w->out, 0);
	raw_csp_u64(w->out, columns);
}

static void add_up_markers(const struct writing *w)
{
	for (uint32_t i = 1; i < w->live->nr_arenas; i++) {
		const struct raw_live_thread *t =
			raw_live_get(&w->live->arenas[i], RAW_LIVE_TOP, sizeof(*t));

		for (int k = 0; t && (!w->only || i == w->only) && k < RAW_LIVE_NR_MARKER; k++)
			w->sums->marker.nr[k] += t->marker.nr[k];
	}
}

static void add_without_arena(const struct writing *w, struct raw_live_counts *sum,
			      const struct raw_live_counts *counts)
{
	struct raw_live_counts own = *counts;

	if (w->live->is_whole) {
		own.taken -= own.lost[RAW_LIVE_NO_ROOM];
		own.lost[RAW_LIVE_NO_ROOM] = 0;
	}
	raw_live_counts_add(sum, &own);
}

/* Compute the sums of all threads' counters. The number of recorded samples is the number of
 * samples in the trees. */
static void add_up(const struct writing *w)
{
	struct raw_live_sums *sums = w->sums;

	if (w->only <= 1) {
		add_without_arena(w, &sums->samples, &w->run->samples);
		add_without_arena(w, &sums->calls, &w->run->calls);
	}
	for (uint32_t i = 1; i < w->live->nr_arenas; i++) {
		const struct raw_live_thread *t =
			raw_live_get(&w->live->arenas[i], RAW_LIVE_TOP, sizeof(*t));

		if (!t || (w->only && i != w->only))
			continue;
		raw_live_counts_add(&sums->samples, &t->samples);
		raw_live_counts_add(&sums->calls, &t->calls);
	}
	sums->surplus = surplus_of(&sums->samples);
	if (!w->live->has_ended || sums->surplus <= RAW_LIVE_IN_FLIGHT)
		sums->cut_off = balance(&sums->samples);
	sums->calls_cut_off = balance(&sums->calls);
}

/* Write the rate of the whole process. The .csp files of single threads also contain it. */
static void write_rate(struct writing *w)
{
	const struct raw_live_rate *rate = &w->run->rate;
	uint64_t signals = 0;

	if (!rate->driver || !rate->cpu_ns)
		return;
	for (uint32_t i = 1; i < w->live->nr_arenas; i++) {
		const struct raw_live_thread *t =
			raw_live_get(&w->live->arenas[i], RAW_LIVE_TOP, sizeof(*t));

		signals += t ? t->signals : 0;
	}
	raw_csp_item(w->out, RAW_CSP_RATE, 32);
	raw_csp_u32(w->out, rate->driver);
	raw_csp_u32(w->out, rate->refused);
	raw_csp_u64(w->out, signals);
	raw_csp_u64(w->out, rate->period);
	raw_csp_u64(w->out, rate->cpu_ns);
}

static void write_trailer(struct writing *w)
{
	const struct raw_live_text *command =
		raw_live_get(&w->live->arenas[0], w->run->command, sizeof(*command));

	raw_csp_trailer(w->out);
	if (command &&
	    raw_live_get(&w->live->arenas[0], w->run->command, sizeof(*command) + command->len)) {
		raw_csp_item(w->out, RAW_CSP_COMMAND, command->len);
		raw_csp_bytes(w->out, command->bytes, command->len);
	}
	raw_csp_item(w->out, RAW_CSP_PROCESS, 8);
	raw_csp_u32(w->out, w->run->pid);
	raw_csp_u32(w->out, 0);
	all_epochs(w, write_build_ids);
	all_epochs(w, write_sizes);
	all_epochs(w, write_columns);
	raw_live_counts_write(w->out, "", &w->sums->samples, w->sums->cut_off);
	raw_live_counts_write(w->out, "calls ", &w->sums->calls, w->sums->calls_cut_off);
	write_rate(w);
	if (w->run->flags & RAW_LIVE_MARKED)
		write_marker(w->out, &w->sums->marker);
	all_trees(w, WRITE_LISTS);
	raw_csp_sums(w->out, w->totals, w->nr_shown);
	raw_csp_item(w->out, RAW_CSP_END, 0);
}

uint32_t raw_live_own_file(const struct raw_live *live, uint32_t arena)
{
	const struct raw_live_run *run = raw_live_run(live);
	const struct raw_live_thread *thread;

	if (!run || !(run->flags & RAW_LIVE_BY_THREAD) || !arena || arena >= live->nr_arenas)
		return 0;
	thread = raw_live_get(&live->arenas[arena], RAW_LIVE_TOP, sizeof(*thread));
	return thread ? thread->tid : 0;
}

int raw_live_to_csp(const struct raw_live *live, struct raw_csp_out *out, uint32_t only,
		   struct raw_live_sums *sums)
{
	struct raw_live_sums own;
	struct writing w = {
		.live = live,
		.run = raw_live_run(live),
		.out = out,
		.sums = sums ? sums : &own,
		.only = only,
	};

	if (!w.run || only >= live->nr_arenas)
		return -EUCLEAN;
	*w.sums = (struct raw_live_sums){ 0 };
	w.sums->epochs = all_epochs(&w, NULL);
	w.sums->trees = all_trees(&w, COUNT_TREES);
	raw_csp_header(out, w.run->flags & RAW_LIVE_01_01 ? "01.01" : "01.00");
	w.nr_shown = shown_metrics(w.run, w.shown);
	raw_csp_data(out, w.run->program, w.nr_shown);
	for (uint32_t i = 0; i < w.nr_shown; i++) {
		const struct raw_live_metric *m = &w.run->metrics[w.shown[i]];

		raw_csp_metric(out, m->event[RAW_LIVE_NAME - 1] ? "?" : m->event, m->flags,
			       m->period);
	}
	raw_csp_epochs(out, w.sums->epochs);
	all_epochs(&w, write_epoch);
	add_up_markers(&w);
	raw_csp_trees(out, w.sums->trees, w.sums->marker.nr[RAW_LIVE_MARKER_SAMPLES]);
	all_trees(&w, WRITE_TREES);
	add_up(&w);
	write_trailer(&w);
	return raw_csp_finish(out);
}
