// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_graph.c -- the graph of the page: its HTML elements, and the data for the page's script.
 *
 * The script draws the graph, so without JavaScript a page has only the tables.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/json.h"
#include "libop/base/xml.h"
#include "pp/format/html.h"
#include "pp/format/html_time.h"
#include "pp/format/path_names.h"
#include "pp/format/path_why.h"

/* The nodes that the page's graph shows, selected from the tree of call paths. A function of the
 * graph is a function or a program (struct pp_place) of these nodes. */
struct graph {
	const struct pp_html *html;
	struct pp_path_names names;
	struct pp_path_pick pick;
	/* for each node of the graph: samples of the node, and of its descendants that the graph
	 * does not show */
	uint64_t *counts;
	size_t nr_counts;		/* length of each node's array in .counts */
	/* for each element of .places: index of its function in the graph plus 1; 0: not in the
	 * graph */
	uint32_t *function_of;
	/* for each function of the graph: one of the function's nodes in the tree */
	uint32_t *examples;
	size_t nr_functions;
	int64_t *image_of;		/* for each binary: index of the binary in .images, or -1 */
	uint32_t *images;		/* binaries that contain functions of the graph */
	size_t nr_images;
};

static int sum_picked(struct graph *g)
{
	const struct pp_path_node *nodes = g->names.paths->nodes;
	size_t nr = g->nr_counts;

	g->counts = calloc(g->pick.nr * nr + 1, sizeof(*g->counts));
	if (!g->counts)
		return -ENOMEM;
	for (size_t i = 0; i < g->pick.nr; i++)
		memcpy(&g->counts[i * nr], nodes[g->pick.nodes[i]].total, nr * sizeof(*g->counts));
	for (size_t i = 0; i < g->pick.nr; i++)
		for (size_t c = 0; c < nr && g->pick.parent[i] != i; c++)
			g->counts[g->pick.parent[i] * nr + c] -= nodes[g->pick.nodes[i]].total[c];
	return 0;
}

/* Return the index of the binary that contains the function, or -1 for a program and for the reason
 * why a path is incomplete. */
static int64_t binary_of(const struct graph *g, uint32_t index)
{
	const struct pp_place *place = &g->names.paths->places[index];

	switch (place->kind) {
	case PP_PLACE_CODE:
	case PP_PLACE_INLINED:
		return g->html->profile->codes[place->code].binary;
	case PP_PLACE_IMAGE:
		return place->binary;
	default:
		return -1;
	}
}

static int number_functions(struct graph *g)
{
	size_t nr_places = g->names.paths->nr_places, nr_binaries = g->html->profile->nr_binaries;

	g->function_of = calloc(nr_places + 1, sizeof(*g->function_of));
	g->examples = calloc(nr_places + 1, sizeof(*g->examples));
	g->image_of = calloc(nr_binaries + 1, sizeof(*g->image_of));
	g->images = calloc(nr_binaries + 1, sizeof(*g->images));
	if (!g->function_of || !g->examples || !g->image_of || !g->images)
		return -ENOMEM;
	for (size_t i = 0; i < nr_binaries; i++)
		g->image_of[i] = -1;
	for (size_t i = 0; i < g->pick.nr; i++) {
		uint32_t place = g->names.paths->nodes[g->pick.nodes[i]].place;
		int64_t binary = binary_of(g, place);

		if (g->function_of[place])
			continue;
		g->examples[g->nr_functions] = g->pick.nodes[i];
		g->function_of[place] = ++g->nr_functions;
		if (binary >= 0 && g->image_of[binary] < 0) {
			g->image_of[binary] = (int64_t)g->nr_images;
			g->images[g->nr_images++] = (uint32_t)binary;
		}
	}
	return 0;
}

static int graph_make(struct graph *g, const struct pp_html *html)
{
	int err = pp_path_names_make(&g->names, html->report);

	g->html = html;
	g->nr_counts = pp_shown_counts(html->profile);
	if (!err)
		err = pp_path_pick_make(&g->pick, &g->names, PP_HTML_MAX_NODES);
	if (!err)
		err = sum_picked(g);
	if (!err)
		err = number_functions(g);
	return err;
}

static void graph_release(struct graph *g)
{
	free(g->counts);
	free(g->function_of);
	free(g->examples);
	free(g->image_of);
	free(g->images);
	pp_path_pick_release(&g->pick);
	if (g->names.paths)
		pp_path_names_release(&g->names);
}

