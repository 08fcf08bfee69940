// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flamegraph.c -- a picture of all stacks as an SVG file that loads no other file. Its script zooms
 * and searches, but the picture is complete without the script. op_xml_text() escapes all text of a
 * profile.
 */
#include "config.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/plural.h"
#include "libop/base/xml.h"
#include "pp/format/format.h"
#include "pp/format/html_assets.h"
#include "pp/format/path_names.h"
#include "pp/format/path_why.h"
#include "pp/format/percent.h"
#include "pp/join/diff.h"

#define MAX_NODES	20000	/* maximum number of nodes, because browsers are slow with more */
#define WIDTH		1180.0	/* width of the flame graph in pixels */
#define LEFT		10
#define TOP		103
#define LINE		165	/* maximum number of characters in a line above the graph */
#define ROW		17
#define LEAST_CHANGE	0.01	/* smallest relative change of a share that gets a colour */
#define LETTER		7.25	/* average width of a character in pixels */

struct flamegraph {
	const struct pp_report *report;
	FILE *out;
	struct pp_path_names names;
	struct pp_path_pick pick;
	/* for each node that is drawn: number of samples to the left of the node */
	uint64_t *at;
	/* for each node that is drawn: sum of the samples of children whose position is known */
	uint64_t *used;
	uint64_t total;
	unsigned int depth;	/* depth of the deepest node in the graph */
};

static uint64_t samples_of(const struct flamegraph *f, size_t i)
{
	return f->names.paths->nodes[f->pick.nodes[i]].total[0];
}

static unsigned int depth_of(const struct flamegraph *f, size_t i)
{
	return f->names.paths->nodes[f->pick.nodes[i]].depth;
}

/* Compute the positions of the nodes. The child with most samples is leftmost. */
static int lay_out(struct flamegraph *f)
{
	uint64_t programs = 0;

	f->at = calloc(f->pick.nr + 1, sizeof(*f->at));
	f->used = calloc(f->pick.nr + 1, sizeof(*f->used));
	if (!f->at || !f->used)
		return -ENOMEM;
	f->total = f->names.paths->nodes[PP_PATH_ROOT].total[0];
	for (size_t i = 0; i < f->pick.nr; i++) {
		uint32_t parent = f->pick.parent[i];
		uint64_t *left = depth_of(f, i) > 1 ? &f->used[parent] : &programs;

		f->at[i] = (depth_of(f, i) > 1 ? f->at[parent] : 0) + *left;
		*left += samples_of(f, i);
		f->depth = depth_of(f, i) > f->depth ? depth_of(f, i) : f->depth;
	}
	return 0;
}

static unsigned int row_of(const struct flamegraph *f, unsigned int depth)
{
	return TOP + (f->depth - depth) * ROW;
}

/* Colour a node by the change of its share of samples: orange for more, blue for less, grey for
 * equal. */
static void put_change(const struct flamegraph *f, const uint64_t *counts)
{
	const struct pp_profile *profile = f->report->profile;
	const uint64_t *before = pp_diff_before(profile, counts), *totals = profile->totals;
	double now = totals[0] ? (double)counts[0] / totals[0] : 0;
	double was =
		totals[profile->nr_classes] ? (double)before[0] / totals[profile->nr_classes] : 0;
	double most = now > was ? now : was;
	double change = most > 0 ? (now > was ? now - was : was - now) / most : 0;

	if (change < LEAST_CHANGE)
		fputs(" style=\"fill:hsl(0,0%,90%)\"", f->out);
	else
		fprintf(f->out, " style=\"fill:hsl(%d,85%%,%d%%)\"", now > was ? 30 : 215,
			(int)(92 - 32 * change));
}

static const char *unit_of(const struct flamegraph *f)
{
	return pp_class_unit(f->report->session->classes.items);
}

