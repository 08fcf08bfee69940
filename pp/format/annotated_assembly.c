// SPDX-License-Identifier: GPL-2.0-or-later
/* annotated_assembly.c -- a listing of instructions with counts and, if requested, source lines. */
#include "config.h"
#include "pp/format/annotated.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pp/annotate/listing.h"
#include "pp/image/disasm.h"
#include "pp/profile/sort.h"
#include "pp/profile/warnings.h"

#define MAX_NAMED	3	/* maximum number of binaries that a warning names */
/* maximum number of source lines without code that are shown between two instructions */
#define MAX_RUN		12

/* The functions of one binary that are listed. */
struct part {
	uint32_t binary;
	uint64_t sort; /* samples of the first class (event), by which binaries are sorted */
	/* the listed functions of the binary, sorted by address */
	const struct pp_entry **entries;
	size_t nr;
};

struct writer {
	const struct pp_annotated *a;
	FILE *out;
	struct pp_columns columns;
	const struct pp_entry **entries;
	size_t nr_entries;
	struct part *parts;
	size_t nr_parts;
	size_t nr_done;		/* number of functions printed so far, of all binaries */
	/* Number of binaries whose code cannot be read. Programs that generate code at run time may
	 * have hundreds of such binaries. */
	size_t nr_codeless;
	/* names of the first of these binaries without readable code, for a warning */
	char *codeless;
	bool kernel_codeless;
};

/* The source position of the previous instruction of a listing. */
struct source_state {
	const char *file;
	uint32_t line;		/* source line of the previous instruction */
};

static int compare_entries(const void *a, const void *b, void *arg)
{
	const struct pp_profile *profile = arg;
	const struct pp_code *x = pp_entry_code(profile, *(const struct pp_entry *const *)a);
	const struct pp_code *y = pp_entry_code(profile, *(const struct pp_entry *const *)b);

	if (x->binary != y->binary)
		return x->binary < y->binary ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->sort != y->sort)
		return x->sort > y->sort ? -1 : 1;
	return x->binary < y->binary ? -1 : x->binary > y->binary;
}

static bool is_wanted(const struct writer *w, const struct pp_entry *entry)
{
	const struct pp_profile *profile = w->a->report->profile;

	return entry->counts &&
	       pp_reaches(entry->counts, profile->totals, profile->nr_classes,
			  w->a->options->threshold) &&
	       pp_annotated_wants(w->a->options, pp_entry_code(profile, entry)->file);
}

/* Select the functions to list. Sort binaries by samples, largest first, and the functions of a
 * binary by address. */
static int arrange(struct writer *w)
{
	const struct pp_profile *profile = w->a->report->profile;
	size_t nr = 0, nr_all;
	const struct pp_entry *all = pp_code_entries(profile, &nr_all);

	w->entries = calloc(nr_all + 1, sizeof(*w->entries));
	w->parts = calloc(profile->nr_binaries + 1, sizeof(*w->parts));
	if (!w->entries || !w->parts)
		return -ENOMEM;
	for (size_t i = 0; i < nr_all; i++)
		if (is_wanted(w, &all[i]))
			w->entries[nr++] = &all[i];
	w->nr_entries = nr;
	if (nr)
		qsort_r(w->entries, nr, sizeof(*w->entries), compare_entries, (void *)profile);
	for (size_t i = 0, j; i < nr; i = j) {
		struct part *part = &w->parts[w->nr_parts++];

		part->binary = pp_entry_code(profile, w->entries[i])->binary;
		part->entries = &w->entries[i];
		for (j = i; j < nr; j++) {
			if (pp_entry_code(profile, w->entries[j])->binary != part->binary)
				break;
			part->sort += w->entries[j]->counts[0];
		}
		part->nr = j - i;
	}
	if (w->nr_parts)
		qsort(w->parts, w->nr_parts, sizeof(*w->parts), compare_parts);
	return 0;
}

static void print_blank(const struct writer *w)
{
	pp_columns_print(&w->columns, w->out, NULL);
}

static void print_source_line(const struct writer *w, const struct pp_source_text *text,
			      uint32_t line)
{
	size_t len;
	const char *start = pp_source_line(text, line, &len);

	if (!start)
		return;
	print_blank(w);
	pp_source_print(w->out, start, len);
	putc_unlocked('\n', w->out);
}

