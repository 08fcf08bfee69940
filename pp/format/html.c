// SPDX-License-Identifier: GPL-2.0-or-later
/* html.c -- the frame of the HTML page. */
#include "config.h"
#include "pp/format/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/json.h"
#include "libop/base/xml.h"
#include "pp/format/facts.h"
#include "pp/format/html_assets.h"
#include "pp/format/html_time.h"
#include "pp/format/path_names.h"
#include "pp/format/path_why.h"

/* Data for the script of the page, as JSON. */

static void put_frames(struct op_json *json, const struct pp_path_names *names,
		       const uint32_t *nodes, size_t nr)
{
	op_json_begin_key(json, "frames", '[');
	for (size_t i = 0; i < nr; i++) {
		op_json_begin(json, '[');
		op_json_string(json, pp_path_name(names, names->paths->nodes[nodes[i]].place));
		op_json_uint(json, pp_path_colour(names, nodes[i]));
		op_json_end(json, ']');
	}
	op_json_end(json, ']');
}

/* Store the samples of each picked node, without the samples of the picked nodes below it. Return 0
 * or -ENOMEM. */
static int sum_picked(uint64_t **ret, const struct pp_path_names *names,
		      const struct pp_path_pick *pick)
{
	size_t nr = pp_shown_counts(names->stacks.profile);
	uint64_t *counts = calloc(pick->nr * nr + 1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < pick->nr; i++)
		memcpy(&counts[i * nr], names->paths->nodes[pick->nodes[i]].total,
		       nr * sizeof(*counts));
	for (size_t i = 0; i < pick->nr; i++)
		for (size_t c = 0; c < nr && pick->parent[i] != i; c++)
			counts[pick->parent[i] * nr + c] -=
				names->paths->nodes[pick->nodes[i]].total[c];
	*ret = counts;
	return 0;
}

/* The frames of the picture. All nodes with the same place and the same colour have one frame. */
struct frames {
	uint32_t *of_node;	/* for each picked node: the number of its frame */
	uint32_t *example;	/* index of a node of each frame */
	size_t nr;
};

static int number_frames(struct frames *ret, const struct pp_path_names *names,
			 const struct pp_path_pick *pick)
{
	uint32_t *of_place = calloc(2 * names->paths->nr_places + 1, sizeof(*of_place));

	ret->of_node = calloc(pick->nr + 1, sizeof(*ret->of_node));
	ret->example = calloc(pick->nr + 1, sizeof(*ret->example));
	if (!of_place || !ret->of_node || !ret->example) {
		free(of_place);
		return -ENOMEM;
	}
	for (size_t i = 0; i < pick->nr; i++) {
		const struct pp_path_node *node = &names->paths->nodes[pick->nodes[i]];
		uint32_t *frame = &of_place[2 * node->place + node->by_pointer];

		if (!*frame) {
			ret->example[ret->nr] = pick->nodes[i];
			*frame = ++ret->nr;
		}
		ret->of_node[i] = *frame - 1;
	}
	free(of_place);
	return 0;
}

/* @time: the data of the time line, or NULL. */
static void put(const struct pp_html *html, const struct pp_path_names *names,
		const struct pp_path_pick *pick, const struct frames *frames,
		const uint64_t *counts, const struct pp_html_time *time)
{
	const struct pp_classes *classes = &html->report->session->classes;
	size_t nr = pp_shown_counts(html->profile);
	struct op_json json;
	char label[256];

	fputs("<script type=\"application/json\" id=data>", html->out);
	op_json_init(&json, html->out, 1);
	op_json_begin(&json, '{');
	op_json_begin_key(&json, "classes", '[');
	for (size_t i = 0; i < classes->nr; i++) {
		pp_class_label(label, sizeof(label), &classes->items[i]);
		op_json_string(&json, label);
	}
	op_json_end(&json, ']');
	op_json_begin_key(&json, "units", '[');
	for (size_t i = 0; i < classes->nr; i++)
		op_json_string(&json, pp_class_unit(&classes->items[i]));
	op_json_end(&json, ']');
	put_frames(&json, names, frames->example, frames->nr);
	op_json_begin_key(&json, "nodes", '[');
	for (size_t i = 0; i < pick->nr; i++) {
		op_json_begin(&json, '[');
		op_json_uint(&json, frames->of_node[i]);
		op_json_int(&json, pick->parent[i] == i ? -1 : (int64_t)pick->parent[i]);
		for (size_t c = 0; c < nr; c++)
			op_json_uint(&json, counts[i * nr + c]);
		op_json_end(&json, ']');
	}
	op_json_end(&json, ']');
	if (time)
		pp_html_time_put(time, html, &json);
	op_json_end(&json, '}');
	fputs("</script>\n", html->out);
}

/* Read the slices of time. Return the data of the time line, or NULL after a warning if there
 * cannot be a time line. */
static const struct pp_html_time *read_time(const struct pp_html *html,
					    const struct pp_path_names *names,
					    const struct pp_path_pick *pick)
{
	int err = html->time ? pp_html_time_read(html->time, html, names, pick) : 0;

	if (!err)
		return html->time;
	pp_warn(html->report->log, "the page has no time line: %s",
		err == -EAGAIN ? "the daemon joined intervals during the report; repeat the command" :
				 strerror(-err));
	return NULL;
}

