// SPDX-License-Identifier: GPL-2.0-or-later
/* html_code.c -- source and assembly of the functions with most samples, as tables of lines. */
#include "config.h"
#include "pp/format/html.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/xml.h"
#include "pp/annotate/listing.h"
#include "pp/annotate/source_cache.h"

/* Tables of source lines or instructions, in which hot lines are coloured. */

/* number of lines or instructions shown before and after a row with samples */
#define PP_HTML_AROUND	4

/* Return a number from 0 to 5 for the colour of a line. @share: the line's share. @hottest: the
 * largest share of a line. */
static unsigned int heat(double share, double hottest)
{
	return share <= 0 ? 0 : hottest <= 0 ? 1 : 1 + (unsigned int)(4 * share / hottest);
}

static void put_empty_counts(const struct pp_html *html)
{
	for (size_t i = 0; i < html->profile->nr_classes; i++)
		fputs("<td class=n><td class=n>", html->out);
}

/* Begin a row of a code table, and write the row's counts. @counts: NULL if the row has no samples.
 * @hottest: the largest share of a row. */
static void html_begin_row(const struct pp_html *html, const uint64_t *counts, double hottest)
{
	unsigned int h = counts ? heat(pp_html_largest_share(html, counts), hottest) : 0;

	if (h)
		fprintf(html->out, "<tr class=h%u>", h > 5 ? 5 : h);
	else
		fputs("<tr>", html->out);
	if (counts)
		pp_html_counts(html, counts);
	else
		put_empty_counts(html);
}

/* Begin a table of code. @file: name of a file, written after @caption; or NULL. @first: head of
 * the column before the text. */
static void html_begin_code(const struct pp_html *html, const char *caption, const char *file,
			    const char *first)
{
	fputs("<div class=wide><table class=code>\n<caption>", html->out);
	fputs(caption, html->out);
	if (file)
		op_xml_text(html->out, file);
	fputs("</caption>\n<thead><tr>", html->out);
	pp_html_count_heads(html);
	fprintf(html->out, "<th scope=col class=n>%s<th scope=col>text</thead>\n<tbody>\n", first);
}

/* Write a row that stands for omitted source lines or instructions. */
static void html_gap(const struct pp_html *html)
{
	fputs("<tr class=gap>", html->out);
	put_empty_counts(html);
	fputs("<td class=n><td>&#8943;\n", html->out);
}

/* End a table of code. @cut: write that the last rows are omitted. */
static void html_end_code(const struct pp_html *html, bool cut)
{
	fputs("</tbody>\n</table></div>\n", html->out);
	if (cut)
		fputs("<p class=soft>The rest is not shown; opannotate shows all.</p>\n",
		      html->out);
}

/* Write a sentence instead of code: the texts @before, @name and @behind. Escape only @name. */
static void html_note(const struct pp_html *html, const char *before, const char *name,
		      const char *behind)
{
	fprintf(html->out, "<p class=soft>%s", before);
	op_xml_text(html->out, name);
	fprintf(html->out, "%s</p>\n", behind);
}

/* Source code around the sampled lines of a function. */

/* maximum number of source files for one function: its own file, and files of inlined code */
#define MAX_FILES	4
#define TAB		8

/* A source line that has samples. */
struct line {
	const char *file;
	uint32_t line;
	uint64_t *counts;
};

struct lines {
	struct line *items;
	size_t nr;
	uint64_t *counts;	/* memory of the counts of all .items */
};

struct file {
	const char *name;
	/* the file's lines are elements .first to .first + .nr - 1 of struct lines */
	size_t first, nr;
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

/* Sum the samples of the function's instructions by source line. */
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

/* Write one source file of a function. @hottest: the largest share of a line in any of the
 * function's source files. */
static void put_source(const struct pp_html *html, const struct pp_source_text *text,
		       const struct line *lines, size_t nr, double hottest)
{
	size_t shown = 0, next = 0;
	uint32_t last = 0, end;
	int cut = 0, hit;

	html_begin_code(html, "Source: ", text->path, "line");
	for (size_t i = 0; i < nr && !cut; i++) {
		uint32_t at = lines[i].line > PP_HTML_AROUND ? lines[i].line - PP_HTML_AROUND : 1;

		if (at <= last)
			at = last + 1;
		else if (last)
			html_gap(html);
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
			html_begin_row(html, hit ? lines[next].counts : NULL, hottest);
			fprintf(html->out, "<td class=n>%" PRIu32 "<td>", at);
			put_source_line(html->out, line, len);
			putc('\n', html->out);
			last = at;
		}
	}
	html_end_code(html, cut);
}

/* Write one source file of a function. Users share pages, so a page made by root contains only
 * files that all users may read. */