/* Print the inlined calls that contain the instruction at @vma. */
static void print_inlined(const struct writer *w, struct pp_lister *lister, uint64_t vma)
{
	struct pp_frame frames[PP_MAX_FRAMES];
	unsigned int nr = pp_image_frames(pp_lister_image(lister), vma, frames, PP_MAX_FRAMES);

	for (unsigned int i = 1; i < nr; i++) {
		if (!frames[i].file)
			continue;
		fputs_unlocked(i == 1 ? " (inlined at " : ", inlined at ", w->out);
		pp_source_print(w->out, frames[i].file, strlen(frames[i].file));
		fprintf(w->out, ":%" PRIu32, frames[i].line);
	}
	if (nr > 1)
		putc_unlocked(')', w->out);
}

/* If the source line of the instruction at @vma differs from the line of the previous instruction,
 * print the source lines between the two. */
static int print_source(const struct writer *w, struct pp_lister *lister,
			const struct pp_code *code, const struct pp_insn *insn,
			struct source_state *state)
{
	const struct pp_source_text *text;
	struct pp_image_info info;
	uint32_t first = insn->line;
	int err = 0;

	if (!insn->file || (insn->file == state->file && insn->line == state->line))
		return 0;
	pp_image_info(pp_lister_image(lister), 0, &info);
	text = pp_source_cache_get(w->a->cache, insn->file, info.owner, &err);
	if (err == -ENOMEM)
		return err;
	if (insn->file != state->file || !text) {
		print_blank(w);
		pp_source_print(w->out, insn->file, strlen(insn->file));
		fprintf(w->out, ":%" PRIu32, insn->line);
		print_inlined(w, lister, insn->vma);
		putc_unlocked('\n', w->out);
	}
	if (insn->file == state->file && state->line < insn->line)
		first = state->line + 1;
	else if (!state->file && code->line && code->line < insn->line)
		first = code->line;
	if (insn->line - first > MAX_RUN)
		first = insn->line;
	for (uint32_t line = first; text && line <= insn->line; line++)
		print_source_line(w, text, line);
	*state = (struct source_state){ insn->file, insn->line };
	return 0;
}

/* Print an address as printf("%8x") does, but faster, because a listing prints an address for each
 * instruction. */
static void print_address(FILE *out, uint64_t vma)
{
	char buf[16], *p = buf + sizeof(buf);

	do {
		*--p = "0123456789abcdef"[vma & 15];
		vma >>= 4;
	} while (vma);
	while (p > buf + 8)
		*--p = ' ';
	fwrite_unlocked(p, 1, buf + sizeof(buf) - p, out);
}

static void print_insn(const struct writer *w, const struct pp_insn *insn)
{
	pp_columns_print(&w->columns, w->out, insn->counts);
	print_address(w->out, insn->vma);
	fputs_unlocked(":\t", w->out);
	if (insn->bytes) {
		for (uint32_t i = 0; i < insn->size; i++)
			fprintf(w->out, "%02x ", insn->bytes[i]);
		for (uint32_t i = insn->size; i < 8; i++)
			fputs_unlocked("   ", w->out);
		putc_unlocked('\t', w->out);
	}
	pp_source_print(w->out, insn->text, strlen(insn->text));
	putc_unlocked('\n', w->out);
}

static void print_symbol(const struct writer *w, const struct pp_entry *entry)
{
	const struct pp_code *code = pp_entry_code(w->a->report->profile, entry);

	print_blank(w);
	putc_unlocked('\n', w->out);
	print_blank(w);
	if (code->kind == PP_CODE_SYMBOL) {
		fprintf(w->out, "%016" PRIx64 " <", code->vma);
		pp_source_print(w->out, code->name, strlen(code->name));
		fputs_unlocked(">:", w->out);
	}
	pp_columns_symbol(&w->columns, w->out, code->name, entry->counts);
	putc_unlocked('\n', w->out);
}

