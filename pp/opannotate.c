// SPDX-License-Identifier: GPL-2.0-or-later
/* opannotate.c -- the opannotate program: source code or assembly with sample counts. */
#include "config.h"
#include <errno.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/process.h"
#include "pp/base/log.h"
#include "pp/format/annotated.h"
#include "pp/tool/common.h"
#include "pp/tool/console.h"
#include "pp/tool/view_screen.h"
#include "pp/tool/work.h"

/* Option values as popt stores them. main() frees the strings. */
struct raw {
	int source, assembly, no_pager, whole_files;
	char *output_dir, *search_dirs, *base_dirs, *include_files, *exclude_files, *allocators;
	char *objdump_params, *disassembler_options, *color;
};

struct options {
	struct pp_common common;
	struct pp_annotated_options annotated;
	struct pp_values search_dirs, base_dirs, include_files, exclude_files, allocators;
	char *output_dir;	/* directory of the output; NULL: write to stdout */
	char *words;		/* options for the disassembler (libopcodes), or NULL */
	bool no_pager;
	bool view;		/* show the listing in an interactive view on the terminal */
};

static void raw_release(struct raw *raw)
{
	free(raw->output_dir);
	free(raw->search_dirs);
	free(raw->base_dirs);
	free(raw->include_files);
	free(raw->exclude_files);
	free(raw->allocators);
	free(raw->objdump_params);
	free(raw->disassembler_options);
	free(raw->color);
}

static void options_release(struct options *o)
{
	pp_common_release(&o->common);
	pp_values_release(&o->search_dirs);
	pp_values_release(&o->base_dirs);
	pp_values_release(&o->include_files);
	pp_values_release(&o->exclude_files);
	pp_values_release(&o->allocators);
	free(o->output_dir);
	free(o->words);
}

/* Append a comma and the word @more to *@words. Return 0 or -ENOMEM. */
static int add_words(char **words, const char *more)
{
	char *all;

	if (asprintf(&all, "%s%s%s", *words ? *words : "", *words ? "," : "", more) < 0)
		return -ENOMEM;
	free(*words);
	*words = all;
	return 0;
}

/* Return the VALUE of "-M VALUE", "-MVALUE" or "--disassembler-options=VALUE", or NULL if @word is
 * another option. @next is the word after @word. Set *@ret_two if the value is @next. */
static const char *disassembler_value(const char *word, const char *next, int *ret_two)
{
	static const char long_name[] = "--disassembler-options";

	*ret_two = 0;
	if (!strncmp(word, "-M", 2) && word[2])
		return word + 2;
	if (!strncmp(word, long_name, sizeof(long_name) - 1) && word[sizeof(long_name) - 1] == '=')
		return word + sizeof(long_name);
	if (strcmp(word, "-M") && strcmp(word, long_name))
		return NULL;
	*ret_two = 1;
	return next;
}

/* Apply one option that the user passed for objdump. opannotate does not run objdump, but
 * implements some of its options itself. */
static int apply_objdump_word(struct options *o, const char *word, const char *next, int *ret_two,
			     struct pp_log *log)
{
	/* objdump options that are ignored, because opannotate always works as they request */
	static const char *const usual[] = { "-d", "--disassemble", "-C", "--demangle",
					     "--no-show-raw-insn", "-w", "--wide", NULL };
	const char *value = disassembler_value(word, next, ret_two);

	if (value)
		return add_words(&o->words, value);
	for (size_t i = 0; usual[i]; i++)
		if (!strcmp(word, usual[i]))
			return 0;
	if (!strcmp(word, "-S") || !strcmp(word, "--source")) {
		o->annotated.source = 1;
		return 0;
	}
	if (!strcmp(word, "--show-raw-insn")) {
		o->annotated.bytes = 1;
		return 0;
	}
	return op_fail(&log->error, -EINVAL,
		       "--objdump-params: unknown option '%s'; known are -M WORDS "
		       "(--disassembler-options=WORDS), -S, --show-raw-insn and --no-show-raw-insn",
		       word);
}

static int apply_objdump_params(struct options *o, char *params, struct pp_log *log)
{
	char *rest = params, *word, *next;
	int two, err = 0;

	for (word = strtok_r(params, " \t", &rest); word && !err; word = next) {
		next = strtok_r(NULL, " \t", &rest);
		err = apply_objdump_word(o, word, next, &two, log);
		if (two && next)
			next = strtok_r(NULL, " \t", &rest);
	}
	return err;
}

