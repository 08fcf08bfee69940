// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c -- opreport's options, by popt. */
#include "config.h"
#include "pp/options.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session_paths.h"

/* As popt fills it in; strings are ours to free. */
struct raw {
	char *session_dir, *image_path, *root, *output_file;
	char *sort, *merge, *threshold, *demangle, *include, *exclude;
	int symbols, details, long_filenames, no_header, show_address, accumulated, global_percent;
	int reverse_sort, exclude_dependent, verbose, version;
	int callgraph, debug_info, xml;
};

static void raw_release(struct raw *raw)
{
	free(raw->session_dir);
	free(raw->image_path);
	free(raw->root);
	free(raw->output_file);
	free(raw->sort);
	free(raw->merge);
	free(raw->threshold);
	free(raw->demangle);
	free(raw->include);
	free(raw->exclude);
}

/* "a,b" added to @v. */
static int add_words(struct pp_values *v, const char *list)
{
	while (list && *list) {
		size_t len = strcspn(list, ",");
		char **items = reallocarray(v->items, v->nr + 1, sizeof(*items));

		if (!items)
			return -ENOMEM;
		v->items = items;
		items[v->nr] = strndup(list, len);
		if (!items[v->nr])
			return -ENOMEM;
		v->nr++;
		list += len + (list[len] == ',');
	}
	return 0;
}

static void values_release(struct pp_values *v)
{
	for (size_t i = 0; i < v->nr; i++)
		free(v->items[i]);
	free(v->items);
}

struct merge_word {
	const char *word;
	unsigned int merge;
};

static const struct merge_word merge_words[] = {
	{ "cpu", PP_MERGE_CPU },
	{ "lib", PP_MERGE_LIB },
	{ "library", PP_MERGE_LIB },
	{ "tid", PP_MERGE_TID },
	{ "tgid", PP_MERGE_TGID | PP_MERGE_TID },
	{ "unitmask", PP_MERGE_UNITMASK },
	{ "all", PP_MERGE_ALL },
};

static int parse_merge(unsigned int *merge, const char *list, struct pp_log *log)
{
	while (list) {
		size_t len = strcspn(list, ","), i,
		       nr = sizeof(merge_words) / sizeof(merge_words[0]);

		for (i = 0; i < nr; i++)
			if (strlen(merge_words[i].word) == len &&
			    !memcmp(merge_words[i].word, list, len))
				break;
		if (i == nr) {
			pp_error(log, "--merge=%.*s: not one of cpu, lib, tid, tgid, unitmask, all",
				 (int)len, list);
			return PP_ERR_TOLD;
		}
		*merge |= merge_words[i].merge;
		list = list[len] ? list + len + 1 : NULL;
	}
	return 0;
}

static int parse_threshold(double *ret, const char *text, struct pp_log *log)
{
	char *end;

	if (!text)
		return 0;
	*ret = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !(*ret >= 0 && *ret <= 100)) {
		pp_error(log, "--threshold=%s: needs a percentage from 0 to 100", text);
		return PP_ERR_TOLD;
	}
	return 0;
}

static int parse_demangle(enum pp_demangle *ret, const char *text, struct pp_log *log)
{
	if (!text || !strcmp(text, "normal")) {
		*ret = PP_DEMANGLE_NORMAL;
	} else if (!strcmp(text, "none")) {
		*ret = PP_DEMANGLE_NONE;
	} else if (!strcmp(text, "smart")) {
		*ret = PP_DEMANGLE_SMART;
	} else {
		pp_error(log, "--demangle=%s: not one of none, normal, smart", text);
		return PP_ERR_TOLD;
	}
	return 0;
}

static int parse_sort(struct pp_order *ret, const char *text, struct pp_log *log)
{
	const char *bad;

	if (!pp_order_parse(ret, text, &bad))
		return 0;
	if (!strncmp(bad, "debug", 5) && strcspn(bad, ",") == 5)
		pp_error(log, "--sort=debug: source lines cannot be reported yet");
	else
		pp_error(log, "--sort=%.*s: not one of sample, image, app-name, symbol, vma",
			 (int)strcspn(bad, ","), bad);
	return PP_ERR_TOLD;
}

static int sorts_by_vma(const char *sort)
{
	return sort && (!strncmp(sort, "vma", 3) || strstr(sort, ",vma"));
}

struct refusal {
	int applies;
	const char *why;
};

