// SPDX-License-Identifier: GPL-2.0-or-later
/* html.c -- the HTML page, composed of its parts. */
#include "config.h"
#include "pp/format/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/xml.h"
#include "pp/format/facts.h"
#include "pp/format/html_assets.h"

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
	fprintf(html->out, "<header>\n<h1>%s</h1>\n<p class=soft><code>",
		html->report->before ? "Difference of two profiles" : "Profile");
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
	fputs("<nav aria-label=\"Parts\">", html->out);
	if (html->time)
		fputs("<a href=\"#time\">Time</a>", html->out);
	fputs("<a href=\"#programs\">Programs</a><a href=\"#symbols\">Symbols</a>"
	      "<a href=\"#images\">Images</a>", html->out);
	fputs(html->report->before ? "</nav>\n" : "<a href=\"#code\">Code</a></nav>\n", html->out);
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
	pp_html_graph(html);
}

/* Write the tables and the code to a buffer in memory. The data of the time line lists the tables'
 * rows, and the page must contain that data before the tables. Return 0 or -ENOMEM. */
static int make_main(struct pp_html *html, char **text, size_t *size)
{
	FILE *page = html->out;
	int err;

	html->out = open_memstream(text, size);
	if (!html->out) {
		html->out = page;
		return -ENOMEM;
	}
	fputs("<main>\n", html->out);
	pp_html_programs(html);
	pp_html_symbols(html);
	err = pp_html_images(html);
	if (!err && !html->report->before)
		err = pp_html_code(html);
	fputs("</main>\n", html->out);
	if (fclose(html->out) && !err)
		err = -ENOMEM;
	html->out = page;
	return err;
}

/* Write the script before the tables, so that a browser draws the graph before it parses the
 * tables. */
static int write_html(const struct pp_report *report)
{
	struct pp_html html = { 0 };
	char *text = NULL;
	size_t size = 0;
	int err = pp_html_begin(&html, report);

	if (!err)
		err = make_main(&html, &text, &size);
	if (!err) {
		put_head(&html);
		err = put_facts(&html);
	}
	if (!err) {
		put_tools(&html);
		err = pp_html_data(&html);
	}
	if (!err) {
		fprintf(html.out, "<script>%s</script>\n", html_js);
		fwrite(text, 1, size, html.out);
		fputs("</body>\n</html>\n", html.out);
	}
	free(text);
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
