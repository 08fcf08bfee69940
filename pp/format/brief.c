// SPDX-License-Identifier: GPL-2.0-or-later
/* brief.c -- a report of at most 4096 bytes: accounting, the functions with the most samples,
 * missing names, and commands for more. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/event/spec.h"
#include "libop/session/mangle.h"
#include "pp/format/brief_text.h"
#include "pp/format/clip.h"
#include "pp/format/facts.h"
#include "pp/format/format.h"
#include "pp/format/path_names.h"
#include "pp/format/text.h"
#include "pp/image/images.h"
#include "pp/source/source.h"

#define MAX_SIZE	4096u	/* limit of the report, in bytes */
#define MAX_FUNCTIONS	10
#define MAX_PROGRAMS	5
#define MAX_BINARIES	3
#define MAX_CALLERS	5	/* a path has this many frames, and the function itself */

#define A_SERVER	"https://debuginfod.elfutils.org"

/* The limits of one attempt to write the report, in bytes and lines. */
struct limits {
	size_t line, name, frame, command;
	size_t nr_losses, nr_facts, nr_paths;
};

/* The attempts, in this order. The first report that is small enough is used. */
static const struct limits attempts[] = {
	/* lengths of a line, a name, a frame, a command; numbers of losses, facts, paths */
	{ 200, 100, 40, 400, 10, 12, 10 },
	{ 150, 72, 32, 400, 8, 10, 10 },
	{ 140, 64, 24, 400, 7, 9, 10 },
	{ 130, 56, 20, 400, 6, 8, 10 },
	{ 120, 48, 20, 400, 5, 7, 7 },
	{ 120, 48, 20, 400, 5, 6, 5 },
	{ 110, 40, 16, 300, 5, 6, 3 },
	{ 100, 32, 16, 200, 5, 5, 1 },
	{ 80, 24, 12, 120, 4, 4, 0 },
};

/* The callers of a function, and the samples with these callers. */
struct path {
	/* the places of the callers, the direct caller first; a recursive function is one caller */
	uint32_t places[MAX_CALLERS];
	uint32_t nr;
	bool has_more;			/* the path has further callers that are not shown */
	uint64_t samples;		/* samples of the path; 0: no path is known */
};

/* A line of the report: a function of a program. */
struct function {
	const struct pp_entry *entry;
	uint64_t samples;
	struct path path;		/* the path of the function with the most samples */
};

struct brief {
	const struct pp_report *report;
	const struct limits *limits;
	FILE *out;
	struct pp_path_names names;
	/* the classes of the event that the report shows */
	size_t first, end;
	uint64_t total;			/* all samples of the classes that the report shows */
	const char *unit;		/* "samples", or the unit of a metric, such as "bytes" */
	struct function *functions;	/* functions; the function with the most samples is first */
	size_t nr_functions;
	bool has_paths;			/* the profile has call paths */
};

static uint64_t sum_of(const struct brief *b, const uint64_t *counts)
{
	uint64_t sum = 0;

	for (size_t c = b->first; counts && c < b->end; c++)
		sum += counts[c];
	return sum;
}

static bool is_same_event(const struct pp_class *a, const struct pp_class *b)
{
	return !strcmp(a->event, b->event) && a->count == b->count && a->um == b->um;
}

/* Choose the first event that has samples. Classes are in order of event, so that the classes of
 * one event are adjacent. */
static void choose_event(struct brief *b)
{
	const struct pp_classes *classes = &b->report->session->classes;
	const uint64_t *totals = b->report->profile->totals;

	while (b->first + 1 < classes->nr && !totals[b->first])
		b->first++;
	while (b->first && is_same_event(&classes->items[b->first - 1], &classes->items[b->first]))
		b->first--;
	for (b->end = b->first; b->end < classes->nr; b->end++)
		if (!is_same_event(&classes->items[b->first], &classes->items[b->end]))
			break;
	b->total = sum_of(b, totals);
	b->unit = pp_class_unit(&classes->items[b->first]);
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static int list_functions(struct brief *b)
{
	const struct pp_profile *profile = b->report->profile;

	b->functions = calloc(profile->nr_entries + 1, sizeof(*b->functions));
	if (!b->functions)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_entries; i++) {
		uint64_t samples = sum_of(b, profile->entries[i].counts);

		if (samples)
			b->functions[b->nr_functions++] = (struct function){
				.entry = &profile->entries[i], .samples = samples };
	}
	qsort(b->functions, b->nr_functions, sizeof(*b->functions), compare_functions);
	return 0;
}