static int parse_color(bool *ret, const char *text, struct pp_log *log)
{
	const char *term = getenv("TERM");

	if (!text || !strcmp(text, "auto"))
		*ret = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") && !getenv("NO_COLOR");
	else if (!strcmp(text, "always"))
		*ret = 1;
	else if (!strcmp(text, "never"))
		*ret = 0;
	else {
		return op_fail(&log->error, -EINVAL, "--color=%s: not one of auto, always, never",
			       text);
	}
	return 0;
}

/* Return whether to show the listing in an interactive view: the output is a terminal, and the user
 * requested neither a pager nor plain text. */
static bool wants_view(const struct raw *raw)
{
	return !raw->output_dir && !raw->no_pager && !getenv("OPROFILE_PAGER") &&
	       pp_view_screen_works();
}

static int check(const struct raw *raw, const struct pp_common *common, struct pp_log *log)
{
	const struct pp_refusal refusals[] = {
		{!raw->source && !raw->assembly, "you must specify at least --source or --assembly",
		 "--source"},
		{raw->objdump_params && !raw->assembly,
		 "--objdump-params is meaningless without --assembly", "--assembly"},
		{raw->disassembler_options && !raw->assembly,
		 "--disassembler-options is meaningless without --assembly", "--assembly"},
		{raw->output_dir && raw->assembly,
		 "--output-dir is meaningless with --assembly: its listing is not by source file",
		 "--assembly"},
		{raw->whole_files && (!raw->source || raw->assembly),
		 "--whole-files is meaningless without --source, and with --assembly",
		 "--source --whole-files"},
		{(raw->search_dirs || raw->base_dirs) && !raw->source,
		 "--search-dirs and --base-dirs are meaningless without --source", "--source"},
		{raw->base_dirs && !raw->search_dirs && !raw->output_dir,
		 "--base-dirs needs --search-dirs or --output-dir, which name the directory in "
		 "place of the removed prefix", "--source --search-dirs=."},
	};

	return pp_refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), "opannotate", common,
			 log);
}

static int convert(struct options *o, struct raw *raw, struct pp_log *log)
{
	int err;

	o->view = wants_view(raw);
	/* The interactive view shows source and assembly together. The user can fold either of
	 * them. */
	if (o->view && !raw->source && !raw->assembly) {
		raw->source = 1;
		raw->assembly = !raw->whole_files;
	}
	err = check(raw, &o->common, log);
	o->annotated.source = raw->source;
	o->annotated.assembly = raw->assembly;
	o->annotated.whole_files = raw->whole_files;
	o->no_pager = raw->no_pager;
	if (!err)
		err = parse_color(&o->annotated.color, raw->color, log);
	if (!err && raw->disassembler_options)
		err = add_words(&o->words, raw->disassembler_options);
	if (!err && raw->objdump_params)
		err = apply_objdump_params(o, raw->objdump_params, log);
	if (err)
		return err;
	if (pp_words_add(&o->search_dirs, raw->search_dirs) ||
	    pp_words_add(&o->base_dirs, raw->base_dirs) ||
	    pp_words_add(&o->include_files, raw->include_files) ||
	    pp_words_add(&o->exclude_files, raw->exclude_files) ||
	    pp_words_add(&o->allocators, raw->allocators))
		return -ENOMEM;
	o->output_dir = raw->output_dir;
	raw->output_dir = NULL;
	/* Sum the samples of a library over all programs that used it. --exclude-dependent still
	 * works, because it excludes sample files before this sum. */
	o->common.merge |= PP_MERGE_LIB;
	o->annotated.threshold = o->common.threshold;
	o->annotated.raw_names = o->common.demangle == PP_DEMANGLE_NONE;
	return 0;
}

