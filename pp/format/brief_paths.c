// SPDX-License-Identifier: GPL-2.0-or-later
/* brief_paths.c -- the most frequent call paths of the functions in a brief report. */
#include "config.h"
#include "pp/format/brief.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pp/format/brief_text.h"
#include "pp/format/clip.h"

/* element of .places that stands for omitted callers in the middle of a path */
#define LEFT_OUT	UINT32_MAX

/* maximum number of user-space callers in the path of a kernel function */
#define MAX_USER_CALLERS	3

/* Return the nearest ancestor of @node in another function, or 0. */
static uint32_t caller_of(const struct pp_paths *paths, uint32_t node)
{
	uint32_t place = paths->nodes[node].place;

	do
		node = paths->nodes[node].parent;
	while (paths->nodes[node].depth > 1 && paths->nodes[node].place == place);
	return paths->nodes[node].depth > 1 ? node : 0;
}

static bool is_kernel(const struct pp_paths *paths, uint32_t node)
{
	return node && pp_path_place(paths, node)->is_kernel;
}

/* Return whether the kernel function is on the path of all system calls. */
static bool is_entry(const struct pp_brief *b, uint32_t node)
{
	static const char *const names[] = {
		"entry_SYSCALL_64_after_hwframe", "do_syscall_64", "x64_sys_call",
		"el0t_64_sync", "el0t_64_sync_handler", "el0_svc", "do_el0_svc",
		"el0_svc_common.constprop.0", "invoke_syscall",
	};
	const char *name = pp_path_name(&b->names, b->names.paths->nodes[node].place);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Add the callers in the kernel of a kernel function: the direct caller, and the outermost caller
 * that is not common to all system calls. Return the node of the first caller in user space, or
 * 0. */
static uint32_t add_kernel_callers(struct pp_brief_path *ret, const struct pp_brief *b,
				   uint32_t caller)
{
	const struct pp_paths *paths = b->names.paths;
	uint32_t outermost = 0, above;

	ret->places[ret->nr++] = paths->nodes[caller].place;
	above = caller_of(paths, caller);
	for (; is_kernel(paths, above); above = caller_of(paths, above))
		if (!is_entry(b, above))
			outermost = above;
	if (!outermost)
		return above;
	if (caller_of(paths, caller) != outermost)
		ret->places[ret->nr++] = LEFT_OUT;
	ret->places[ret->nr++] = paths->nodes[outermost].place;
	return above;
}

/* Store the callers of a node in *@ret. For a kernel function, omit callers in the middle of the
 * kernel, so that callers in user space fit. */
static void find_callers(struct pp_brief_path *ret, const struct pp_brief *b, uint32_t node)
{
	const struct pp_paths *paths = b->names.paths;
	uint32_t caller = caller_of(paths, node), nr_max = PP_BRIEF_CALLERS;

	if (is_kernel(paths, node) && is_kernel(paths, caller)) {
		caller = add_kernel_callers(ret, b, caller);
		nr_max = ret->nr + MAX_USER_CALLERS;
	}
	for (; caller; caller = caller_of(paths, caller)) {
		if (ret->nr == nr_max) {
			ret->has_more = true;
			return;
		}
		ret->places[ret->nr++] = paths->nodes[caller].place;
	}
}

static int compare_paths(const void *a, const void *b)
{
	const struct pp_brief_path *x = a, *y = b;
	int d = memcmp(x->places, y->places, sizeof(x->places));

	if (!d)
		d = x->nr < y->nr ? -1 : x->nr > y->nr;
	return d ? d : (int)x->has_more - (int)y->has_more;
}

/* Return whether @place, a function on call paths, is the function of @entry. In a difference, the
 * two may belong to different profiles. */
static bool is_code_of(const struct pp_brief *b, const struct pp_place *place,
		       const struct pp_entry *entry)
{
	const struct pp_profile *profile = b->report->profile;
	const struct pp_code *x, *y;

	if (place->kind != PP_PLACE_CODE || !b->is_diff)
		return place->kind == PP_PLACE_CODE && place->code == entry->code;
	x = &profile->codes[place->code];
	y = pp_entry_code(profile, entry);
	return !strcmp(x->name, y->name) &&
	       !strcmp(profile->binaries[x->binary].title, profile->binaries[y->binary].title);
}

/* Return whether the samples of the tree node @node belong to the function and the program of
 * @entry. */
static bool is_of(const struct pp_brief *b, uint32_t node, const struct pp_entry *entry)
{
	const struct pp_paths *paths = b->names.paths;
	const struct pp_group *group = pp_entry_group(b->report->profile, entry);

	if (!is_code_of(b, &paths->places[paths->nodes[node].place], entry))
		return false;
	/* With --merge=lib, the program of @entry is its binary, but call paths begin at the real
	 * program. */
	if (b->report->session->libs_merged)
		return true;
	while (paths->nodes[node].depth > 1)
		node = paths->nodes[node].parent;
	return !strcmp(pp_path_place(paths, node)->name, group->app);
}

/* Find the function's call path with most samples or, in a difference, with the largest change.
 * @room: uninitialized array with an element for each node of the tree, for temporary use. */
static void find_path(struct pp_brief_function *function, const struct pp_brief *b,
		      struct pp_brief_path *room)
{
	const struct pp_paths *paths = b->names.paths;
	struct pp_brief_path sum = { .nr = 0 };
	size_t nr = 0;

	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		uint64_t samples = pp_brief_sum(b, paths->nodes[i].self),
			 before = pp_brief_before(b, paths->nodes[i].self);

		if ((!samples && !before) || paths->nodes[i].depth < 2 ||
		    !is_of(b, i, function->entry))
			continue;
		room[nr] = (struct pp_brief_path){ .samples = samples, .before = before };
		find_callers(&room[nr++], b, i);
	}
	qsort(room, nr, sizeof(*room), compare_paths);
	for (size_t i = 0; i < nr; i++) {
		if (i && !compare_paths(&room[i], &room[i - 1])) {
			sum.samples += room[i].samples;
			sum.before += room[i].before;
		} else {
			sum = room[i];
		}
		if (i + 1 < nr && !compare_paths(&room[i], &room[i + 1]))
			continue;
		if (pp_brief_change(sum.samples, sum.before) >
		    pp_brief_change(function->path.samples, function->path.before))
			function->path = sum;
	}
}