static void put_title(const struct flamegraph *f, const char *name, const uint64_t *counts,
		      const char *kind)
{
	const struct pp_profile *profile = f->report->profile;
	char percent[PP_PERCENT_SIZE];

	pp_percent(percent, counts[0], f->total);
	fputs("<title>", f->out);
	op_xml_text(f->out, name);
	fprintf(f->out, "%s: %" PRIu64 " %s, %s%%", kind, counts[0], unit_of(f),
		percent + strspn(percent, " "));
	if (f->report->before) {
		const uint64_t *before = pp_diff_before(profile, counts);

		pp_percent(percent, before[0], profile->totals[profile->nr_classes]);
		fprintf(f->out, "; before %" PRIu64 ", %s%%", before[0],
			percent + strspn(percent, " "));
	}
	fputs("</title>", f->out);
}

/* Write a node's name into its rectangle if it fits. The script writes shortened names into
 * narrower rectangles. */
static void put_label(const struct flamegraph *f, double x, double width, unsigned int y,
		      const char *name)
{
	fprintf(f->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, y + 12);
	if (op_clean_columns(name) * LETTER + 6 <= width)
		op_xml_text(f->out, name);
	fputs("</text>", f->out);
}

static void put_node(const struct flamegraph *f, const char *name, const uint64_t *counts,
		     uint64_t at, unsigned int depth, int colour, const char *kind)
{
	double x = LEFT + at * WIDTH / f->total, width = counts[0] * WIDTH / f->total;
	unsigned int y = row_of(f, depth);

	fprintf(f->out,
		"<g class=\"k%d\" tabindex=\"0\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64
		"\" data-d=\"%u\"",
		colour, at, counts[0], depth);
	op_xml_attribute(f->out, "data-n", name);
	putc('>', f->out);
	put_title(f, name, counts, kind);
	fprintf(f->out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"", x, y, width,
		ROW - 1);
	if (f->report->before && depth)
		put_change(f, counts);
	fputs("/>", f->out);
	put_label(f, x, width, y, name);
	fputs("</g>\n", f->out);
}

static const struct {
	const char *in_title, *in_legend;
} kinds[] = {
	[PP_PATH_PROGRAM] = { "", "program" },
	[PP_PATH_USER] = { "", "user" },
	[PP_PATH_UNCOVERED] = { "", "no symbol" },
	[PP_PATH_KERNEL] = { " (kernel)", "kernel" },
	[PP_PATH_INLINED] = { " (inlined)", "inlined" },
	[PP_PATH_BY_POINTER] = { " (by frame pointer)", "by frame pointer" },
	[PP_PATH_REASON] = { "", "why a path is short" },
};

static void put_nodes(const struct flamegraph *f)
{
	const struct pp_paths *paths = f->names.paths;

	fputs("<g id=\"nodes\">\n", f->out);
	put_node(f, "all", paths->nodes[PP_PATH_ROOT].total, 0, 0, PP_PATH_PROGRAM, "");
	for (size_t i = 0; i < f->pick.nr; i++) {
		const struct pp_path_node *node = &paths->nodes[f->pick.nodes[i]];
		enum pp_path_colour colour = pp_path_colour(&f->names, f->pick.nodes[i]);

		put_node(f, pp_path_name(&f->names, node->place), node->total, f->at[i],
			 node->depth, colour, kinds[colour].in_title);
	}
	fputs("</g>\n", f->out);
}

static void put_legend(const struct flamegraph *f)
{
	int x = LEFT;

	if (f->report->before) {
		fputs("<text class=\"soft\" x=\"10\" y=\"91\">The width is the share of samples "
		      "after; orange had a smaller share before, blue a larger one, grey the "
		      "same.</text>\n",
		      f->out);
		return;
	}
	for (int i = 0; i < PP_PATH_NR_COLOURS; i++) {
		fprintf(f->out,
			"<rect class=\"k%d\" x=\"%d\" y=\"81\" width=\"12\" height=\"12\"/>"
			"<text class=\"soft\" x=\"%d\" y=\"91\">%s</text>\n",
			i, x, x + 16, kinds[i].in_legend);
		x += 16 + (int)((strlen(kinds[i].in_legend) + 2) * LETTER);
	}
}

/* Write the shares of complete call paths. If the text is too long for a line, break it at a comma.
 * Return 0 or -ENOMEM. */