static int parse(struct options *o, int argc, const char **argv, struct pp_log *log)
{
	struct raw raw = { 0 };
	const struct poptOption own[] = {
		{"source", 's', POPT_ARG_NONE, &raw.source, 0,
		 "print source code with sample counts", NULL},
		{"assembly", 'a', POPT_ARG_NONE, &raw.assembly, 0,
		 "print assembly with sample counts; with --source, also its source lines", NULL},
		{"whole-files", 0, POPT_ARG_NONE, &raw.whole_files, 0,
		 "print whole source files, not only lines near samples", NULL},
		{"output-dir", 'o', POPT_ARG_STRING, &raw.output_dir, 0,
		 "write a file for each source file to this directory", "DIR"},
		{"search-dirs", 'd', POPT_ARG_STRING, &raw.search_dirs, 0,
		 "search source files in these directories too", "DIR[,DIR]"},
		{"base-dirs", 'b', POPT_ARG_STRING, &raw.base_dirs, 0,
		 "remove this prefix from source paths before the search", "DIR[,DIR]"},
		{"include-file", 0, POPT_ARG_STRING, &raw.include_files, 0,
		 "print only these source files", "GLOB[,GLOB]"},
		{"exclude-file", 0, POPT_ARG_STRING, &raw.exclude_files, 0,
		 "do not print these source files", "GLOB[,GLOB]"},
		{"allocators", 0, POPT_ARG_STRING, &raw.allocators, 0,
		 "treat these functions as allocators in heap profiles",
		 "GLOB[,GLOB]"},
		{"disassembler-options", 'M', POPT_ARG_STRING, &raw.disassembler_options, 0,
		 "set options of the disassembler: intel, att, no-aliases, ...", "WORD[,WORD]"},
		{"objdump-params", 0, POPT_ARG_STRING, &raw.objdump_params, 0,
		 "accept options of objdump: -M intel, -S, --show-raw-insn", "PARAMS"},
		{"color", 0, POPT_ARG_STRING, &raw.color, 0, "color counts by their share",
		 "auto|always|never"},
		{"no-pager", 0, POPT_ARG_NONE, &raw.no_pager, 0,
		 "do not start $OPROFILE_PAGER or $PAGER for long reports", NULL},
		POPT_TABLEEND};
	const struct pp_tool tool = {
		"opannotate",
		PP_OPT_MERGE | PP_OPT_EXCLUDE_DEPENDENT | PP_OPT_SYMBOLS | PP_OPT_THRESHOLD |
			PP_OPT_DEMANGLE | PP_OPT_IDLE,
		own,
	};
	int err = pp_common_parse(&o->common, &tool, argc, argv, log);

	if (!err)
		err = convert(o, &raw, log);
	raw_release(&raw);
	return err;
}

/* Collect the data for the annotation and write it. Return 0 or a negative errno. */
static int write_annotated(const struct options *o, struct pp_annotated *a)
{
	struct pp_log *log = a->report->log;
	struct pp_sources *sources = NULL;
	struct pp_tree tree = { 0 };
	int err = 0;

	if (o->output_dir) {
		err = pp_tree_open(&tree, o->output_dir);
		if (err)
			return op_fail(&log->error, err, "--output-dir=%s: %s", o->output_dir,
				       strerror(-err));
		a->tree = &tree;
	}
	if (!a->options->assembly) {
		err = pp_sources_make(&sources, a->report->profile,
				      &(struct pp_callers){ a->report->session, &o->allocators });
		a->sources = sources;
	}
	if (!err)
		err = a->options->assembly ? pp_annotated_assembly(a) : pp_annotated_source(a);
	pp_sources_destroy(sources);
	pp_tree_close(&tree);
	return err;
}

/* Show the annotated code @text in the interactive view. If the terminal cannot show the view,
 * print @text. Return 0 or a negative errno. */
static int show_view(const struct options *o, const struct pp_report *report, char *text,
		     size_t size)
{
	const struct pp_profile *profile = report->profile;
	struct pp_annotated annotated = { .report = report, .options = &o->annotated };
	const char *classes[PP_MAX_CLASSES];
	struct pp_columns columns;
	struct pp_view view;
	int err;

	pp_columns_init(&columns, &annotated);
	err = pp_view_init(&view, text, size, (size_t)columns.blank_width, o->annotated.assembly,
			   profile->totals, profile->nr_classes);
	if (err)
		return err;
	for (size_t i = 0; i < profile->nr_classes; i++)
		classes[i] = i < report->session->classes.nr ?
				     report->session->classes.items[i].event : "";
	err = pp_view_screen_run(&view, report->command ? report->command : "opannotate", classes,
				 o->annotated.color);
	if (err)
		fwrite(text, 1, size, stdout);
	pp_view_release(&view);
	return 0;
}

