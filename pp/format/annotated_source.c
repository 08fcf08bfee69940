// SPDX-License-Identifier: GPL-2.0-or-later
/* annotated_source.c -- source files with counts for each line. */
#include "config.h"
#include "pp/format/annotated.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/plural.h"
#include "pp/profile/sort.h"
#include "pp/profile/warnings.h"

/* maximum number of function names beside one line; a line of a template may have thousands */
#define MAX_SYMBOLS	8
/* maximum number of binaries that the summary lists because their samples have no source line */
#define MAX_UNLINED	20
#define AROUND		10	/* number of lines shown before and after a line with samples */
/* smallest number of lines to omit; a line with the number of omitted lines replaces them */
#define MIN_LEFT_OUT	4

struct writer {
	const struct pp_annotated *a;
	struct pp_columns columns;
	bool whole;		/* show all lines of a file, even far from samples */
};

static bool is_wanted(const struct writer *w, const struct pp_source_file *file)
{
	const struct pp_profile *profile = w->a->report->profile;

	return pp_annotated_wants(w->a->options, file->path) &&
	       pp_reaches(file->counts, profile->totals, profile->nr_classes,
			  w->a->options->threshold);
}

/* Print the names of the functions that begin in a source line. *@next: index of the next function
 * in the file; it is advanced past the printed functions. */
static void print_symbols(const struct writer *w, FILE *out, const struct pp_source_file *file,
			  uint32_t line, size_t *next)
{
	const struct pp_profile *profile = w->a->report->profile;
	size_t nr = 0;

	while (*next < file->nr_symbols && file->symbols[*next].line <= line) {
		const struct pp_source_symbol *symbol = &file->symbols[(*next)++];

		if (nr++ < MAX_SYMBOLS)
			pp_columns_symbol(&w->columns, out, profile->codes[symbol->code].name,
					  symbol->counts);
	}
	if (nr > MAX_SYMBOLS)
		fprintf(out, " /* and %zu more %s */", nr - MAX_SYMBOLS,
			op_plural(nr - MAX_SYMBOLS, "function", "functions"));
}

/* Print counts of lines whose text is unknown, because the source file is missing or became
 * shorter. */
static void print_textless(const struct writer *w, FILE *out, const struct pp_source_file *file,
			   size_t next, size_t next_symbol, const char *why)
{
	for (; next < file->nr_lines; next++) {
		pp_columns_print(&w->columns, out, file->lines[next].counts);
		fprintf(out, "[line %" PRIu32 "%s]", file->lines[next].line, why);
		print_symbols(w, out, file, file->lines[next].line, &next_symbol);
		putc_unlocked('\n', out);
	}
	if (next_symbol < file->nr_symbols) {
		pp_columns_print(&w->columns, out, NULL);
		print_symbols(w, out, file, UINT32_MAX, &next_symbol);
		putc_unlocked('\n', out);
	}
}

/* Return the next source line to show in any case: a line that has samples, or in which a function
 * with samples starts. Return UINT32_MAX if no such line exists. */
static uint32_t next_of_interest(const struct pp_source_file *file, size_t next, size_t next_symbol)
{
	uint32_t line = next < file->nr_lines ? file->lines[next].line : UINT32_MAX;

	if (next_symbol < file->nr_symbols && file->symbols[next_symbol].line < line)
		line = file->symbols[next_symbol].line;
	return line;
}

/* Return the number of lines to omit from @line on, because they are far from the lines that
 * next_of_interest() returns. @last: such a line before @line, or 0. @next: such a line after
 * @line, or UINT32_MAX. Return 0 instead of less than MIN_LEFT_OUT lines. */
static uint32_t nr_far(const struct pp_source_text *text, uint32_t line, uint32_t last,
		       uint32_t next)
{
	/* line number of the first line that is not omitted */
	uint64_t end = next == UINT32_MAX ? text->nr + 1 : next;

	if (next != UINT32_MAX)
		end = end > AROUND ? end - AROUND : 1;
	if (end > text->nr + 1)
		end = text->nr + 1;
	if ((last && line <= last + AROUND) || end < line + MIN_LEFT_OUT)
		return 0;
	return (uint32_t)(end - line);
}