/* Accounting. */

/* Print how many samples were taken, stored and lost. */
static int put_losses(const struct brief *b)
{
	struct pp_report copy = *b->report;
	char *text = NULL;
	size_t size;

	copy.out = open_memstream(&text, &size);
	if (!copy.out)
		return -ENOMEM;
	pp_text_losses(&copy, copy.session, copy.profile);
	if (!ftell(copy.out))
		fputs("The session has no accounting of taken and lost samples\n", copy.out);
	if (fclose(copy.out)) {
		free(text);
		return -ENOMEM;
	}
	pp_brief_lines(b->out, text, "  ", b->limits->nr_losses, b->limits->line);
	free(text);
	return 0;
}

/* Print the CPU, the events, and the time and place of the session: the header of a text report
 * without the accounting and the binaries. */
static int put_facts(const struct brief *b)
{
	struct pp_session session = *b->report->session;
	struct pp_format_options options = *b->report->options;
	struct pp_report copy = *b->report;
	char *text;

	options.is_of_heap = false;	/* put_path_words() prints the share of whole paths */
	copy.options = &options;
	session.has_stats = false;
	session.beside = (struct op_session_stats){ 0 };
	copy.session = &session;
	copy.images = NULL;
	text = pp_facts_text(&copy);
	if (!text)
		return -ENOMEM;
	pp_brief_lines(b->out, text, "  ", b->limits->nr_facts, b->limits->line);
	free(text);
	return 0;
}

/* Print a time in seconds with three digits or more, never as a power of ten. */
static void put_seconds(FILE *out, double seconds)
{
	fprintf(out, "%.*f s", seconds < 1 ? 3 : seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds);
}

/* Print the CPU time that samples by time stand for and, if the time of sampling is known, the
 * average number of CPUs. */
static void put_cpu_time(const struct brief *b, uint64_t period_ns)
{
	const struct pp_session *session = b->report->session;
	double used = (double)b->total * (double)period_ns / 1e9, sampled = 0;

	fputs(", about ", b->out);
	put_seconds(b->out, used);
	fputs(" of CPU time", b->out);
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		if (session->about[i].sampled_ms <= 0)
			return;
		sampled += (double)session->about[i].sampled_ms / 1000;
	}
	fputs(" in ", b->out);
	put_seconds(b->out, sampled);
	fprintf(b->out, ", %.2g CPUs on average", used / sampled);
}

/* Print the number of samples in this report, and the names of the events that it leaves out. */
static void put_totals(const struct brief *b)
{
	const struct pp_session *session = b->report->session;
	const struct pp_class *classes = session->classes.items, *class = &classes[b->first];
	char buf[PP_BRIEF_NAME_MAX];
	size_t other = b->first ? 0 : b->end;

	fprintf(b->out, "  In this report: %" PRIu64 " %.*s of %s", b->total,
		(int)(strlen(b->unit) - (b->total == 1)), b->unit,
		pp_brief_clip(buf, class->event, b->limits->name));
	if (!strcmp(class->event, OP_EVENT_TIMER) && !session->nr_profiles)
		put_cpu_time(b, class->count);
	putc('\n', b->out);
	if (other >= session->classes.nr)
		return;
	fputs("  Not in this report: other events; event:", b->out);
	op_put_word(b->out, pp_brief_clip(buf, classes[other].event, b->limits->name));
	fputs(" chooses one\n", b->out);
}

static void put_programs(const struct brief *b)
{
	const struct pp_profile *profile = b->report->profile;
	char buf[PP_BRIEF_NAME_MAX], share[PP_BRIEF_SHARE];
	uint64_t shown = UINT64_MAX;
	size_t last = 0;

	fputs("PROGRAMS\n ", b->out);
	/* Find the program with the next smaller number of samples; of equal ones, the next. */
	for (size_t nr = 0; nr < MAX_PROGRAMS; nr++) {
		uint64_t most = 0;
		size_t found = 0;

		for (size_t i = 0; i < profile->nr_apps; i++) {
			uint64_t samples = sum_of(b, profile->apps[i].counts);

			if (samples > most &&
			    (samples < shown || (samples == shown && i > last))) {
				most = samples;
				found = i;
			}
		}
		if (!most)
			break;
		fprintf(b->out, "%s %s of %s", nr ? "," : "",
			pp_brief_share(share, most, b->total),
			pp_brief_clip(buf, pp_text_title(b->report, profile->apps[found].app),
				      b->limits->name));
		shown = most;
		last = found;
	}
	if (profile->nr_apps > MAX_PROGRAMS)
		fprintf(b->out, ", and %zu more", profile->nr_apps - MAX_PROGRAMS);
	putc('\n', b->out);
}

