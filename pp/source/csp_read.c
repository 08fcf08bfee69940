// SPDX-License-Identifier: GPL-2.0-or-later
/* csp_read.c -- parsing of HPC_CSPROF files, and of the trailer that our probes append to the
 * files. */
#include "config.h"
#include "pp/source/csp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/raw/csp.h"

struct reading {
	struct pp_csp *csp;
	struct pp_csp_in *in;
	/* for each metric: the sum of its counts over all trees, read from the trailer */
	uint64_t sums[PP_CSP_MAX_METRICS];
	bool has_sums;
};

static void release_epoch(struct pp_csp_epoch *epoch)
{
	for (size_t i = 0; i < epoch->nr; i++) {
		free(epoch->modules[i].path);
		free(epoch->modules[i].id);
	}
	free(epoch->modules);
}

void pp_csp_release(struct pp_csp *csp)
{
	for (size_t i = 0; i < csp->nr_metrics; i++)
		free(csp->metrics[i].event);
	for (size_t i = 0; i < csp->nr_epochs; i++)
		release_epoch(&csp->epochs[i]);
	free(csp->target);
	free(csp->metrics);
	free(csp->epochs);
	free(csp->trees);
	free(csp->nodes);
	free(csp->counts);
	free(csp->command);
	op_session_stats_release(&csp->stats);
	*csp = (struct pp_csp){ 0 };
}

/* Return whether the file version @version, "NN.NN", is later than the versions that this parser
 * supports. */
static bool is_later(const char *version)
{
	for (int i = 0; i < RAW_CSP_VERSION_LEN; i++)
		if (i == 2 ? version[i] != '.' : version[i] < '0' || version[i] > '9')
			return false;
	return memcmp(version, "01.01", RAW_CSP_VERSION_LEN) > 0;
}

/* Read the version of the file format. Accept 01.00, which the specification of the format
 * requires, and 01.01, which the original profiler writes. If the version is later, store it in
 * @later. */
static void read_version(struct pp_csp_in *in, char later[RAW_CSP_VERSION_LEN + 1])
{
	char version[RAW_CSP_VERSION_LEN + 1] = "";

	pp_csp_take(in, version, sizeof(version));
	if (!in->err && is_later(version))
		snprintf(later, RAW_CSP_VERSION_LEN + 1, "%.5s", version);
	if (memcmp(version, "01.0", 4) || (version[4] != '0' && version[4] != '1') ||
	    (version[5] != 'l' && version[5] != 'b'))
		pp_csp_bad(in, -EINVAL);
	in->big_endian = version[5] == 'b';
}

static void read_metrics(struct reading *r)
{
	struct pp_csp *csp = r->csp;
	uint32_t nr = pp_csp_u32(r->in);

	if (nr > PP_CSP_MAX_METRICS)
		pp_csp_bad(r->in, -EINVAL);
	for (uint32_t i = 0; i < nr && !r->in->err; i++) {
		struct pp_csp_metric metric = {.event = pp_csp_tagged_string(r->in, RAW_CSP_EVENT)};

		metric.flags = pp_csp_tagged_number(r->in, RAW_CSP_FLAGS);
		metric.period = pp_csp_tagged_number(r->in, RAW_CSP_PERIOD);
		if (!r->in->err && op_grow(&csp->metrics, csp->nr_metrics))
			pp_csp_bad(r->in, -ENOMEM);
		if (r->in->err)
			free(metric.event);
		else
			csp->metrics[csp->nr_metrics++] = metric;
	}
}

static void read_module(struct reading *r, struct pp_csp_epoch *epoch)
{
	struct pp_csp_module module = { .path = pp_csp_string(r->in, pp_csp_u32(r->in)) };

	module.preferred = pp_csp_u64(r->in);
	module.mapped = pp_csp_u64(r->in);
	module.size = UINT64_MAX;
	if (!r->in->err && op_grow(&epoch->modules, epoch->nr))
		pp_csp_bad(r->in, -ENOMEM);
	if (r->in->err)
		free(module.path);
	else
		epoch->modules[epoch->nr++] = module;
}