/* Collect the annotation, show it in the interactive view, then print the queued messages. */
static int write_view(const struct options *o, struct pp_annotated *a, struct pp_report *report,
		      struct pp_annotated_options *options, struct pp_console *console)
{
	struct pp_log *log = &console->log;
	struct pp_log_queue queue;
	char *text = NULL;
	size_t size = 0;
	int err;

	report->out = open_memstream(&text, &size);
	if (!report->out)
		return -ENOMEM;
	options->color = false;		/* the interactive view sets colours itself */
	a->progress = log;
	pp_log_queue_init(&queue, log);
	report->log = &queue.log;
	err = write_annotated(o, a);
	if (fclose(report->out) && !err)
		err = -ENOMEM;
	report->out = stdout;
	pp_console_clear(console);
	if (err)
		free(text);
	else
		err = show_view(o, report, text, size);
	pp_log_queue_flush(&queue, log);
	return err;
}

/* Write the annotation, through a pager if stdout is a terminal. Print messages after the pager has
 * exited. */
static int write_paged(const struct options *o, struct pp_annotated *a, struct pp_report *report,
		       struct pp_console *console)
{
	struct pp_log *log = &console->log;
	struct pp_log_queue queue;
	struct pp_pager pager = { 0 };
	int err;

	if (!o->output_dir && !o->no_pager)
		pp_pager_start(&pager, log);
	if (o->output_dir || (!pager.pid && !isatty(STDOUT_FILENO)))
		a->progress = log;
	pp_log_queue_init(&queue, log);
	report->log = &queue.log;
	err = write_annotated(o, a);
	pp_console_clear(console);
	/* EPIPE is not an error if a pager runs, because the user may quit the pager early. */
	if (!err && (fflush(stdout) || ferror(stdout)) && !(pager.pid && errno == EPIPE)) {
		err = op_fail(&queue.log.error, -errno, "output: %s", strerror(errno));
	}
	pp_pager_finish(&pager);
	pp_log_queue_flush(&queue, log);
	return err;
}

static struct pp_work_options wanted_work(const struct options *o)
{
	return (struct pp_work_options){
		.symbols = 1,
		.details = 1,
		/* Look up the source lines of the whole profile, unless only assembly is shown: for
		 * assembly, the line of each instruction is looked up later. */
		.lines = !o->annotated.assembly || o->annotated.source || o->include_files.nr ||
			 o->exclude_files.nr,
		/* For profiles with call paths, show the counts of a call at the line or
		 * instruction of the caller. */
		.paths = 1,
		.allocators = o->annotated.assembly ? &o->allocators : NULL,
		.call_lines = !o->annotated.assembly,
		.raw_names = !o->annotated.assembly,
	};
}

static int annotate(const struct options *o, struct pp_console *console)
{
	const struct pp_work_options wanted = wanted_work(o);
	const struct pp_format_options format_options = {
		.show_header = 1,
		.verbose = o->common.verbose,
	};
	struct pp_source_places places = {
		.search = &o->search_dirs,
		.base = &o->base_dirs,
	};
	struct pp_annotated_options options = o->annotated;
	struct pp_report report = {
		.options = &format_options,
		.command = o->common.command,
		.out = stdout,
	};
	struct pp_annotated annotated = { .report = &report, .options = &options };
	struct pp_work work;
	int err = pp_work_make(&work, &o->common, &wanted, &console->log);

	if (err)
		return err;
	pp_console_clear(console);
	places.root = o->common.root ? o->common.root : work.session->archive;
	report.session = work.session;
	report.profile = work.profile;
	report.images = work.images;
	options.include_files = &o->include_files;
	options.exclude_files = &o->exclude_files;
	options.base_dirs = &o->base_dirs;
	options.words = o->words;
	annotated.cache = pp_source_cache_create(&places);
	err = !annotated.cache ? -ENOMEM :
	      o->view	       ? write_view(o, &annotated, &report, &options, console) :
				 write_paged(o, &annotated, &report, console);
	pp_source_cache_destroy(annotated.cache);
	pp_work_release(&work);
	return err;
}

int main(int argc, const char **argv)
{
	struct pp_console console;
	struct options options = { 0 };
	int err;

	op_process_prepare(NULL, OP_PROCESS_PRINTS);
	pp_console_init(&console, "opannotate", stderr);
	err = parse(&options, argc, argv, &console.log);
	if (!err)
		err = annotate(&options, &console);
	options_release(&options);
	return pp_console_end(&console, err);
}