/* Functions, and the most frequent call path of each. */

/* Store the path from a node to its outermost caller in *@ret. */
static void find_callers(struct path *ret, const struct pp_paths *paths, uint32_t node)
{
	uint32_t below = paths->nodes[node].place;

	for (node = paths->nodes[node].parent; paths->nodes[node].depth > 1;
	     node = paths->nodes[node].parent) {
		uint32_t place = paths->nodes[node].place;

		if (place == below)
			continue;
		if (ret->nr == MAX_CALLERS) {
			ret->has_more = true;
			return;
		}
		ret->places[ret->nr++] = below = place;
	}
}

static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a, *y = b;
	int d = memcmp(x->places, y->places, sizeof(x->places));

	if (!d)
		d = x->nr < y->nr ? -1 : x->nr > y->nr;
	return d ? d : (int)x->has_more - (int)y->has_more;
}

/* Return whether samples of the node belong to the function of the program. */
static bool is_of(const struct brief *b, uint32_t node, const struct pp_entry *entry)
{
	const struct pp_paths *paths = b->names.paths;
	const struct pp_group *group = pp_entry_group(b->report->profile, entry);

	if (paths->places[paths->nodes[node].place].kind != PP_PLACE_CODE ||
	    paths->places[paths->nodes[node].place].code != entry->code)
		return false;
	/* With --merge=lib, the program of a sample is its binary, but the tree has programs. */
	if (b->report->session->libs_merged)
		return true;
	while (paths->nodes[node].depth > 1)
		node = paths->nodes[node].parent;
	return !strcmp(pp_path_place(paths, node)->name, group->app);
}

/* Find the path with the most samples of a function. @room has room for all nodes. */
static void find_path(struct function *function, const struct brief *b, struct path *room)
{
	const struct pp_paths *paths = b->names.paths;
	struct path sum = { .nr = 0 };
	size_t nr = 0;

	for (uint32_t i = 1; i < paths->nr_nodes; i++) {
		uint64_t samples = sum_of(b, paths->nodes[i].self);

		if (!samples || paths->nodes[i].depth < 2 || !is_of(b, i, function->entry))
			continue;
		room[nr] = (struct path){ .samples = samples };
		find_callers(&room[nr++], paths, i);
	}
	qsort(room, nr, sizeof(*room), compare_paths);
	for (size_t i = 0; i < nr; i++) {
		if (i && !compare_paths(&room[i], &room[i - 1]))
			sum.samples += room[i].samples;
		else
			sum = room[i];
		if (sum.samples > function->path.samples)
			function->path = sum;
	}
}

/* Find the paths of the functions that the report shows. Return 0 or -ENOMEM. */
static int find_paths(struct brief *b)
{
	struct path *room = calloc(b->names.paths->nr_nodes + 1, sizeof(*room));

	if (!room)
		return -ENOMEM;
	for (size_t i = 0; i < b->nr_functions && i < MAX_FUNCTIONS; i++)
		find_path(&b->functions[i], b, room);
	free(room);
	return 0;
}

/* Return whether @path is the path of some samples, and not the place of samples without a path. */
static bool is_known(const struct brief *b, const struct path *path)
{
	const struct pp_place *places = b->names.paths->places;

	return path->samples &&
	       (!path->nr || places[path->places[path->nr - 1]].kind != PP_PLACE_NO_PATH);
}

static void put_path(const struct brief *b, const struct path *path, uint64_t samples)
{
	char buf[PP_BRIEF_NAME_MAX];

	fputs("     from ", b->out);
	if (path->has_more)
		fputs(PP_CLIP_MARK " > ", b->out);
	for (size_t i = path->nr; i; i--)
		fprintf(b->out, "%s%s",
			pp_brief_clip_name(buf, pp_path_name(&b->names, path->places[i - 1]),
					   b->limits->frame),
			i > 1 ? " > " : "");
	if (!path->nr)
		fputs("(start)", b->out);
	fprintf(b->out, ": %" PRIu64 " of %" PRIu64 "\n", path->samples, samples);
}