/* Write the script's data. Return 0 or -ENOMEM. */
static int html_data(const struct pp_html *html)
{
	struct pp_path_names names;
	struct pp_path_pick pick = { 0 };
	struct frames frames = { 0 };
	uint64_t *counts = NULL;
	int err = pp_path_names_make(&names, html->report);

	if (err)
		return err;
	err = pp_path_pick_make(&pick, &names, PP_HTML_MAX_NODES);
	if (!err)
		err = sum_picked(&counts, &names, &pick);
	if (!err)
		err = number_frames(&frames, &names, &pick);
	if (!err)
		put(html, &names, &pick, &frames, counts, read_time(html, &names, &pick));
	free(counts);
	free(frames.of_node);
	free(frames.example);
	pp_path_pick_release(&pick);
	pp_path_names_release(&names);
	return err;
}

static void put_head(const struct pp_html *html)
{
	fprintf(html->out,
		"<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
		"<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
		"script-src 'sha256-" HTML_JS_SHA256 "'; "
		"style-src 'sha256-" HTML_CSS_SHA256 "'; base-uri 'none'; "
		"form-action 'none'\">\n"
		"<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=generator content=\"" PACKAGE_STRING "\">\n"
		"<title>opreport</title>\n<style>%s</style>\n</head>\n<body>\n",
		html_css);
}

/* Write the header of the report. Highlight the numbers of lost samples. */
static int put_facts(const struct pp_html *html)
{
	char *text = pp_facts_text(html->report), *rest = text, *line;

	if (!text)
		return -ENOMEM;
	fputs("<header>\n<h1>Profile</h1>\n<p class=soft><code>", html->out);
	op_xml_text(html->out, html->report->command);
	fputs("</code></p>\n<ul>\n", html->out);
	while ((line = strsep(&rest, "\n"))) {
		int warns = strstr(line, "WARNING") || !strncmp(line, "  lost", 6);

		if (!*line)
			continue;
		fputs(warns ? "<li class=warn>" : "<li>", html->out);
		op_xml_text(html->out, line + strspn(line, " "));
		putc('\n', html->out);
	}
	fputs("</ul>\n</header>\n", html->out);
	free(text);
	return 0;
}

static void put_tools(const struct pp_html *html)
{
	bool is_diff = html->report->before != NULL;

	fputs("<nav aria-label=\"Parts\">", html->out);
	if (html->time)
		fputs("<a href=\"#time\">Time</a>", html->out);
	fputs("<a href=\"#programs\">Programs</a><a href=\"#symbols\">Symbols</a>"
	      "<a href=\"#images\">Images</a>", html->out);
	fputs(is_diff ? "</nav>\n" : "<a href=\"#code\">Code</a></nav>\n", html->out);
	fputs("<div class=\"tools script\" role=search hidden>"
	      "<label for=filter>Show lines with</label> <input id=filter type=search "
	      "placeholder=\"words of names\"> <span id=says role=status></span> "
	      "<button id=whole type=button hidden></button></div>\n", html->out);
	if (html->time)
		fputs("<section id=time aria-labelledby=time-title hidden>\n"
		      "<h2 id=time-title>Time</h2>\n"
		      "<p class=soft id=time-how></p>\n"
		      "<div id=time-line role=group aria-labelledby=time-title></div>\n"
		      "<ul id=time-names></ul>\n<p id=time-says role=status></p>\n"
		      "</section>\n", html->out);
	fputs("<section id=flame class=script aria-labelledby=flame-title hidden>\n"
	      "<h2 id=flame-title>", html->out);
	fputs(html->profile->paths ? "Call paths" : "Programs, images, symbols", html->out);
	fputs("</h2>\n"
	      "<p><label for=search>Search</label> <input id=search type=search> "
	      "<select id=class aria-label=\"Kind of samples\"></select> "
	      "<button id=reset type=button>Show all</button></p>\n"
	      "<p class=soft>The width is the share of samples", html->out);
	fputs(is_diff ? " after; red had a smaller share before, blue a larger one, grey the same. "
		      : ".",
	      html->out);
	if (!is_diff && html->profile->paths)
		fputs(" Orange is user code, yellow when a frame pointer led to it, green inlined, "
		      "violet without a symbol, red the kernel, grey why a path is "
		      "short.</p>\n<p class=soft>",
		      html->out);
	pp_path_shares_put(html->out, html->report, " ", op_xml_text);
	fputs(" Click to zoom; arrow keys move.</p>\n"
	      "<div id=flame-graph class=flame role=group aria-labelledby=flame-title></div>\n"
	      "<p id=flame-says role=status></p>\n</section>\n",
	      html->out);
}

static int write_html(const struct pp_report *report)
{
	struct pp_html html = { 0 };
	int err = pp_html_begin(&html, report);

	if (!err) {
		put_head(&html);
		err = put_facts(&html);
	}
	if (!err) {
		put_tools(&html);
		fputs("<main>\n", html.out);
		pp_html_programs(&html);
		pp_html_symbols(&html);
		err = pp_html_images(&html);
	}
	if (!err && !report->before)
		err = pp_html_code(&html);
	if (!err) {
		fputs("</main>\n", html.out);
		err = html_data(&html);
	}
	if (!err)
		fprintf(html.out, "<script>%s</script>\n</body>\n</html>\n", html_js);
	pp_html_end(&html);
	return err;
}

const struct pp_format_ops pp_format_html = {
	.name = "html",
	.what = "one page with tables, code and a graph",
	.needs = PP_NEED_SYMBOLS | PP_NEED_DETAILS | PP_NEED_ARCS | PP_NEED_PATHS |
		 PP_NEED_CALL_SITES,
	.flags = PP_FORMAT_MANY_AXES | PP_FORMAT_TASK_ROWS | PP_FORMAT_DIFF | PP_FORMAT_HIDES |
		 PP_FORMAT_TOTALS | PP_FORMAT_SLICES,
	.write = write_html,
};