static void put_classes(struct op_json *json, const struct pp_classes *classes)
{
	char label[256];

	op_json_begin_key(json, "classes", '[');
	for (size_t i = 0; i < classes->nr; i++) {
		pp_class_label(label, sizeof(label), &classes->items[i]);
		op_json_string(json, label);
	}
	op_json_end(json, ']');
	op_json_begin_key(json, "units", '[');
	for (size_t i = 0; i < classes->nr; i++)
		op_json_string(json, pp_class_unit(&classes->items[i]));
	op_json_end(json, ']');
}

/* Write the functions as [name, index of the image or -1, colour]. Programs are functions without
 * an image. */
static void put_functions(struct op_json *json, const struct graph *g)
{
	const struct pp_binary *binaries = g->html->profile->binaries;

	op_json_begin_key(json, "images", '[');
	for (size_t i = 0; i < g->nr_images; i++)
		op_json_string(json, pp_stack_title(&g->names.stacks,
						    binaries[g->images[i]].title));
	op_json_end(json, ']');
	op_json_begin_key(json, "functions", '[');
	for (size_t i = 0; i < g->nr_functions; i++) {
		uint32_t place = g->names.paths->nodes[g->examples[i]].place;
		int64_t binary = binary_of(g, place);
		enum pp_path_colour colour = pp_path_colour(&g->names, g->examples[i]);

		op_json_begin(json, '[');
		op_json_string(json, pp_path_name(&g->names, place));
		op_json_int(json, binary < 0 ? -1 : g->image_of[binary]);
		op_json_uint(json, colour == PP_PATH_BY_POINTER ? PP_PATH_USER : colour);
		op_json_end(json, ']');
	}
	op_json_end(json, ']');
}

/* Write an array for each property of the graph's nodes. The nodes are in depth-first order: all
 * descendants of a node follow the node. */
static void put_nodes(struct op_json *json, const struct graph *g)
{
	const struct pp_path_pick *pick = &g->pick;

	op_json_begin_key(json, "nodes", '{');
	/* index of the function times 2, plus 1 if the unwinder found the frame by a frame
	 * pointer */
	op_json_begin_key(json, "frame", '[');
	for (size_t i = 0; i < pick->nr; i++) {
		uint32_t place = g->names.paths->nodes[pick->nodes[i]].place;
		bool by_pointer = pp_path_colour(&g->names, pick->nodes[i]) == PP_PATH_BY_POINTER;

		op_json_uint(json, 2 * (g->function_of[place] - 1) + by_pointer);
	}
	op_json_end(json, ']');
	/* index of the node minus the index of its parent; 0 for programs */
	op_json_begin_key(json, "up", '[');
	for (size_t i = 0; i < pick->nr; i++)
		op_json_uint(json, i - pick->parent[i]);
	op_json_end(json, ']');
	op_json_begin_key(json, "counts", '[');
	for (size_t c = 0; c < g->nr_counts; c++) {
		op_json_begin(json, '[');
		for (size_t i = 0; i < pick->nr; i++)
			op_json_uint(json, g->counts[i * g->nr_counts + c]);
		op_json_end(json, ']');
	}
	op_json_end(json, ']');
	op_json_end(json, '}');
}

/* Read the slices of time. Return the data of the time line. If the page cannot have a time line,
 * warn and return NULL. */
static const struct pp_html_time *read_time(const struct graph *g)
{
	const struct pp_html *html = g->html;
	int err = html->time ? pp_html_time_read(html->time, html, &g->names, &g->pick) : 0;

	if (!err)
		return html->time;
	pp_warn(html->report->log, "the page has no time line: %s",
		err == -EAGAIN ? "the daemon joined intervals during the report; repeat the command" :
				 strerror(-err));
	return NULL;
}

int pp_html_data(const struct pp_html *html)
{
	struct graph g = { 0 };
	int err = graph_make(&g, html);

	if (!err) {
		const struct pp_html_time *time = read_time(&g);
		struct op_json json;

		fputs("<script type=\"application/json\" id=data>", html->out);
		op_json_init(&json, html->out, 1);
		op_json_begin(&json, '{');
		put_classes(&json, &html->report->session->classes);
		put_functions(&json, &g);
		put_nodes(&json, &g);
		op_json_add_uint(&json, "left_out", g.pick.nr_left_out);
		if (time)
			pp_html_time_put(time, html, &json);
		op_json_end(&json, '}');
		fputs("</script>\n", html->out);
	}
	graph_release(&g);
	return err;
}