static void read_epochs(struct reading *r)
{
	struct pp_csp *csp = r->csp;
	uint32_t nr = pp_csp_u32(r->in);

	for (uint32_t i = 0; i < nr && !r->in->err; i++) {
		uint32_t nr_modules = pp_csp_u32(r->in);
		struct pp_csp_epoch epoch = { 0 };

		for (uint32_t m = 0; m < nr_modules && !r->in->err; m++)
			read_module(r, &epoch);
		if (!r->in->err && op_grow(&csp->epochs, csp->nr_epochs))
			pp_csp_bad(r->in, -ENOMEM);
		if (r->in->err)
			release_epoch(&epoch);
		else
			csp->epochs[csp->nr_epochs++] = epoch;
	}
}

/* Read node @i of @tree, the tree that was added last. */
static void read_node(struct reading *r, struct pp_csp_tree *tree, uint64_t i)
{
	struct pp_csp *csp = r->csp;
	uint64_t id = pp_csp_u64(r->in), parent = pp_csp_u64(r->in), counts[PP_CSP_MAX_METRICS];
	struct pp_csp_node node = { .ip = pp_csp_u64(r->in), .parent = parent };

	pp_csp_u64(r->in);	/* skip the stack pointer of the node */
	for (size_t m = 0; m < csp->nr_metrics; m++)
		counts[m] = pp_csp_u64(r->in);
	if (!r->in->err && (id != i || (i ? parent >= i : parent) || i > UINT32_MAX))
		pp_csp_bad(r->in, -EINVAL);
	if (!r->in->err && op_grow(&csp->nodes, csp->nr_nodes))
		pp_csp_bad(r->in, -ENOMEM);
	for (size_t m = 0; m < csp->nr_metrics && !r->in->err; m++) {
		if (op_grow(&csp->counts, csp->nr_counts)) {
			pp_csp_bad(r->in, -ENOMEM);
			csp->nr_counts -= m;
		} else {
			csp->counts[csp->nr_counts++] = counts[m];
		}
	}
	if (r->in->err)
		return;
	if (i)
		csp->nodes[tree->first + parent].has_children = true;
	csp->nodes[csp->nr_nodes++] = node;
	tree->nr++;
}

static void read_tree(struct reading *r)
{
	struct pp_csp *csp = r->csp;
	struct pp_csp_tree tree = { .first = csp->nr_nodes };
	char version[RAW_CSP_VERSION_LEN + 1];
	uint64_t nr;

	pp_csp_expect(r->in, RAW_CSP_TREE_MAGIC, sizeof(RAW_CSP_TREE_MAGIC) - 1);
	pp_csp_take(r->in, version, sizeof(version));
	if (memcmp(version, "01.0", 4) || (version[5] == 'b') != r->in->big_endian)
		pp_csp_bad(r->in, -EINVAL);
	if (pp_csp_u32(r->in) != 8 || pp_csp_u32(r->in) != 8)
		pp_csp_bad(r->in, -EINVAL);
	nr = pp_csp_u64(r->in);
	tree.epoch = pp_csp_u32(r->in);
	if (tree.epoch >= csp->nr_epochs)
		pp_csp_bad(r->in, -EINVAL);
	if (!r->in->err && op_grow(&csp->trees, csp->nr_trees))
		pp_csp_bad(r->in, -ENOMEM);
	if (r->in->err)
		return;
	csp->trees[csp->nr_trees++] = tree;
	for (uint64_t i = 0; i < nr && !r->in->err; i++)
		read_node(r, &csp->trees[csp->nr_trees - 1], i);
}

static void read_trees(struct reading *r)
{
	uint32_t nr = pp_csp_u32(r->in);

	pp_csp_u64(r->in);	/* skip the number of samples that hit a trampoline */
	for (uint32_t i = 0; i < nr && !r->in->err; i++)
		read_tree(r);
}