static void print_text(const struct writer *w, FILE *out, const struct pp_source_file *file,
		       const struct pp_source_text *text)
{
	size_t next = 0, next_symbol = 0, len;
	const char *start;
	uint32_t last = 0;

	for (uint32_t line = 1; (start = pp_source_line(text, line, &len)); line++) {
		uint32_t interest = next_of_interest(file, next, next_symbol);
		uint32_t far = w->whole ? 0 : nr_far(text, line, last, interest);
		const uint64_t *counts = NULL;

		if (next < file->nr_lines && file->lines[next].line == line)
			counts = file->lines[next++].counts;
		pp_columns_print(&w->columns, out, counts);
		if (far) {
			fprintf(out, "[lines %" PRIu32 " to %" PRIu32 ": no samples]\n", line,
				line + far - 1);
			line += far - 1;
			continue;
		}
		if (interest == line)
			last = line;
		pp_source_print(out, start, len);
		print_symbols(w, out, file, line, &next_symbol);
		putc_unlocked('\n', out);
	}
	print_textless(w, out, file, next, next_symbol, ": beyond the end of the file");
}

static void print_total(const struct writer *w, FILE *out, const struct pp_source_file *file,
			int err)
{
	fputs("/* \n * Total samples for file : \"", out);
	pp_print_in_comment(out, file->path);
	fputs("\"\n", out);
	if (err)
		fprintf(out, " * The source file is %s.\n", pp_source_strerror(err));
	fputs(" * \n * ", out);
	pp_columns_numbers(&w->columns, out, file->counts);
	fputs("\n */\n", out);
}

static void note_newer(const struct writer *w, const struct pp_source_file *file,
		       const struct pp_source_text *text)
{
	const struct pp_binary *binary = &w->a->report->profile->binaries[file->binary];
	struct stat st;

	if (binary->info.path && !stat(binary->info.path, &st) && text->mtime > st.st_mtime)
		pp_source_cache_note_newer(w->a->cache, file->path, binary->info.owner);
}

static void print_file(const struct writer *w, FILE *out, const struct pp_source_file *file,
		       const struct pp_source_text *text)
{
	if (text)
		print_text(w, out, file, text);
	else
		print_textless(w, out, file, 0, 0, "");
}

static int write_to_tree(struct writer *w, const struct pp_source_file *file,
			 const struct pp_source_text *text, int read_err)
{
	const char *below = pp_source_below_base(file->path, w->a->options->base_dirs);
	struct pp_log *log = w->a->report->log;
	char *data = NULL;
	size_t size;
	FILE *out = open_memstream(&data, &size);
	int err;

	if (!out)
		return -ENOMEM;
	print_file(w, out, file, text);
	print_total(w, out, file, read_err);
	err = pp_annotated_header(w->a, out);
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (!err)
		err = pp_tree_write(w->a->tree, below, data, size,
				    text && !text->is_public ? 0600 : 0644,
				    text ? text->device : 0, text ? text->inode : 0, NULL);
	free(data);
	if (err == -EEXIST)
		return op_fail(
			&log->error, err,
			"cannot write %s: --output-dir would replace its source",
			file->path);
	if (err && err != -ENOMEM)
		return op_fail(&log->error, err, "%s: cannot be written below --output-dir: %s",
			       file->path, strerror(-err));
	return err;
}

static int write_file(struct writer *w, const struct pp_source_file *file)
{
	FILE *out = w->a->report->out;
	uid_t owner = w->a->report->profile->binaries[file->binary].info.owner;
	int read_err = 0, err = 0;
	const struct pp_source_text *text =
		pp_source_cache_get(w->a->cache, file->path, owner, &read_err);

	if (read_err == -ENOMEM)
		return -ENOMEM;
	if (text)
		note_newer(w, file, text);
	if (w->a->tree) {
		err = write_to_tree(w, file, text, read_err);
	} else {
		print_total(w, out, file, read_err);
		putc('\n', out);
		print_file(w, out, file, text);
		putc('\n', out);
	}
	pp_source_cache_drop(w->a->cache, file->path, owner);
	return err;
}

