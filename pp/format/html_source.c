// SPDX-License-Identifier: GPL-2.0-or-later
/* html_source.c -- source lines of a function, with the samples of their instructions. */
#include "config.h"
#include "pp/format/html_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/xml.h"
#include "pp/format/html_rows.h"

/* files shown for one function: its own, and those of inlined code */
#define MAX_FILES	4
#define TAB		8

/* A line of source with samples. */
struct line {
	const char *file;
	uint32_t line;
	uint64_t *counts;
};

struct lines {
	struct line *items;
	size_t nr;
	uint64_t *counts;	/* theirs */
};

struct file {
	const char *name;
	size_t first, nr;	/* of the lines */
	double share;
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int d = strcmp(x->file, y->file);

	if (d)
		return d;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Sum the samples of instructions by source line. */
static int make_lines(struct lines *ret, const struct pp_html *html,
		      const struct pp_listing *listing)
{
	size_t classes = html->profile->nr_classes, nr = 0, merged = 0;
	struct line *items = calloc(listing->nr + 1, sizeof(*items));
	uint64_t *counts = calloc((listing->nr + 1) * classes, sizeof(*counts));

	if (!items || !counts) {
		free(items);
		free(counts);
		return -ENOMEM;
	}
	for (size_t i = 0; i < listing->nr; i++) {
		const struct pp_insn *insn = &listing->insns[i];

		if (insn->counts && insn->file && insn->line)
			items[nr++] = (struct line){ insn->file, insn->line,
						     (uint64_t *)insn->counts };
	}
	qsort(items, nr, sizeof(*items), compare_lines);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *from = items[i].counts;
		uint64_t *to;

		if (!merged || compare_lines(&items[merged - 1], &items[i])) {
			items[merged] = items[i];
			items[merged].counts = counts + merged * classes;
			merged++;
		}
		to = items[merged - 1].counts;
		for (size_t c = 0; c < classes; c++)
			to[c] += from[c];
	}
	*ret = (struct lines){ items, merged, counts };
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static size_t find_files(struct file *files, const struct pp_html *html, const struct lines *lines)
{
	size_t nr = 0;

	for (size_t i = 0; i < lines->nr; i++) {
		if (!nr || strcmp(files[nr - 1].name, lines->items[i].file))
			files[nr++] = (struct file){ .name = lines->items[i].file, .first = i };
		files[nr - 1].nr++;
		files[nr - 1].share += pp_html_largest_share(html, lines->items[i].counts);
	}
	qsort(files, nr, sizeof(*files), compare_files);
	return nr;
}

static void put_source_line(FILE *out, const char *text, size_t len)
{
	char buf[1024];
	size_t n = 0;

	for (size_t i = 0; i < len && n < sizeof(buf) - TAB - 1; i++) {
		if (text[i] == '\r')
			continue;
		if (text[i] != '\t') {
			buf[n++] = text[i];
			continue;
		}
		do
			buf[n++] = ' ';
		while (n % TAB);
	}
	buf[n] = '\0';
	op_xml_text(out, buf);
}

/* Write one source file. @hottest: the share of the function's hottest line in all files. */
static void put_source(const struct pp_html *html, const struct pp_source_text *text,
		       const struct line *lines, size_t nr, double hottest)
{
	size_t shown = 0, next = 0;
	uint32_t last = 0, end;
	int cut = 0, hit;

	pp_html_begin_code(html, "Source: ", text->path, "line");
	for (size_t i = 0; i < nr && !cut; i++) {
		uint32_t at = lines[i].line > PP_HTML_AROUND ? lines[i].line - PP_HTML_AROUND : 1;

		if (at <= last)
			at = last + 1;
		else if (last)
			pp_html_gap(html);
		end = lines[i].line + PP_HTML_AROUND;
		for (; at <= end; at++) {
			size_t len;
			const char *line = pp_source_line(text, at, &len);

			if (!line)
				break;
			if (shown++ >= PP_HTML_MAX_CODE_LINES) {
				cut = 1;
				break;
			}
			while (next < nr && lines[next].line < at)
				next++;
			hit = next < nr && lines[next].line == at;
			pp_html_begin_row(html, hit ? lines[next].counts : NULL, hottest);
			fprintf(html->out, "<td class=n>%" PRIu32 "<td>", at);
			put_source_line(html->out, line, len);
			putc('\n', html->out);
			last = at;
		}
	}
	pp_html_end_code(html, cut);
}

/* Write one file with samples of the function. Users pass pages on, so a page made by root has
 * only files that all users may read. */
static void put_file(const struct pp_html *html, struct pp_source_cache *cache,
		     const struct file *file, const struct lines *lines,
		     uid_t owner, double hottest)
{
	int err = 0;
	const struct pp_source_text *text =
		pp_source_cache_get(cache, file->name, owner, &err);

	if (!text && err != -EPERM)
		pp_html_note(html, "The source ", file->name, " is not on this machine.");
	else if (!text)
		pp_html_note(html, "The source ", file->name,
			 " is left out: the owner of the program may not read it.");
	else if (!text->is_public && !geteuid())
		pp_html_note(html, "The source ", file->name,
			 " is left out: not everybody may read it.");
	else
		put_source(html, text, &lines->items[file->first], file->nr, hottest);
}

int pp_html_source(const struct pp_html *html, struct pp_source_cache *cache,
		   const struct pp_listing *listing, uid_t owner)
{
	struct lines lines;
	struct file *files;
	double hottest = 0;
	size_t nr;
	int err = make_lines(&lines, html, listing);

	if (err)
		return err;
	files = calloc(lines.nr + 1, sizeof(*files));
	nr = files ? find_files(files, html, &lines) : 0;
	for (size_t i = 0; i < lines.nr; i++)
		if (pp_html_largest_share(html, lines.items[i].counts) > hottest)
			hottest = pp_html_largest_share(html, lines.items[i].counts);
	for (size_t i = 0; i < nr && i < MAX_FILES; i++)
		put_file(html, cache, &files[i], &lines, owner, hottest);
	if (files && !nr)
		pp_html_note(html, "No source lines are known; build with debug data (gcc -g).", "",
			     "");
	err = files ? 0 : -ENOMEM;
	free(files);
	free(lines.items);
	free(lines.counts);
	return err;
}