/* Combinations that mean nothing are refused, rather than one of them silently ignored. */
static int check(const struct raw *raw, unsigned int merge, struct pp_log *log)
{
	int symbols = raw->symbols || raw->details;
	const struct refusal refusals[] = {
		{raw->callgraph && raw->details, "--callgraph is incompatible with --details"},
		{raw->callgraph, "--callgraph: call graphs cannot be reported yet"},
		{raw->debug_info && !symbols, "--debug-info is meaningless without --symbols"},
		{raw->debug_info, "--debug-info: source lines cannot be reported yet"},
		{raw->xml && raw->accumulated, "--accumulated is incompatible with --xml"},
		{raw->xml, "--xml: only text can be written yet"},
		{raw->accumulated && !symbols, "--accumulated is meaningless without --symbols"},
		{raw->show_address && !symbols, "--show-address is meaningless without --symbols"},
		{sorts_by_vma(raw->sort) && !symbols,
		 "--sort=vma is meaningless without --symbols"},
		{(raw->include || raw->exclude) && !symbols,
		 "--include-symbols and --exclude-symbols are meaningless without --symbols"},
		{raw->global_percent && symbols && !raw->details,
		 "--global-percent is meaningless with --symbols and without --details: these "
		 "percentages are of "
		 "everything already"},
		{(merge & PP_MERGE_LIB) && raw->exclude_dependent,
		 "--merge=lib is meaningless with --exclude-dependent: there are no libraries left "
		 "to merge"},
	};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (refusals[i].applies) {
			pp_error(log, "%s", refusals[i].why);
			return PP_ERR_TOLD;
		}
	}
	return 0;
}

static char *take(char **from)
{
	char *text = *from;

	*from = NULL;
	return text;
}

/* --merge=all says "whatever there is", so it does not contradict --exclude-dependent. */
static unsigned int named_merges(const char *list, unsigned int merge)
{
	return list && !strcmp(list, "all") ? merge & ~PP_MERGE_LIB : merge;
}

static int convert(struct pp_options *o, struct raw *raw, poptContext popt, struct pp_log *log)
{
	const char **words = poptGetArgs(popt);
	size_t nr = 0;
	int err;

	while (words && words[nr])
		nr++;
	o->demangle = PP_DEMANGLE_NORMAL;
	err = parse_merge(&o->merge, raw->merge, log);
	if (!err)
		err = check(raw, named_merges(raw->merge, o->merge), log);
	if (!err)
		err = parse_sort(&o->order, raw->sort, log);
	if (!err)
		err = parse_threshold(&o->threshold, raw->threshold, log);
	if (!err)
		err = parse_demangle(&o->demangle, raw->demangle, log);
	if (!err)
		err = pp_spec_parse(&o->spec, words, nr, log);
	if (err)
		return err;
	if (add_words(&o->include_symbols, raw->include) ||
	    add_words(&o->exclude_symbols, raw->exclude))
		return pp_oom(log);
	o->session_dir = take(&raw->session_dir);
	o->image_path = take(&raw->image_path);
	o->root = take(&raw->root);
	o->output_file = take(&raw->output_file);
	o->exclude_dependent = raw->exclude_dependent;
	o->symbols = raw->symbols || raw->details;
	o->order.reverse = raw->reverse_sort;
	o->order.long_filenames = raw->long_filenames;
	o->verbose = raw->verbose;
	o->format = (struct pp_format_options){
		.long_filenames = raw->long_filenames,
		.show_header = !raw->no_header,
		.show_address = raw->show_address,
		.accumulated = raw->accumulated,
		.global_percent = raw->global_percent,
		.details = raw->details,
		.verbose = raw->verbose,
	};
	return 0;
}

/* OProfile's --verbose took a list of subjects; ours says everything. popt cannot make an argument
 * optional without taking the next word for it, so the list is cut off first. NULL: out of memory.
 */
static const char **plain_verbose(int argc, const char **argv)
{
	const char **words = calloc(argc + 1, sizeof(*words));

	for (int i = 0; words && i < argc; i++)
		words[i] = strncmp(argv[i], "--verbose=", 10) ? argv[i] : "--verbose";
	return words;
}