static void put_legend(const struct pp_html *html)
{
	bool is_diff = html->report->before != NULL;

	fputs("<p class=soft>", html->out);
	fputs(is_diff ? "The width is the share of samples after, or before, as chosen. Orange had "
			"a smaller share before, blue a larger one, grey the same; the numbers "
			"are the shares before and after."
		      : "The width is the share of samples.",
	      html->out);
	if (!is_diff && html->profile->paths)
		fputs(" Orange is user code, yellow when a frame pointer led to it, green inlined, "
		      "violet without a symbol, red the kernel, grey why a path is short.",
		      html->out);
	fputs("</p>\n<p class=soft>", html->out);
	pp_path_shares_put(html->out, html->report, " ", op_xml_text);
	fputs(" Click to zoom; <kbd>?</kbd> lists the keys.</p>\n", html->out);
}

/* Keys that the page accepts, and their actions, for the help. */
static const struct {
	const char *key, *what;
} keys[] = {
	{ "arrows", "move in the graph, and in the time line" },
	{ "Enter", "zoom to the chosen function; in callers and callees, show those of this function" },
	{ "Backspace", "zoom out by one function" },
	{ "b", "callers above and callees below the chosen function, over all its calls" },
	{ "i", "invert: the functions with samples first, their callers below" },
	{ "d", "remove the samples of the chosen function and of all that it called" },
	{ "D", "remove the samples of its library in the same way" },
	{ "m", "merge the chosen function into its callers, which get its samples" },
	{ "M", "merge its library in the same way" },
	{ "u", "undo; also Ctrl+Z" },
	{ "r", "redo; also Ctrl+Y" },
	{ "0", "show all: end zoom, search, removals and merges" },
	{ "/", "search in the graph and the list of its functions" },
	{ "g", "go to the graph" },
	{ "l", "go to the list of functions of the graph" },
	{ "t", "go to the time line" },
	{ "f", "go to the filter of the tables" },
	{ "?", "show this help; Escape closes it" },
};

static void put_help(const struct pp_html *html)
{
	fputs("<dialog id=keys aria-labelledby=keys-title>\n<h2 id=keys-title>Keys</h2>\n<table>\n",
	      html->out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		fprintf(html->out, "<tr><th scope=row><kbd>%s</kbd><td>%s\n", keys[i].key,
			keys[i].what);
	fputs("</table>\n<p>The address of the page contains the view: send it with the file.</p>\n"
	      "<p><button id=keys-close type=button>Close</button></p>\n</dialog>\n", html->out);
}

static void put_button(const struct pp_html *html, const char *id, const char *text,
		       const char *key)
{
	fprintf(html->out, "<button id=%s type=button title=\"Key %s\">%s</button>\n", id, key,
		text);
}

void pp_html_graph(const struct pp_html *html)
{
	fprintf(html->out,
		"<section id=flame class=script aria-labelledby=flame-title hidden>\n"
		"<h2 id=flame-title>%s</h2>\n",
		html->profile->paths ? "Call paths" : "Programs, images, symbols");
	fputs("<p class=bar><label for=search>Search</label> <input id=search type=search>\n"
	      "<select id=class aria-label=\"Kind of samples\"></select>\n", html->out);
	put_button(html, "invert", "Invert", "i");
	put_button(html, "undo", "Undo", "u");
	put_button(html, "redo", "Redo", "r");
	put_button(html, "reset", "Show all", "0");
	put_button(html, "help", "Keys", "?");
	fputs("<a id=link href=\"#flame\">Link to this view</a> "
	      "<span id=found role=status></span></p>\n"
	      "<ul id=steps class=bar aria-label=\"Removed and merged\"></ul>\n"
	      "<p id=flame-says role=status></p>\n"
	      "<p class=bar role=group aria-label=\"The chosen function\">\n", html->out);
	put_button(html, "fly", "Callers and callees", "b");
	put_button(html, "drop", "Remove samples", "d");
	put_button(html, "merge", "Merge into callers", "m");
	put_button(html, "drop-image", "Remove library", "D");
	put_button(html, "merge-image", "Merge library", "M");
	fputs("</p>\n<div id=flame-graph tabindex=0 role=application aria-labelledby=flame-title "
	      "aria-describedby=flame-says><div><canvas></canvas></div></div>\n", html->out);
	put_legend(html);
	fputs("<h3 id=functions-title>Functions of this graph: choose one for its callers and "
	      "callees</h3>\n"
	      "<div class=wide><table id=functions class=names aria-labelledby=functions-title>"
	      "<thead><tr></thead><tbody></tbody></table></div>\n"
	      "<p id=functions-rest class=soft></p>\n<p id=left-out class=soft></p>\n</section>\n",
	      html->out);
	put_help(html);
}
