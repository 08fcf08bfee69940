// SPDX-License-Identifier: GPL-2.0-or-later
/* folded.c -- folded stacks, the input of flamegraph.pl: one line for each stack, with frames
 * separated by semicolons. */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "pp/format/format.h"
#include "pp/format/path_names.h"

/* The names on the path from the program to a node, and the end of each name in the text. */
struct line {
	char *text;
	size_t size;
	size_t end[PP_PATH_MAX_DEPTH + 3];
};

struct folded {
	struct pp_path_names tree;
	struct pp_path_walk walk;
	struct line line;
};

/* Append the name of a frame to the line of a stack. Replace semicolons in the name, because they
 * separate frames. */
static int put_name(struct line *line, size_t depth, const char *name)
{
	char buf[OP_CLEAN_MAX], *grown;
	size_t at = depth > 1 ? line->end[depth - 1] : 0, len;

	name = op_clean(buf, sizeof(buf), name);
	len = strlen(name);
	if (at + len + 2 > line->size) {
		grown = realloc(line->text, 2 * (at + len + 2));
		if (!grown)
			return -1;
		line->text = grown;
		line->size = 2 * (at + len + 2);
	}
	if (depth > 1)
		line->text[at++] = ';';
	for (; *name; name++)
		line->text[at++] = *name == ';' ? ':' : *name;
	line->end[depth] = at;
	return 0;
}

/* Write a line for each stack. A differential profile has two columns, samples before and after. */
static int write_lines(struct folded *f, const struct pp_report *report)
{
	const struct pp_paths *paths = f->tree.paths;
	const size_t nr = pp_nr_sides(report);
	FILE *out = report->out;

	pp_path_walk_begin(&f->walk, paths);
	while (pp_path_walk_next(&f->walk)) {
		const struct pp_path_node *node = &paths->nodes[f->walk.nodes[f->walk.depth]];

		if (put_name(&f->line, f->walk.depth, pp_path_name(&f->tree, node->place)))
			return -1;
		if (!node->self || !pp_has_counts(node->self, nr))
			continue;
		fwrite(f->line.text, 1, f->line.end[f->walk.depth], out);
		for (size_t i = 0; i < nr; i++)
			fprintf(out, " %" PRIu64, node->self[pp_side_at(report, i)]);
		putc('\n', out);
	}
	return 0;
}

static int write_folded(const struct pp_report *report)
{
	struct folded *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	err = pp_path_names_make_significant(&f->tree, report);
	if (!err && write_lines(f, report))
		err = -ENOMEM;
	pp_path_names_release(&f->tree);
	free(f->line.text);
	free(f);
	return err;
}

const struct pp_format_ops pp_format_folded = {
	.name = "folded",
	.what = "stacks, for flamegraph.pl and its like",
	.needs = PP_NEED_SYMBOLS | PP_NEED_PATHS,
	.flags = PP_FORMAT_ONE_CLASS | PP_FORMAT_DIFF | PP_FORMAT_PRUNES,
	.write = write_folded,
};