static const char *why_unlined(const struct pp_binary *binary)
{
	switch (binary->info.state) {
	case PP_IMAGE_MISSING:
		return "the binary is not there any more";
	case PP_IMAGE_CHANGED:
		return "the binary is not the one that was profiled";
	case PP_IMAGE_KEPT:
		return "only symbols are stored of the profiled binary";
	case PP_IMAGE_OK:
	case PP_IMAGE_NO_SYMBOLS:
		break;
	}
	if (binary->name->kind == OP_IMAGE_KERN && !binary->info.debug_path)
		return "no vmlinux or module with debug data was found";
	return binary->info.debug_path ? "code without line numbers" : "no debug data";
}

struct unlined {
	uint32_t binary;
	const uint64_t *counts;
};

static int compare_unlined(const void *a, const void *b)
{
	const struct unlined *x = a, *y = b;

	if (x->counts[0] != y->counts[0])
		return x->counts[0] > y->counts[0] ? -1 : 1;
	return x->binary < y->binary ? -1 : x->binary > y->binary;
}

/* Return the binaries that have samples without a source line, most samples first, malloc'd. Store
 * the number of these binaries in *@ret_nr. */
static struct unlined *find_unlined(const struct pp_annotated *a, size_t *ret_nr)
{
	const struct pp_profile *profile = a->report->profile;
	struct unlined *found = calloc(profile->nr_binaries + 1, sizeof(*found));
	size_t nr = 0;

	for (size_t i = 0; found && i < profile->nr_binaries; i++)
		if (a->sources->unlined[i])
			found[nr++] = (struct unlined){ i, a->sources->unlined[i] };
	if (nr)
		qsort(found, nr, sizeof(*found), compare_unlined);
	*ret_nr = nr;
	return found;
}

static void print_unlined(const struct writer *w, FILE *out, const struct unlined *unlined,
			  size_t nr)
{
	const struct pp_profile *profile = w->a->report->profile;

	if (!nr)
		return;
	fputs(" * \n * Samples without a source line, by binary:\n", out);
	for (size_t i = 0; i < nr && i < MAX_UNLINED; i++) {
		const struct pp_binary *binary = &profile->binaries[unlined[i].binary];

		fputs(" * ", out);
		pp_columns_numbers(&w->columns, out, unlined[i].counts);
		putc(' ', out);
		pp_print_in_comment(out, binary->title);
		fprintf(out, " (%s)\n", why_unlined(binary));
	}
	if (nr > MAX_UNLINED)
		fprintf(out, " * and %zu more %s\n", nr - MAX_UNLINED,
			op_plural(nr - MAX_UNLINED, "binary", "binaries"));
}

static void print_row(const struct writer *w, FILE *out, const uint64_t *counts, const char *what)
{
	fputs(" * ", out);
	pp_columns_numbers(&w->columns, out, counts);
	putc(' ', out);
	pp_print_in_comment(out, what);
	putc('\n', out);
}

/* Print one row for each source file that is shown, and one row with the sum of all other files. */
static int print_files(const struct writer *w, FILE *out)
{
	const struct pp_sources *sources = w->a->sources;
	uint64_t *others = calloc(sources->nr_classes, sizeof(*others));
	size_t nr_others = 0;

	if (!others)
		return -ENOMEM;
	fputs("/* \n * Samples by source file:\n", out);
	for (size_t i = 0; i < sources->nr_files; i++) {
		const struct pp_source_file *file = &sources->files[i];

		if (is_wanted(w, file)) {
			print_row(w, out, file->counts, file->path);
			continue;
		}
		nr_others++;
		for (size_t c = 0; c < sources->nr_classes; c++)
			others[c] += file->counts[c];
	}
	if (nr_others)
		print_row(w, out, others, "(files that are not shown)");
	free(others);
	return 0;
}