static void put_file(const struct pp_html *html, struct pp_source_cache *cache,
		     const struct file *file, const struct lines *lines, uid_t owner,
		     double hottest)
{
	int err = 0;
	const struct pp_source_text *text =
		pp_source_cache_get(cache, file->name, owner, &err);

	if (!text && err != -EPERM)
		html_note(html, "The source ", file->name, " is not on this machine.");
	else if (!text)
		html_note(html, "The source ", file->name,
			 " is left out: the owner of the program may not read it.");
	else if (!text->is_public && !geteuid())
		html_note(html, "The source ", file->name,
			 " is left out: not everybody may read it.");
	else
		put_source(html, text, &lines->items[file->first], file->nr, hottest);
}

/* Write the source of @listing. @owner: user id of the owner of the debug data that names the
 * source files. Return 0 or -ENOMEM. */
static int html_source(const struct pp_html *html, struct pp_source_cache *cache,
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
		html_note(html, "No source lines are known; build with debug data (gcc -g).", "",
			     "");
	err = files ? 0 : -ENOMEM;
	free(files);
	free(lines.items);
	free(lines.counts);
	return err;
}

struct open_lister {
	uint32_t binary;
	struct pp_lister *lister;
	int err;
};

struct code_part {
	const struct pp_html *html;
	struct open_lister listers[PP_HTML_MAX_HOT];
	size_t nr_listers;
	struct pp_source_cache *cache;
};

