// SPDX-License-Identifier: GPL-2.0-or-later
/* html_code.c -- source and assembly of the hottest functions. */
#include "config.h"
#include "pp/format/html_code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/xml.h"
#include "pp/format/html_cells.h"
#include "pp/format/html_rows.h"
#include "pp/format/html_source.h"

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

/* Sum the details of a function over all programs. Store a malloc'd array in @ret->items, and
 * its malloc'd counts in *@ret_counts. Return 0 or -ENOMEM. */
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
	pp_html_begin_code(html, "Assembly", NULL, "address");
	for (size_t i = 0, near = 0; i < listing->nr; i++) {
		/* @near: the next instruction with samples, from i - PP_HTML_AROUND on. */
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
			pp_html_gap(html);
		last = i;
		pp_html_begin_row(html, listing->insns[i].counts, hottest);
		fprintf(html->out, "<td class=n>%" PRIx64 "<td>", listing->insns[i].vma);
		op_xml_text(html->out, listing->insns[i].text);
		putc('\n', html->out);
	}
	pp_html_end_code(html, cut || listing->skipped);
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
		err = pp_html_source(html, part->cache, &listing, info.owner);
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
	int any = 0;

	for (size_t i = 0; i < profile->nr_arcs; i++) {
		const struct pp_arc *arc = &profile->arcs[i];
		const struct pp_end *this = callees ? &arc->caller : &arc->callee;
		const struct pp_end *other = callees ? &arc->callee : &arc->caller;

		if (this->code != code)
			continue;
		if (!any++) {
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
		pp_html_note(html, "There is no disassembler for the machine of ", image, " here.");
	else if (err && err != -ENOMEM)
		pp_html_note(html, "The code of ", image, " is not available.");
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