static void put_function(const struct brief *b, size_t i)
{
	const struct pp_profile *profile = b->report->profile;
	const struct function *function = &b->functions[i];
	const struct pp_group *group = pp_entry_group(profile, function->entry);
	const struct pp_code *code = pp_entry_code(profile, function->entry);
	const char *image = profile->binaries[code->binary].title;
	char buf[PP_BRIEF_NAME_MAX], share[PP_BRIEF_SHARE];

	fprintf(b->out, "%2zu. %" PRIu64 " %s ", i + 1, function->samples,
		pp_brief_share(share, function->samples, b->total));
	fprintf(b->out, "%s (",
		code->kind == PP_CODE_SYMBOL ? pp_brief_clip_name(buf, code->name, b->limits->name)
					     : "(no name)");
	fputs(pp_brief_clip(buf, pp_text_title(b->report, image), b->limits->frame), b->out);
	if (strcmp(group->app, image))
		fprintf(b->out, " in %s",
			pp_brief_clip(buf, pp_text_title(b->report, group->app),
				      b->limits->frame));
	fputs(")\n", b->out);
}

/* Return the number of samples whose call paths end early. */
static uint64_t count_short(const struct brief *b)
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
			sum += sum_of(b, paths->nodes[i].total);
	}
	return sum;
}

/* Print the meaning of the lines with paths, or that there are no paths. */
static void put_path_words(const struct brief *b)
{
	uint64_t all = b->has_paths ? sum_of(b, b->names.paths->nodes[PP_PATH_ROOT].total) : 0;
	char share[PP_BRIEF_SHARE];

	if (!b->has_paths) {
		fputs("  No call paths were recorded: operf -g and opcontrol --callgraph=DEPTH "
		      "record them\n",
		      b->out);
		return;
	}
	fprintf(b->out, "  The whole call path is known for %s of the %s\n",
		pp_brief_share(share, all - count_short(b), all), b->unit);
	if (b->limits->nr_paths)
		fputs("  from: the commonest callers, outermost first, and their share of the "
		      "function; " PP_CLIP_MARK ": further callers\n",
		      b->out);
}

static void put_functions(const struct brief *b)
{
	char share[PP_BRIEF_SHARE];
	uint64_t rest = 0;
	size_t i;

	fprintf(b->out, "FUNCTIONS: %s, share of the %s, function (binary in program)\n", b->unit,
		b->unit);
	put_path_words(b);
	for (i = 0; i < b->nr_functions && i < MAX_FUNCTIONS; i++) {
		const struct function *function = &b->functions[i];

		put_function(b, i);
		if (is_known(b, &function->path) && i < b->limits->nr_paths)
			put_path(b, &function->path, function->samples);
	}
	for (; i < b->nr_functions; i++)
		rest += b->functions[i].samples;
	if (b->nr_functions > MAX_FUNCTIONS)
		fprintf(b->out, "    %" PRIu64 " %s in %zu more %s\n", rest,
			pp_brief_share(share, rest, b->total), b->nr_functions - MAX_FUNCTIONS,
			op_plural(b->nr_functions - MAX_FUNCTIONS, "function", "functions"));
}

/* Commands. */

/* Return the option that chose the event, after a blank, or "". */
static const char *heap_option(const struct brief *b)
{
	if (!b->report->options->is_of_heap)
		return "";
	return !strcmp(b->report->session->classes.items[b->first].event, PP_SOURCE_NOT_FREED)
		       ? " --leaks"
		       : " --peak";
}

/* Print a command with the options of this report, if these can be printed and are short enough.
 * @before: the text before the options; @name: a further word to quote, or NULL. Return whether the
 * command was printed. */
static bool put_command(const struct brief *b, const char *what, const char *before,
			const char *name)
{
	const char *selection = b->report->selection;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool fits;

	if (!f)
		return false;
	fputs(before, f);
	if (name)
		op_put_word(f, name);
	fputs(heap_option(b), f);
	fputs(selection ? selection : "", f);
	fits = !fclose(f) && selection && size <= b->limits->command;
	if (fits)
		fprintf(b->out, "  %s: %s\n", what, text);
	free(text);
	return fits;
}

/* Samples without a function's name. */

/* The samples without a function's name in a binary. */
struct nameless {
	const struct pp_binary *binary;
	uint64_t samples;
};

