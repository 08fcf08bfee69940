// SPDX-License-Identifier: GPL-2.0-or-later
/* html.c -- the frame of the HTML page. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/xml.h"
#include "pp/format/facts.h"
#include "pp/format/html_assets.h"
#include "pp/format/html_code.h"
#include "pp/format/html_data.h"
#include "pp/format/html_tables.h"
#include "pp/format/path_shares.h"

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

/* Write the header, with lost samples highlighted. */
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
	int is_diff = html->report->before != NULL;

	fputs("<nav aria-label=\"Parts\"><a href=\"#programs\">Programs</a>"
	      "<a href=\"#symbols\">Symbols</a><a href=\"#images\">Images</a>", html->out);
	fputs(is_diff ? "</nav>\n" : "<a href=\"#code\">Code</a></nav>\n", html->out);
	fputs("<div class=\"tools script\" role=search hidden>"
	      "<label for=filter>Show lines with</label> <input id=filter type=search "
	      "placeholder=\"words of names\"> <span id=says role=status></span></div>\n"
	      "<section id=flame class=script aria-labelledby=flame-title hidden>\n"
	      "<h2 id=flame-title>", html->out);
	fputs(html->profile->paths ? "Call paths" : "Programs, images, symbols", html->out);
	fputs("</h2>\n"
	      "<p><label for=search>Search</label> <input id=search type=search> "
	      "<select id=class aria-label=\"Kind of samples\"></select> "
	      "<button id=reset type=button>Show all</button></p>\n"
	      "<p class=soft>The width is the share of samples", html->out);
	fputs(is_diff ? " after; red had a smaller share before, blue a larger one, grey the same."
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
		err = pp_html_data(&html);
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
	.flags = PP_FORMAT_MANY_AXES | PP_FORMAT_TASK_ROWS | PP_FORMAT_DIFF | PP_FORMAT_TOTALS,
	.write = write_html,
};