static int compare_details(const void *a, const void *b)
{
	const struct pp_detail *x = a, *y = b;

	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

/* Sum the function's samples at each address over all programs. Store a malloc'd array in
 * @ret->items, and the malloc'd memory of its counts in *@ret_counts. Return 0 or -ENOMEM. */
static int merge_details(const struct pp_html *html, uint32_t code, struct pp_details *ret,
			 uint64_t **ret_counts)
{
	const struct pp_profile *profile = html->profile;
	size_t classes = profile->nr_classes, nr = 0, merged = 0;
	size_t nr_entries;
	const struct pp_entry *entries = pp_code_entries(profile, &nr_entries);
	struct pp_detail *items;
	uint64_t *counts;

	for (size_t i = 0; i < nr_entries; i++)
		if (entries[i].code == code && entries[i].details)
			nr += pp_entry_details(profile, &entries[i])->nr;
	items = calloc(nr + 1, sizeof(*items));
	counts = calloc((nr + 1) * classes, sizeof(*counts));
	if (!items || !counts) {
		free(items);
		free(counts);
		return -ENOMEM;
	}
	nr = 0;
	for (size_t i = 0; i < nr_entries; i++) {
		const struct pp_details *details;

		if (entries[i].code != code || !entries[i].details)
			continue;
		details = pp_entry_details(profile, &entries[i]);
		memcpy(items + nr, details->items, details->nr * sizeof(*items));
		nr += details->nr;
	}
	qsort(items, nr, sizeof(*items), compare_details);
	for (size_t i = 0; i < nr; i++) {
		uint64_t *to;

		if (!merged || items[merged - 1].vma != items[i].vma) {
			to = counts + merged * classes;
			memcpy(to, items[i].counts, classes * sizeof(*to));
			items[merged++] = (struct pp_detail){ items[i].vma, to };
			continue;
		}
		to = items[merged - 1].counts;
		for (size_t c = 0; c < classes; c++)
			to[c] += items[i].counts[c];
	}
	*ret = (struct pp_details){ .items = items, .nr = merged };
	*ret_counts = counts;
	return 0;
}

static struct open_lister *lister_of(struct code_part *part, uint32_t binary)
{
	static const struct pp_lister_options options = { .lines = 1 };
	const struct pp_report *report = part->html->report;
	struct open_lister *l;

	for (size_t i = 0; i < part->nr_listers; i++)
		if (part->listers[i].binary == binary)
			return &part->listers[i];
	l = &part->listers[part->nr_listers++];
	*l = (struct open_lister){ .binary = binary };
	l->err = pp_lister_open(&l->lister, report->images, &part->html->profile->binaries[binary],
				&options, report->log, NULL);
	return l;
}

static void put_assembly(const struct pp_html *html, const struct pp_listing *listing)
{
	double hottest = 0;
	size_t shown = 0, last = SIZE_MAX;
	int whole = listing->nr <= PP_HTML_MAX_CODE_LINES, cut = 0;

	for (size_t i = 0; i < listing->nr; i++) {
		const uint64_t *counts = listing->insns[i].counts;

		if (counts && pp_html_largest_share(html, counts) > hottest)
			hottest = pp_html_largest_share(html, counts);
	}
	html_begin_code(html, "Assembly", NULL, "address");
	for (size_t i = 0, near = 0; i < listing->nr; i++) {
		/* Set @near to the first instruction with samples at or after instruction i -
		 * PP_HTML_AROUND. */
		while (near < listing->nr &&
		       (near + PP_HTML_AROUND < i || !listing->insns[near].counts))
			near++;
		if (!whole && (near >= listing->nr || near > i + PP_HTML_AROUND))
			continue;
		if (shown++ >= PP_HTML_MAX_CODE_LINES) {
			cut = 1;
			break;
		}
		if (last != SIZE_MAX && last + 1 != i)
			html_gap(html);
		last = i;
		html_begin_row(html, listing->insns[i].counts, hottest);
		fprintf(html->out, "<td class=n>%" PRIx64 "<td>", listing->insns[i].vma);
		op_xml_text(html->out, listing->insns[i].text);
		putc('\n', html->out);
	}
	html_end_code(html, cut || listing->skipped);
}

static int put_listing(struct code_part *part, uint32_t code, struct pp_lister *lister)
{
	const struct pp_html *html = part->html;
	struct pp_listing listing = { 0 };
	struct pp_image_info info;
	struct pp_details details;
	uint64_t *counts;
	int err = merge_details(html, code, &details, &counts);

	if (err)
		return err;
	err = pp_listing_make(&listing, lister, &html->profile->codes[code], &details,
			      html->profile->nr_classes);
	if (!err) {
		pp_image_info(pp_lister_image(lister), 0, &info);
		err = html_source(html, part->cache, &listing, info.owner);
		if (!err)
			put_assembly(html, &listing);
	}
	pp_listing_release(&listing);
	free(details.items);
	free(counts);
	return err;
}

static void put_ends(const struct pp_html *html, uint32_t code, int callees)
{
	const struct pp_profile *profile = html->profile;
	bool any = false;

	for (size_t i = 0; i < profile->nr_arcs; i++) {
		const struct pp_arc *arc = &profile->arcs[i];
		const struct pp_end *this = callees ? &arc->caller : &arc->callee;
		const struct pp_end *other = callees ? &arc->callee : &arc->caller;

		if (this->code != code)
			continue;
		if (!any) {
			any = true;
			fprintf(html->out,
				"<div class=wide><table class=names>\n<caption>%s</caption>\n"
				"<thead><tr>",
				callees ? "Calls" : "Called by");
			pp_html_count_heads(html);
			fputs("<th scope=col>symbol<th scope=col>program</thead>\n<tbody>\n",
			      html->out);
		}
		fputs("<tr>", html->out);
		pp_html_counts(html, arc->counts);
		fputs("<td class=t>", html->out);
		op_xml_text(html->out, profile->codes[other->code].name);
		fputs("<td class=o>", html->out);
		op_xml_text(html->out, profile->groups[other->group].app);
		putc('\n', html->out);
	}
	if (any)
		fputs("</tbody>\n</table></div>\n", html->out);
}

static int put_code(struct code_part *part, const struct pp_html_code *hot)
{
	const struct pp_html *html = part->html;
	const struct pp_code *code = &html->profile->codes[hot->code];
	const char *image = html->profile->binaries[code->binary].title;
	struct open_lister *lister = lister_of(part, code->binary);
	char share[PP_HTML_SHARE];
	int err = lister->err;

	if (err == -ENOMEM)
		return err;
	pp_html_share(html, hot->counts, share);
	fprintf(html->out, "<details class=hot id=\"code-%" PRIu32 "\" data-name=\"", hot->code);
	op_xml_text(html->out, code->name);
	putc(' ', html->out);
	op_xml_text(html->out, image);
	fprintf(html->out, "\"><summary>%s <strong>", share);
	op_xml_text(html->out, code->name);
	fputs("</strong> ", html->out);
	op_xml_text(html->out, image);
	fputs("</summary>\n", html->out);
	put_ends(html, hot->code, 0);
	put_ends(html, hot->code, 1);
	if (!err && code->build != html->profile->binaries[code->binary].build)
		err = -ENOENT;
	if (!err)
		err = put_listing(part, hot->code, lister->lister);
	if (err == -ENOTSUP)
		html_note(html, "No disassembler supports the machine of ", image, " here.");
	else if (err && err != -ENOMEM)
		html_note(html, "The code of ", image, " is not available.");
	fputs("</details>\n", html->out);
	return err == -ENOMEM ? err : 0;
}

int pp_html_code(const struct pp_html *html)
{
	const struct pp_values none = { 0 };
	const struct pp_source_places places = {
		.root = html->report->session->archive,
		.search = &none,
		.base = &none,
	};
	struct code_part part = { .html = html, .cache = pp_source_cache_create(&places) };
	int err = part.cache ? 0 : -ENOMEM;

	fputs("<section id=code aria-labelledby=code-title>\n<h2 id=code-title>Code</h2>\n"
	      "<p class=soft>Source and assembly of the functions with most samples; opannotate "
	      "shows them all.</p>\n", html->out);
	for (size_t i = 0; i < html->nr_hot && !err; i++)
		err = put_code(&part, &html->hot[i]);
	fputs("</section>\n", html->out);
	for (size_t i = 0; i < part.nr_listers; i++)
		pp_lister_close(part.listers[i].lister);
	pp_source_cache_destroy(part.cache);
	return err;
}