int pp_options_parse(struct pp_options *ret, int argc, const char **argv, struct pp_log *log)
{
	struct raw raw = { 0 };
	struct pp_options options = { 0 };
	const struct poptOption table[] = {
		{"symbols", 'l', POPT_ARG_NONE, &raw.symbols, 0, "list symbols instead of images",
		 NULL},
		{"details", 'd', POPT_ARG_NONE, &raw.details, 0,
		 "list the addresses of each symbol too", NULL},
		{"session-dir", 0, POPT_ARG_STRING, &raw.session_dir, 0,
		 "where the samples are (default " OP_DEFAULT_SESSION_DIR ")", "DIR"},
		{"sort", 's', POPT_ARG_STRING, &raw.sort, 0, "sort by these, in this order",
		 "sample,image,app-name,symbol,vma"},
		{"reverse-sort", 'r', POPT_ARG_NONE, &raw.reverse_sort, 0, "last line first", NULL},
		{"merge", 'm', POPT_ARG_STRING, &raw.merge, 0, "add up what was separated",
		 "cpu,lib,tid,tgid,unitmask,all"},
		{"threshold", 't', POPT_ARG_STRING, &raw.threshold, 0, "leave out lines below this",
		 "PERCENT"},
		{"exclude-dependent", 'x', POPT_ARG_NONE, &raw.exclude_dependent, 0,
		 "leave out samples in libraries and kernel", NULL},
		{"include-symbols", 'i', POPT_ARG_STRING, &raw.include, 0, "only these",
		 "GLOB[,GLOB]"},
		{"exclude-symbols", 'e', POPT_ARG_STRING, &raw.exclude, 0, "not these",
		 "GLOB[,GLOB]"},
		{"demangle", 'D', POPT_ARG_STRING, &raw.demangle, 0, "C++ and Rust names",
		 "none|normal|smart"},
		{"long-filenames", 'f', POPT_ARG_NONE, &raw.long_filenames, 0, "full paths", NULL},
		{"show-address", 'w', POPT_ARG_NONE, &raw.show_address, 0, "addresses of symbols",
		 NULL},
		{"accumulated", 'a', POPT_ARG_NONE, &raw.accumulated, 0,
		 "running sums beside the counts", NULL},
		{"global-percent", '%', POPT_ARG_NONE, &raw.global_percent, 0,
		 "percentages of everything, not of the program or symbol", NULL},
		{"no-header", 'n', POPT_ARG_NONE, &raw.no_header, 0, "only the lines themselves",
		 NULL},
		{"image-path", 'p', POPT_ARG_STRING, &raw.image_path, 0,
		 "where else to look for binaries", "DIR[,DIR]"},
		{"root", 'R', POPT_ARG_STRING, &raw.root, 0,
		 "binaries and debug files are below this", "DIR"},
		{"output-file", 'o', POPT_ARG_STRING, &raw.output_file, 0,
		 "write here, not to the terminal", "FILE"},
		{"callgraph", 'c', POPT_ARG_NONE, &raw.callgraph, 0, "(not yet)", NULL},
		{"debug-info", 'g', POPT_ARG_NONE, &raw.debug_info, 0, "(not yet)", NULL},
		{"xml", 'X', POPT_ARG_NONE, &raw.xml, 0, "(not yet)", NULL},
		{"verbose", 'V', POPT_ARG_NONE, &raw.verbose, 0,
		 "say what is read, and show every counter", NULL},
		{"version", 'v', POPT_ARG_NONE, &raw.version, 0, "print the version", NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	const char **words = plain_verbose(argc, argv);
	poptContext popt = words ? poptGetContext("opreport", argc, words, table, 0) : NULL;
	int err;

	if (!popt) {
		free(words);
		return pp_oom(log);
	}
	poptSetOtherOptionHelp(popt, "[OPTION...] [NAME | TAG:VALUE[,VALUE]...]...");
	while ((err = poptGetNextOpt(popt)) > 0)
		;
	if (err < -1) {
		pp_error(log, "%s: %s; see opreport --help",
			 poptBadOption(popt, POPT_BADOPTION_NOALIAS), poptStrerror(err));
		err = PP_ERR_TOLD;
	} else if (raw.version) {
		printf("opreport: %s\n", PACKAGE_STRING);
		err = PP_OPTIONS_DONE;
	} else {
		err = convert(&options, &raw, popt, log);
	}
	if (err)
		pp_options_release(&options);
	else
		*ret = options;
	poptFreeContext(popt);
	free(words);
	raw_release(&raw);
	return err;
}

void pp_options_release(struct pp_options *options)
{
	free(options->session_dir);
	free(options->image_path);
	free(options->root);
	free(options->output_file);
	values_release(&options->include_symbols);
	values_release(&options->exclude_symbols);
	pp_spec_release(&options->spec);
	*options = (struct pp_options){ 0 };
}
