// SPDX-License-Identifier: GPL-2.0-or-later
/* brief_where.c -- kernel subsystems in a brief report, and the call path that most samples
 * share. */
#include "config.h"
#include "pp/format/brief.h"

#include <string.h>

#include "pp/format/brief_text.h"
#include "pp/format/clip.h"
#include "pp/profile/subsystems.h"

#define MAX_SUBSYSTEMS	64 /* maximum number of summed subsystems; the table of names has fewer */
#define SHOWN_SUBSYSTEMS	4
#define WORTH_SUBSYSTEM	50	/* print a subsystem only if it has at least 1/50 of the samples */
#define WORTH_KERNEL	20

struct subsystem {
	char name[64];
	uint64_t samples;
};

static void add(struct subsystem *all, size_t *nr, const char *name, uint64_t samples)
{
	size_t i = 0;

	while (i < *nr && strcmp(all[i].name, name))
		i++;
	if (i == MAX_SUBSYSTEMS)
		return;
	if (i == *nr) {
		snprintf(all[i].name, sizeof(all[i].name), "%s", name);
		all[(*nr)++].samples = 0;
	}
	all[i].samples += samples;
}

/* Print the subsystems of the kernel with most samples. */
static void put_subsystems(const struct pp_brief *b, struct subsystem *all, size_t nr)
{
	char share[PP_BRIEF_SHARE];

	for (size_t shown = 0; shown < SHOWN_SUBSYSTEMS; shown++) {
		struct subsystem *most = all;

		for (size_t i = 1; i < nr; i++)
			if (all[i].samples > most->samples)
				most = &all[i];
		if (most->samples < b->total / WORTH_SUBSYSTEM || !most->samples)
			break;
		fprintf(b->out, "%s%s %s", shown ? ", " : ": ", most->name,
			pp_brief_share(share, most->samples, b->total));
		most->samples = 0;
	}
}

void pp_brief_put_kernel(const struct pp_brief *b)
{
	const struct pp_profile *profile = b->report->profile;
	struct subsystem all[MAX_SUBSYSTEMS];
	char buf[256], share[PP_BRIEF_SHARE];
	uint64_t kernel = 0;
	size_t nr = 0;

	for (size_t i = 0; i < b->nr_functions; i++) {
		const struct pp_code *code = pp_entry_code(profile, b->functions[i].entry);
		const char *name = pp_subsystem_of_code(buf, sizeof(buf), code,
							&profile->binaries[code->binary]);

		if (!name)
			continue;
		kernel += b->functions[i].samples;
		add(all, &nr, name, b->functions[i].samples);
	}
	if (kernel < b->total / WORTH_KERNEL || !kernel)
		return;
	fprintf(b->out, "  %s in the kernel", pp_brief_share(share, kernel, b->total));
	put_subsystems(b, all, nr);
	putc('\n', b->out);
}

#define MAX_STEPS	6 /* maximum number of innermost functions of the main path to print */
#define MAX_DEPTH	512

/* Return the child of @node that has more than half of all samples, or 0 if no child has. */
static uint32_t main_child(const struct pp_brief *b, uint32_t node)
{
	const struct pp_paths *paths = b->names.paths;
	const struct pp_path_node *n = &paths->nodes[node];

	for (uint32_t i = 0; i < n->nr; i++) {
		uint32_t child = paths->children[n->first + i];

		if (pp_brief_sum(b, paths->nodes[child].total) > b->total / 2)
			return child;
	}
	return 0;
}

void pp_brief_put_main_path(const struct pp_brief *b)
{
	const struct pp_paths *paths = b->names.paths;
	char buf[PP_BRIEF_NAME_MAX], share[PP_BRIEF_SHARE];
	uint32_t steps[MAX_DEPTH], node = PP_PATH_ROOT;
	uint64_t before = 0;
	size_t nr = 0, i;

	while (b->has_paths && nr < MAX_DEPTH && (node = main_child(b, node)))
		steps[nr++] = node;
	if (nr < 2)
		return;
	fputs("  Most samples are below: ", b->out);
	i = nr > MAX_STEPS ? nr - MAX_STEPS : 1;
	if (i > 1)
		fputs(PP_CLIP_MARK " > ", b->out);
	for (; i < nr; i++) {
		uint64_t samples = pp_brief_sum(b, paths->nodes[steps[i]].total);

		fputs(pp_brief_clip_name(buf, pp_path_name(&b->names, paths->nodes[steps[i]].place),
					 b->limits->frame), b->out);
		if (samples != before)
			fprintf(b->out, " %s", pp_brief_share(share, samples, b->total));
		fputs(i + 1 < nr ? " > " : "\n", b->out);
		before = samples;
	}
}