static int put_shares(const struct flamegraph *f)
{
	char *text = NULL, *end;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	pp_path_shares_put(out, f->report, " ", op_xml_text);
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	end = size > LINE ? memrchr(text, ',', LINE) : NULL;
	fprintf(f->out, "<text class=\"soft\" x=\"10\" y=\"57\">%.*s",
		end ? (int)(end + 1 - text) : (int)size, text);
	if (end)
		fprintf(f->out, "<tspan x=\"10\" y=\"72\">%s</tspan>", end + 2);
	fputs("</text>\n", f->out);
	free(text);
	return 0;
}

/* Print "prog: " or "prog and 3 more: ", with the program that has most samples. */
static void put_programs(const struct flamegraph *f)
{
	const struct pp_profile *profile = f->report->profile;
	const struct pp_app *most = NULL;

	for (size_t i = 0; i < profile->nr_apps; i++)
		if (!most || profile->apps[i].counts[0] > most->counts[0])
			most = &profile->apps[i];
	if (!most)
		return;
	op_xml_text(f->out, pp_stack_title(&f->names.stacks, most->app));
	if (profile->nr_apps > 1)
		fprintf(f->out, " and %zu more", profile->nr_apps - 1);
	fputs(": ", f->out);
}

static int put_head(const struct flamegraph *f)
{
	unsigned int height = row_of(f, 0) + 3 * ROW;
	int err;
	char label[256];

	/* Use a fixed height, because a deep graph that is scaled to the window's height would be
	 * unreadable. */
	fprintf(f->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
		"xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"0 0 1200 %u\" width=\"100%%\" height=\"%u\" "
		"preserveAspectRatio=\"xMidYMin\">\n<style>%s</style>\n"
		"<rect width=\"1200\" height=\"%u\" fill=\"#fff\"/>\n",
		height, height, flamegraph_css, height);
	if (f->pick.nr_left_out)
		fprintf(f->out,
			"<text class=\"soft\" x=\"10\" y=\"%u\">%zu %s, of the fewest samples, "
			"%s not drawn.</text>\n",
			row_of(f, 0) + 2 * ROW, f->pick.nr_left_out,
			op_plural(f->pick.nr_left_out, "branch", "branches"),
			op_plural(f->pick.nr_left_out, "is", "are"));
	/* The script keeps the group "head" visible while the page is scrolled. */
	fprintf(f->out, "<g id=\"head\"><rect width=\"1200\" height=\"%d\" fill=\"#fff\"/>\n"
		"<text id=\"title\" x=\"10\" y=\"22\">", TOP - 4);
	put_programs(f);
	pp_class_label(label, sizeof(label), f->report->session->classes.items);
	op_xml_text(f->out, label);
	fprintf(f->out, ": %" PRIu64 " %s</text>\n<text class=\"soft\" x=\"10\" y=\"40\">",
		f->total, unit_of(f));
	op_xml_text(f->out, f->report->command);
	fputs("</text>\n", f->out);
	err = put_shares(f);
	if (err)
		return err;
	put_legend(f);
	/* The script inserts a search field to the right of the button "Show all". */
	fputs("<text id=\"reset\" class=\"button\" x=\"980\" y=\"22\" text-anchor=\"end\" "
	      "style=\"display:none\">Show all</text>\n"
	      "<text id=\"says\" x=\"1190\" y=\"40\" text-anchor=\"end\"></text>\n</g>\n", f->out);
	return 0;
}

static int write_flamegraph(const struct pp_report *report)
{
	struct flamegraph f = { .report = report, .out = report->out };
	int err;

	err = pp_path_names_make_significant(&f.names, report);
	if (!err)
		err = pp_path_pick_make(&f.pick, &f.names, MAX_NODES);
	if (!err)
		err = lay_out(&f);
	if (!err)
		err = put_head(&f);
	if (!err) {
		put_nodes(&f);
		fprintf(f.out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flamegraph_js);
	}
	free(f.at);
	free(f.used);
	pp_path_pick_release(&f.pick);
	pp_path_names_release(&f.names);
	return err;
}

const struct pp_format_ops pp_format_flamegraph = {
	.name = "flamegraph",
	.what = "a picture of all stacks (SVG) to zoom and search in",
	.needs = PP_NEED_SYMBOLS | PP_NEED_PATHS,
	.flags = PP_FORMAT_DIFF | PP_FORMAT_PRUNES | PP_FORMAT_ONE_CLASS,
	.write = write_flamegraph,
};