static int compare_nameless(const void *a, const void *b)
{
	const struct nameless *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->binary->title, y->binary->title);
}

/* Return the reason for missing names, with the way to them unless the binary is stripped. Set
 * *@has_server to true if a server may have the names. */
static const char *reason_of(const struct pp_binary *binary, bool *is_stripped, bool *has_server)
{
	const struct pp_image_info *info = &binary->info;

	if (binary->name->kind == OP_IMAGE_KERN)
		return "record as root, or with the sysctl kernel.kptr_restrict=0";
	if (binary->name->kind == OP_IMAGE_ANON)
		return "made at run time: have the program write perf-PID.map or jit-PID.dump";
	if (!strncmp(binary->name->path, OP_MORE_PROGRAMS, strlen(OP_MORE_PROGRAMS)))
		return "programs beyond the limit of the session";
	if (info->state == PP_IMAGE_MISSING || info->state == PP_IMAGE_CHANGED) {
		*has_server |= info->missing_id != NULL;
		return info->state == PP_IMAGE_MISSING
			       ? "not found or not readable: name its place by --image-path=DIR"
			       : "not the profiled build: name its place by --image-path=DIR";
	}
	if (!info->has_elf)
		return "not an ELF file";
	if (!info->build_id)
		return "without a build-id: build it anew, and do not strip it";
	*has_server = true;
	*is_stripped = true;
	return "stripped";
}

static size_t list_nameless(const struct brief *b, struct nameless *list, uint64_t *sum)
{
	const struct pp_profile *profile = b->report->profile;
	size_t nr = 0;

	for (size_t i = 0; i < profile->nr_binaries; i++)
		list[i] = (struct nameless){.binary = &profile->binaries[i]};
	for (size_t i = 0; i < b->nr_functions; i++) {
		const struct pp_code *code = pp_entry_code(profile, b->functions[i].entry);

		if (code->kind == PP_CODE_SYMBOL)
			continue;
		list[code->binary].samples += b->functions[i].samples;
		*sum += b->functions[i].samples;
	}
	qsort(list, profile->nr_binaries, sizeof(*list), compare_nameless);
	while (nr < profile->nr_binaries && list[nr].samples)
		nr++;
	return nr;
}

static int put_nameless(const struct brief *b)
{
	const struct pp_profile *profile = b->report->profile;
	struct nameless *list = calloc(profile->nr_binaries + 1, sizeof(*list));
	char buf[PP_BRIEF_NAME_MAX], share[PP_BRIEF_SHARE], before[256];
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool is_stripped = false, has_server = false;
	uint64_t sum = 0;
	size_t nr;

	if (!list)
		return -ENOMEM;
	nr = list_nameless(b, list, &sum);
	fprintf(b->out, "MISSING NAMES: %s of the %s\n", pp_brief_share(share, sum, b->total),
		b->unit);
	for (size_t i = 0; i < nr && i < MAX_BINARIES; i++) {
		fprintf(b->out, "  %s in %s: ", pp_brief_share(share, list[i].samples, b->total),
			pp_brief_clip(buf, list[i].binary->title, b->limits->name));
		fprintf(b->out, "%s\n", reason_of(list[i].binary, &is_stripped, &has_server));
	}
	if (nr > MAX_BINARIES)
		fprintf(b->out, "  and in %zu more %s\n", nr - MAX_BINARIES,
			op_plural(nr - MAX_BINARIES, "binary", "binaries"));
	if (is_stripped)
		fputs("  stripped: install the package of debug symbols (-dbgsym, -debuginfo) of the "
		      "package that dpkg -S FILE or rpm -qf FILE prints\n",
		      b->out);
	snprintf(before, sizeof(before), "%sopreport --format=brief --debuginfod",
		 urls && *urls ? "" : "DEBUGINFOD_URLS=" A_SERVER " ");
	if (has_server && b->report->images && !b->report->images->debuginfod &&
	    !put_command(b, "ask a server", before, NULL))
		fputs("  ask a server: add --debuginfod to this command\n", b->out);
	free(list);
	return 0;
}

/* Return whether -i chooses exactly one function by @name: the name has a single form, and the list
 * of -i does not divide it. */
static bool is_word(const char *name)
{
	char clean[PP_BRIEF_NAME_MAX];

	for (const char *comma = strchr(name, ','); comma; comma = strchr(comma + 1, ','))
		if (comma[1] != ' ')
			return false;
	return *name && !strcmp(op_clean(clean, sizeof(clean), name), name);
}