static int print_summary(const struct writer *w, FILE *out)
{
	size_t nr;
	struct unlined *unlined = find_unlined(w->a, &nr);
	int err;

	if (!unlined)
		return -ENOMEM;
	err = print_files(w, out);
	print_unlined(w, out, unlined, nr);
	fputs(" */\n\n", out);
	free(unlined);
	return err;
}

static bool is_there(const struct pp_binary *binary)
{
	return binary->info.state == PP_IMAGE_OK || binary->info.state == PP_IMAGE_NO_SYMBOLS;
}

/* Warn about samples without a source line, and name the binary with most of them. Set *@may_have
 * to whether debug data could provide the lines: it cannot if the binary is missing. */
static int report_unlined(const struct writer *w, bool *may_have)
{
	const struct pp_profile *profile = w->a->report->profile;
	struct pp_log *log = w->a->report->log;
	size_t nr;
	struct unlined *unlined = find_unlined(w->a, &nr);
	char others[60] = "", id[PP_GONE_ID_SIZE];
	uint64_t sum = 0;

	if (!unlined)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		sum += unlined[i].counts[0];
	if (sum > w->a->sources->total[0] / 100) {
		const struct pp_binary *first = &profile->binaries[unlined[0].binary];

		/* A report that is not empty lists the other binaries below. */
		if (nr > 1 && w->a->sources->nr_files)
			snprintf(others, sizeof(others), "; the others are listed in the report");
		else if (nr > 1)
			snprintf(others, sizeof(others), "; the others are in %zu more %s",
				 nr - 1, op_plural(nr - 1, "binary", "binaries"));
		pp_warn(log,
			"%" PRIu64 " of %" PRIu64 " samples have no source line, %" PRIu64
			" of them in %s: %s%s%s%s",
			sum, w->a->sources->total[0], unlined[0].counts[0], first->title,
			why_unlined(first), others, is_there(first) ? "" : ". " PP_GONE_WAYS,
			pp_gone_id(id, first));
		*may_have = is_there(first);
	}
	free(unlined);
	return 0;
}

static int report_empty(const struct writer *w)
{
	const struct pp_sources *sources = w->a->sources;
	struct pp_log *log = w->a->report->log;
	const struct pp_profile *profile = w->a->report->profile;
	bool may_have = true;

	if (!sources->nr_files) {
		if (report_unlined(w, &may_have))
			return -ENOMEM;
		return op_fail(&log->error, -EINVAL, "no sample has a source line%s",
			       may_have ? "; build with -g, or install the debug packages "
					  "(--assembly needs neither)"
					: "");
	}
	if (!pp_reaches(sources->files[0].counts, profile->totals, profile->nr_classes,
			w->a->options->threshold))
		return op_fail(&log->error, -ENODATA,
			       "no source file reaches --threshold=%g%%; the largest is %s",
			       w->a->options->threshold, sources->files[0].path);
	return op_fail(&log->error, -ENODATA,
		       "no source file passes --include-file, --exclude-file and --threshold; the "
		       "one with the most samples is %s",
		       sources->files[0].path);
}

int pp_annotated_source(const struct pp_annotated *a)
{
	const struct pp_sources *sources = a->sources;
	/* In an output tree, show all lines of source files, so that editors and diffs find the
	 * source's line numbers. */
	struct writer w = { .a = a, .whole = a->options->whole_files || a->tree };
	size_t nr = 0;
	bool may_have;
	int err;

	pp_columns_init(&w.columns, a);
	for (size_t i = 0; i < sources->nr_files; i++)
		nr += is_wanted(&w, &sources->files[i]);
	if (!nr)
		return report_empty(&w);
	err = pp_annotated_header(a, a->report->out);
	if (!err)
		err = print_summary(&w, a->report->out);
	for (size_t i = 0; i < sources->nr_files && !err; i++) {
		if (a->progress)
			pp_progress(a->progress, i, sources->nr_files);
		if (is_wanted(&w, &sources->files[i]))
			err = write_file(&w, &sources->files[i]);
	}
	if (!err)
		err = report_unlined(&w, &may_have);
	pp_source_cache_report(a->cache, a->report->log);
	return err;
}