static void read_command(struct reading *r, uint64_t size)
{
	char *text;

	if (size > UINT32_MAX)
		pp_csp_bad(r->in, -EINVAL);
	text = pp_csp_string(r->in, size);
	if (!text)
		return;
	for (uint64_t i = 0; i + 1 < size; i++)
		if (!text[i])
			text[i] = ' ';
	free(r->csp->command);
	r->csp->command = text;
}

static void read_build_id(struct reading *r, uint64_t size)
{
	struct pp_csp *csp = r->csp;
	uint32_t epoch = pp_csp_u32(r->in), number = pp_csp_u32(r->in);
	struct pp_csp_module *module;
	uint8_t *id;

	if (size <= 8 || size - 8 > PP_CSP_MAX_ID || epoch >= csp->nr_epochs ||
	    number >= csp->epochs[epoch].nr)
		pp_csp_bad(r->in, -EINVAL);
	id = r->in->err ? NULL : (uint8_t *)pp_csp_string(r->in, size - 8);
	if (!id)
		return;
	module = &csp->epochs[epoch].modules[number];
	free(module->id);
	module->id = id;
	module->id_len = size - 8;
}

static void read_sizes(struct reading *r, uint64_t size)
{
	struct pp_csp *csp = r->csp;
	uint32_t epoch = pp_csp_u32(r->in);

	pp_csp_u32(r->in);
	if (size < 8 || epoch >= csp->nr_epochs ||
	    size != 8 + 8 * (uint64_t)csp->epochs[epoch].nr) {
		pp_csp_bad(r->in, -EINVAL);
		return;
	}
	for (size_t i = 0; i < csp->epochs[epoch].nr && !r->in->err; i++)
		csp->epochs[epoch].modules[i].size = pp_csp_u64(r->in);
}

static void read_process(struct reading *r, uint64_t size)
{
	if (size != 8) {
		pp_csp_bad(r->in, -EINVAL);
		return;
	}
	r->csp->process = pp_csp_u32(r->in);
	pp_csp_u32(r->in);
}

/* Return the name in a session's statistics (libop/session/stats.c) for the counter @name of the
 * trailer, or NULL if the statistics do not have this counter. */