int pp_brief_find_paths(struct pp_brief *b)
{
	struct pp_brief_path *room = calloc(b->names.paths->nr_nodes + 1, sizeof(*room));

	if (!room)
		return -ENOMEM;
	for (size_t i = 0; i < b->nr_functions && i < PP_BRIEF_FUNCTIONS; i++)
		find_path(&b->functions[i], b, room);
	free(room);
	return 0;
}

/* Return whether @path has samples, and is not the pseudo path of samples without a call path. */
static bool is_known(const struct pp_brief *b, const struct pp_brief_path *path)
{
	const struct pp_place *places = b->names.paths->places;

	return (path->samples || path->before) &&
	       (!path->nr || places[path->places[path->nr - 1]].kind != PP_PLACE_NO_PATH);
}

/* Print the call path of a function only if the path has at least 1/100 of the report's samples. */
#define WORTH_PATH	100

void pp_brief_put_path(const struct pp_brief *b, const struct pp_brief_function *function)
{
	const struct pp_brief_path *path = &function->path;
	char buf[PP_BRIEF_NAME_MAX];

	if (!is_known(b, path) || path->samples + path->before < b->total / WORTH_PATH)
		return;
	fputs("     from ", b->out);
	if (path->has_more)
		fputs(PP_CLIP_MARK " > ", b->out);
	for (size_t i = path->nr; i; i--) {
		uint32_t place = path->places[i - 1];

		fprintf(b->out, "%s%s",
			place == LEFT_OUT ? PP_CLIP_MARK :
					    pp_brief_clip_name(buf, pp_path_name(&b->names, place),
							       b->limits->frame),
			i > 1 ? " > " : "");
	}
	if (!path->nr)
		fputs("(start)", b->out);
	if (b->is_diff)
		fprintf(b->out, ": %" PRIu64 ", before %" PRIu64 "\n", path->samples, path->before);
	else
		fprintf(b->out, ": %" PRIu64 " of %" PRIu64 "\n", path->samples, function->samples);
}

uint64_t pp_brief_short(const struct pp_brief *b)
{
	const struct pp_paths *paths = b->names.paths;
	uint64_t sum = 0;

	for (uint32_t i = 1; b->has_paths && i < paths->nr_nodes; i++) {
		uint32_t above = paths->nodes[i].parent;

		if (!pp_place_is_reason(pp_path_place(paths, i)))
			continue;
		while (above != PP_PATH_ROOT && !pp_place_is_reason(pp_path_place(paths, above)))
			above = paths->nodes[above].parent;
		if (above == PP_PATH_ROOT)
			sum += pp_brief_sum(b, paths->nodes[i].total);
	}
	return sum;
}

void pp_brief_put_path_words(const struct pp_brief *b)
{
	char share[PP_BRIEF_SHARE];
	uint64_t all;

	if (!b->has_paths) {
		fputs("  No call paths were recorded: operf -g and opcontrol --callgraph=DEPTH "
		      "record them\n",
		      b->out);
		return;
	}
	all = pp_brief_sum(b, b->names.paths->nodes[PP_PATH_ROOT].total);
	fprintf(b->out, "  The whole call path is known for %s of the %s\n",
		pp_brief_share(share, all - pp_brief_short(b), all), b->unit);
	if (b->limits->nr_paths && b->is_diff)
		fputs("  from: the callers with the largest change, outermost first; " PP_CLIP_MARK
		      ": further callers\n", b->out);
	else if (b->limits->nr_paths)
		fputs("  from: the commonest callers, outermost first, and their share of the "
		      "function; " PP_CLIP_MARK ": further callers\n",
		      b->out);
}