/* Print the sampled addresses of a function whose code cannot be read. */
static void print_addresses(const struct writer *w, const struct pp_entry *entry)
{
	const struct pp_details *details = pp_entry_details(w->a->report->profile, entry);

	for (size_t i = 0; details && i < details->nr; i++) {
		const struct pp_insn insn = {
			.vma = details->items[i].vma,
			.counts = details->items[i].counts,
			.text = "(no code)",
		};

		print_insn(w, &insn);
	}
}

static int print_listing(const struct writer *w, struct pp_lister *lister,
			 const struct pp_code *code, const struct pp_listing *listing)
{
	struct source_state state = { 0 };
	int err = 0;

	for (size_t i = 0; i < listing->nr && !err; i++) {
		const struct pp_insn *insn = &listing->insns[i];

		if (i && code->kind == PP_CODE_SYMBOL &&
		    insn->vma > insn[-1].vma + insn[-1].size) {
			print_blank(w);
			fputs("\t...\n", w->out);
		}
		if (w->a->options->source)
			err = print_source(w, lister, code, insn, &state);
		print_insn(w, insn);
	}
	return err;
}

static int write_entry(const struct writer *w, struct pp_lister *lister,
		       const struct pp_entry *entry)
{
	const struct pp_profile *profile = w->a->report->profile;
	const struct pp_code *code = pp_entry_code(profile, entry);
	struct pp_listing listing = { 0 };
	int err = -ENOENT;

	print_symbol(w, entry);
	if (lister && code->kind != PP_CODE_RAW &&
	    code->build == profile->binaries[code->binary].build)
		err = pp_listing_make(&listing, lister, code, pp_entry_details(profile, entry),
				      profile->nr_classes);
	if (err == -ENOMEM)
		return err;
	if (err) {
		print_addresses(w, entry);
		return 0;
	}
	err = print_listing(w, lister, code, &listing);
	pp_listing_release(&listing);
	return err;
}

/* Return -EINVAL with the reason in the log if --disassembler-options has a word that is invalid
 * for a listed machine, else 0. Call this before any output. */
static int check_words(const struct writer *w)
{
	const char *words = w->a->options->words;

	for (size_t i = 0; words && i < w->nr_parts; i++) {
		const struct pp_binary *binary =
			&w->a->report->profile->binaries[w->parts[i].binary];
		uint16_t machine = binary->info.machine;
		const char *bad = binary->info.has_elf ? pp_disasm_bad_word(machine, words) : NULL;

		if (!bad)
			continue;
		return op_fail(&w->a->report->log->error, -EINVAL,
			       "--disassembler-options=%.*s: unknown option for %s; the options "
			       "are: %s",
			       (int)strcspn(bad, ","), bad, binary->title,
			       pp_disasm_words(machine));
	}
	return 0;
}

static int note_codeless(struct writer *w, const struct pp_binary *binary)
{
	char *names;

	w->kernel_codeless |= binary->name->kind == OP_IMAGE_KERN;
	if (w->nr_codeless++ >= MAX_NAMED)
		return 0;
	if (asprintf(&names, "%s%s%s", w->codeless ? w->codeless : "", w->codeless ? ", " : "",
		     binary->title) < 0)
		return -ENOMEM;
	free(w->codeless);
	w->codeless = names;
	return 0;
}

static void report_codeless(const struct writer *w)
{
	const char *hindrance =
		w->kernel_codeless ? pp_images_kernel_hindrance(w->a->report->images) : NULL;
	char more[40] = "";

	if (!w->nr_codeless)
		return;
	if (w->nr_codeless > MAX_NAMED)
		snprintf(more, sizeof(more), " and %zu more", w->nr_codeless - MAX_NAMED);
	pp_warn(w->a->report->log, "cannot read the code, so only addresses are shown: %s%s%s%s%s",
		w->codeless, more, hindrance ? "; " : "", hindrance ? hindrance : "",
		w->kernel_codeless ? "; --image-path can name a directory with a vmlinux" : "");
}