/* There are commands about a function with at least a twentieth of the samples. */
#define WORTH_COMMANDS	20

/* Print commands about the function with the most samples that has a name. Return their number. */
static size_t put_function_commands(const struct brief *b)
{
	const struct pp_profile *profile = b->report->profile;
	const struct pp_code *code = NULL;
	const struct pp_binary *binary;
	size_t nr = 0;

	for (size_t i = 0; i < b->nr_functions && !code; i++) {
		if (b->functions[i].samples < b->total / WORTH_COMMANDS)
			break;
		code = pp_entry_code(profile, b->functions[i].entry);
		if (code->kind != PP_CODE_SYMBOL || !is_word(code->name))
			code = NULL;
	}
	if (!code || b->report->options->some_symbols)
		return 0;
	if (b->has_paths)
		nr += put_command(b, "callers", "opreport --calltree=callers --include-symbols=", code->name);
	binary = &profile->binaries[code->binary];
	if (binary->name->kind == OP_IMAGE_ROOT && binary->info.state == PP_IMAGE_OK &&
	    !b->report->options->is_of_heap)
		nr += put_command(b, "code", "opannotate --assembly --include-symbols=", code->name);
	return nr;
}

static void put_next(const struct brief *b)
{
	size_t nr = 0;

	fputs("NEXT\n", b->out);
	nr += put_command(b, "all functions", "opreport -l", NULL);
	if (b->has_paths)
		nr += put_command(b, "with callees", "opreport --calltree", NULL);
	if (count_short(b))
		nr += put_command(b, "why paths end", "opreport --why-short", NULL);
	nr += put_function_commands(b);
	nr += put_command(b, "page", "opreport --html -o page.html", NULL);
	if (!nr)
		fputs("  opreport -l, with the options of this report, which are too long to "
		      "repeat\n",
		      b->out);
}

/* The report. */

static int put_all(const struct brief *b)
{
	int err;

	fputs("ACCOUNTING\n", b->out);
	put_totals(b);
	err = put_losses(b);
	if (!err)
		err = put_facts(b);
	if (err)
		return err;
	put_programs(b);
	put_functions(b);
	err = put_nameless(b);
	if (!err)
		put_next(b);
	return err;
}

/* Write the report within the limits of one attempt. *@ret is malloc'd. Return 0 or -ENOMEM. */
static int attempt(char **ret, size_t *size, struct brief *b, const struct limits *limits)
{
	int err;

	b->limits = limits;
	b->out = open_memstream(ret, size);
	if (!b->out)
		return -ENOMEM;
	err = put_all(b);
	if (fclose(b->out) && !err)
		err = -ENOMEM;
	if (err) {
		free(*ret);
		*ret = NULL;
	}
	return err;
}

static int write_attempts(struct brief *b)
{
	static const char cut[] = "(cut at 4096 bytes)\n";
	char *text = NULL;
	size_t size = MAX_SIZE + 1;
	int err = 0;

	for (size_t i = 0; size > MAX_SIZE && i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		free(text);
		text = NULL;
		err = attempt(&text, &size, b, &attempts[i]);
		if (err)
			return err;
	}
	if (size > MAX_SIZE) {
		size = MAX_SIZE - strlen(cut);
		while (size && text[size - 1] != '\n')
			size--;
		fwrite(text, 1, size, b->report->out);
		fputs(cut, b->report->out);
	} else {
		fwrite(text, 1, size, b->report->out);
	}
	free(text);
	return 0;
}

static int write_brief(const struct pp_report *report)
{
	struct brief b = {.report = report, .has_paths = report->profile->paths != NULL};
	int err;

	choose_event(&b);
	err = list_functions(&b);
	if (!err)
		err = pp_path_names_make(&b.names, report);
	if (!err && b.has_paths)
		err = find_paths(&b);
	if (!err)
		err = write_attempts(&b);
	pp_path_names_release(&b.names);
	free(b.functions);
	return err;
}

const struct pp_format_ops pp_format_brief = {
	.name = "brief",
	.what = "accounting, ten functions and next commands in 4 KB",
	.needs = PP_NEED_SYMBOLS | PP_NEED_PATHS,
	.flags = PP_FORMAT_MANY_AXES,
	.write = write_brief,
};