static const char *name_of_count(const char *name)
{
	static const char *const names[][2] = {
		{ "taken", "probe_taken" },
		{ "recorded", "probe_recorded" },
		{ "lost: unsafe", "probe_lost_unsafe" },
		{ "lost: exception", "probe_lost_exception" },
		{ "lost: epoch", "probe_lost_epoch" },
		{ "lost: memory", "probe_lost_memory" },
		{ "lost: no state", "probe_lost_no_state" },
		{ "lost: no room", "probe_lost_no_room" },
		{ "lost: cut off", "probe_lost_cut_off" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	if (!strcmp(name, "calls lost: no room"))
		return "probe_calls_lost_no_room";
	if (!strncmp(name, "calls lost: ", strlen("calls lost: ")))
		return "probe_calls_lost";
	return strncmp(name, "lost: ", strlen("lost: ")) ? NULL : "probe_lost_other";
}

static void set_whole(struct pp_csp *csp, const char *name, uint64_t count)
{
	bool is_call = !strncmp(name, "calls ", strlen("calls "));
	struct pp_source_whole *whole = is_call ? &csp->of_calls : &csp->of_signals;

	name += is_call ? strlen("calls ") : 0;
	if (!strcmp(name, "recorded"))
		whole->recorded = count;
	else if (!strcmp(name, "complete"))
		whole->whole = count;
}

static void read_count(struct reading *r, uint64_t size)
{
	uint64_t count = pp_csp_u64(r->in);
	const char *known;
	char *name;

	if (size < 8 || size > UINT32_MAX)
		pp_csp_bad(r->in, -EINVAL);
	name = r->in->err ? NULL : pp_csp_string(r->in, size - 8);
	if (!name)
		return;
	set_whole(r->csp, name, count);
	known = name_of_count(name);
	if (known && op_session_stats_add(&r->csp->stats, known, count))
		pp_csp_bad(r->in, -ENOMEM);
	free(name);
}

static void read_flags(struct reading *r, uint64_t size, bool are_short)
{
	struct pp_csp *csp = r->csp;
	uint32_t number = pp_csp_u32(r->in);

	pp_csp_u32(r->in);
	if (size < 8 || size % 8 || number >= csp->nr_trees)
		pp_csp_bad(r->in, -EINVAL);
	for (uint64_t i = 1; i < size / 8 && !r->in->err; i++) {
		const struct pp_csp_tree *tree = &csp->trees[number];
		uint64_t id = pp_csp_u64(r->in);
		struct pp_csp_node *node;

		if (id >= tree->nr) {
			pp_csp_bad(r->in, -EINVAL);
			return;
		}
		node = &csp->nodes[tree->first + id];
		node->interrupted |= !are_short;
		node->is_short |= are_short;
	}
}

static void read_sums(struct reading *r, uint64_t size)
{
	if (size != 8 * (uint64_t)r->csp->nr_metrics) {
		pp_csp_bad(r->in, -EINVAL);
		return;
	}
	for (size_t i = 0; i < r->csp->nr_metrics; i++)
		r->sums[i] = pp_csp_u64(r->in);
	r->has_sums = !r->in->err;
}

static void read_rate(struct reading *r, uint64_t size)
{
	struct pp_csp *csp = r->csp;

	if (size != 32) {
		pp_csp_bad(r->in, -EINVAL);
		return;
	}
	csp->rate.driver = pp_csp_u32(r->in);
	csp->rate.refused = pp_csp_u32(r->in);
	csp->rate.signals = pp_csp_u64(r->in);
	csp->rate.period_ns = pp_csp_u64(r->in);
	csp->rate.cpu_ns = pp_csp_u64(r->in);
}

/* Read the trailer with counters and facts about the program. Only our probes write it. */
static void read_trailer(struct reading *r)
{
	struct pp_csp_in *in = r->in;
	char magic[RAW_CSP_TRAILER_MAGIC_LEN];
	uint32_t kind = RAW_CSP_NR_ITEMS;

	pp_csp_take(in, magic, 1);
	if (in->err == -ENODATA) {
		in->err = 0;
		return;
	}
	pp_csp_take(in, magic + 1, sizeof(magic) - 1);
	if (!in->err && memcmp(magic, RAW_CSP_TRAILER_MAGIC, sizeof(magic)))
		pp_csp_bad(in, -EINVAL);
	while (!in->err && kind != RAW_CSP_END) {
		uint64_t size;

		kind = pp_csp_u32(in);
		size = pp_csp_u64(in);
		switch (in->err ? RAW_CSP_NR_ITEMS : kind) {
		case RAW_CSP_COMMAND:
			read_command(r, size);
			break;
		case RAW_CSP_BUILD_ID:
			read_build_id(r, size);
			break;
		case RAW_CSP_COUNT:
			read_count(r, size);
			break;
		case RAW_CSP_RATE:
			read_rate(r, size);
			break;
		case RAW_CSP_SIZES:
			read_sizes(r, size);
			break;
		case RAW_CSP_PROCESS:
			read_process(r, size);
			break;
		case RAW_CSP_SUMS:
			read_sums(r, size);
			break;
		case RAW_CSP_OUTSIDE:
			r->csp->from_outside = true;
			pp_csp_skip(in, size);
			break;
		case RAW_CSP_INTERRUPTED:
		case RAW_CSP_SHORT:
			read_flags(r, size, kind == RAW_CSP_SHORT);
			break;
		default:
			pp_csp_skip(in, size);
		}
	}
}

static int note_broken(const struct reading *r, const char *path)
{
	unsigned long long at = pp_csp_offset(r->in);

	switch (r->in->err) {
	case 0:
		return 0;
	case -ENOMEM:
		return -ENOMEM;
	case -ENODATA:
		op_fail(&r->csp->broken, 0,
			"%s: is truncated at offset %llu; only samples before this offset are "
			"shown",
			path, at);
		return 0;
	case -EINVAL:
		op_fail(&r->csp->broken, 0,
			"%s: has an impossible value before offset %llu; only samples before that "
			"are shown",
			path, at);
		return 0;
	default:
		op_fail(&r->csp->broken, 0,
			"%s: at offset %llu: %s; only samples before this offset are shown", path,
			at, op_strerror(r->in->err));
		return 0;
	}
}

static uint64_t add_up(const struct pp_csp *csp, size_t metric)
{
	uint64_t sum = 0;

	for (size_t i = metric; i < csp->nr_counts; i += csp->nr_metrics)
		sum += csp->counts[i];
	return sum;
}

/* If the file has a trailer, check that the counts of all trees have the sums in the trailer. */
static void check_counts(const struct reading *r, const char *path)
{
	const struct op_session_stats *stats = &r->csp->stats;
	unsigned long long taken = op_session_stats_sum(stats, OP_STAT_TAKEN),
			   lost = op_session_stats_sum(stats, OP_STAT_LOSS);
	unsigned long long recorded = op_session_stats_sum(stats, OP_STAT_STORED), samples = 0;

	for (size_t m = 0; m < r->csp->nr_metrics; m++) {
		unsigned long long sum = add_up(r->csp, m);

		if (r->has_sums && sum != r->sums[m]) {
			op_fail(&r->csp->broken, 0,
				"%s: its call paths have %llu %s, but %llu were written: the file "
				"is damaged",
				path, sum, r->csp->metrics[m].event,
				(unsigned long long)r->sums[m]);
			return;
		}
		samples += r->csp->metrics[m].flags & RAW_CSP_ASYNC ? sum : 0;
	}
	if (stats->nr && samples != recorded)
		op_fail(&r->csp->broken, 0,
			"%s: its call paths have %llu samples, but %llu were recorded: the file "
			"is damaged",
			path, samples, recorded);
	else if (stats->nr && (lost > taken || taken - lost != recorded))
		op_fail(&r->csp->broken, 0,
			"%s: %llu samples were taken, but %llu are recorded, and %llu lost: the "
			"file is damaged",
			path, taken, recorded, lost);
}

int pp_csp_read(struct pp_csp *ret, struct pp_csp_in *in, const char *path, struct op_reason *error)
{
	struct pp_csp csp = { 0 };
	struct reading r = { .csp = &csp, .in = in };
	char later[RAW_CSP_VERSION_LEN + 1] = "";
	int err;

	pp_csp_expect(in, RAW_CSP_MAGIC, sizeof(RAW_CSP_MAGIC) - 1);
	read_version(in, later);
	pp_csp_u64(in);		/* skip the number of chunks in the file */
	csp.target = pp_csp_tagged_string(in, RAW_CSP_TARGET);
	read_metrics(&r);
	read_epochs(&r);
	if (*later)
		op_fail(error, -EINVAL, "%s: is a .csp file of the newer version %s: read it with "
			"the release that wrote it", path, later);
	else if (in->err && in->err != -ENOMEM)
		op_fail(error, -EINVAL,
			"%s: is not a .csp file, or is damaged before its trees: %s offset %llu",
			path,
			in->err == -ENODATA ? "it is truncated at" : "it has a wrong value before",
			(unsigned long long)pp_csp_offset(in));
	err = in->err == -ENOMEM ? -ENOMEM : in->err ? -EINVAL : 0;
	if (!err) {
		read_trees(&r);
		if (!in->err)
			read_trailer(&r);
		if (!in->err)
			check_counts(&r, path);
		err = note_broken(&r, path);
	}
	if (err)
		pp_csp_release(&csp);
	else
		*ret = csp;
	return err;
}