/* Report the reason why a binary cannot be disassembled. */
static int report_no_lister(struct writer *w, const struct pp_binary *binary, int err,
			  uint16_t machine)
{
	struct pp_log *log = w->a->report->log;
	const char *package = pp_disasm_package(machine);

	if (err == -ENOTSUP)
		pp_warn(log,
			"%s: no disassembler for its machine is installed, so only addresses are "
			"shown%s%s",
			binary->title, package ? "; it is in the package " : "",
			package ? package : "");
	else if (err == -EINVAL)
		pp_warn(log,
			"%s: the disassembler of its machine has no --disassembler-options=%s, so "
			"only addresses are shown",
			binary->title, w->a->options->words);
	else if (binary->info.state != PP_IMAGE_MISSING && binary->info.state != PP_IMAGE_CHANGED)
		return note_codeless(w, binary);
	return 0;
}

static void print_part(const struct writer *w, const struct pp_binary *binary,
		       const struct part *part)
{
	const struct pp_profile *profile = w->a->report->profile;
	uint64_t counts[PP_MAX_CLASSES] = { 0 };

	for (size_t i = 0; i < part->nr; i++)
		for (size_t c = 0; c < profile->nr_classes; c++)
			counts[c] += part->entries[i]->counts[c];
	fputs("\n/* \n * Total samples for binary : \"", w->out);
	pp_print_in_comment(w->out, binary->title);
	fputs("\"\n * \n * ", w->out);
	pp_columns_numbers(&w->columns, w->out, counts);
	fputs("\n */\n", w->out);
}

static int write_part(struct writer *w, const struct part *part)
{
	const struct pp_annotated *a = w->a;
	const struct pp_binary *binary = &a->report->profile->binaries[part->binary];
	const struct pp_lister_options options = {
		.words = a->options->words,
		.lines = a->options->source,
		.bytes = a->options->bytes,
		.raw_names = a->options->raw_names,
	};
	struct pp_lister *lister = NULL;
	uint16_t machine = 0;
	int err = -ENOENT;

	if (binary->info.state != PP_IMAGE_MISSING)
		err = pp_lister_open(&lister, a->report->images, binary, &options, a->report->log,
				     &machine);
	if (err == -ENOMEM)
		return err;
	if (err)
		err = report_no_lister(w, binary, err, machine);
	if (err)
		return err;
	print_part(w, binary, part);
	for (size_t i = 0; i < part->nr && !err; i++) {
		if (a->progress)
			pp_progress(a->progress, w->nr_done++, w->nr_entries);
		err = write_entry(w, lister, part->entries[i]);
	}
	pp_lister_close(lister);
	return err;
}

static int report_empty(const struct writer *w)
{
	const struct pp_profile *profile = w->a->report->profile;
	double largest = 0;
	size_t nr;
	const struct pp_entry *entries = pp_code_entries(profile, &nr);

	for (size_t i = 0; i < nr; i++) {
		const uint64_t *counts = entries[i].counts, *totals = profile->totals;

		for (size_t c = 0; counts && c < profile->nr_classes; c++)
			if (totals[c] && 100.0 * counts[c] / totals[c] > largest)
				largest = 100.0 * counts[c] / totals[c];
	}
	if (largest < w->a->options->threshold)
		return op_fail(&w->a->report->log->error, -ENODATA,
			       "no symbol has %g%% (--threshold) of the samples; the largest "
			       "share is %.4f%%",
			       w->a->options->threshold, largest);
	return op_fail(&w->a->report->log->error, -ENODATA,
		       "no symbol passes --include-symbols, --exclude-symbols, "
		       "--include-file and --exclude-file");
}

int pp_annotated_assembly(const struct pp_annotated *a)
{
	struct writer w = { .a = a, .out = a->report->out };
	int err;

	pp_columns_init(&w.columns, a);
	err = arrange(&w);
	if (!err && !w.nr_entries)
		err = report_empty(&w);
	if (!err)
		err = check_words(&w);
	if (!err)
		err = pp_annotated_header(a, w.out);
	for (size_t i = 0; i < w.nr_parts && !err; i++)
		err = write_part(&w, &w.parts[i]);
	report_codeless(&w);
	if (!err && pp_gone_report(a->report->profile, "code", a->report->log))
		err = -ENOMEM;
	pp_source_cache_report(a->cache, a->report->log);
	free(w.codeless);
	free(w.entries);
	free(w.parts);
	return err;
}
