/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common.h -- the options that all report tools share: the session, the choice of samples, and the
 * places of binaries.
 */
#ifndef PP_COMMON_H
#define PP_COMMON_H

#include <stdbool.h>

#include "pp/image/demangle.h"
#include "pp/base/log.h"
#include "pp/session/spec.h"

struct poptOption;

/* bits for the options of a tool, in addition to the options that all tools have */
enum pp_common_option {
	PP_OPT_MERGE = 1,		/* the tool has --merge */
	PP_OPT_EXCLUDE_DEPENDENT = 2,	/* the tool has --exclude-dependent */
	PP_OPT_SYMBOLS = 4,		/* the tool has --include-symbols and --exclude-symbols */
	PP_OPT_THRESHOLD = 8,		/* the tool has --threshold */
	PP_OPT_DEMANGLE = 16,		/* the tool has --demangle */
	PP_OPT_DIFF = 32,		/* the tool accepts two specifications, { SPEC } { SPEC } */
};

struct pp_tool {
	const char *name;
	/* options that the tool has, bits of enum pp_common_option */
	unsigned int options;
	/* options that only this tool has; NULL: no such options */
	const struct poptOption *own;
};

struct pp_common {
	/* values of the options with these names; NULL: the option was not given */
	char *session_dir, *image_path, *root;
	/* properties over which samples are summed, bits of enum pp_merge */
	unsigned int merge;
	bool merge_all; /* --merge=all: merge everything that can be merged */
	bool exclude_dependent;
	enum pp_demangle demangle;
	bool demangle_given;
	double threshold;			/* minimum share of a line, in percent */
	bool threshold_given;
	struct pp_values include_symbols, exclude_symbols;
	struct pp_spec spec;
	/* the report is a differential profile, and .second is the specification of its second
	 * side */
	bool is_diff;
	struct pp_spec second;
	bool anon_ranges; /* distinguish memory without a file by process and range */
	bool force, debuginfod, no_cache;
	bool verbose;
	char *command;		/* the command line, quoted so that it can be pasted into a shell */
	/* the options and words that choose samples and places, each after a blank, quoted for a
	 * shell; NULL: a word has control characters */
	char *selection;
};

#define PP_OPTIONS_DONE	1	/* result: the text of --help, --usage or --version was printed */

/*
 * Parse the command line. Store the tool's own options as their table says; the tool frees strings.
 * Store common options and the profile specification in *@ret. Set the verbosity of @log. Return 0,
 * PP_OPTIONS_DONE, or a negative errno with the reason in @log.
 */
int pp_common_parse(struct pp_common *ret, const struct pp_tool *tool, int argc, const char **argv,
		    struct pp_log *log);
/* Release the options. Accepts a zeroed struct. */
void pp_common_release(struct pp_common *common);

/* A combination of options that is refused, and the message for the user. */
struct pp_refusal {
	bool applies;
	const char *why;
};

/* Return -EINVAL, with the message in the log, if the user has given one of the refused
 * combinations of options; else 0. Tools refuse an option that would have no effect instead of
 * ignoring it. */
int pp_refuse(const struct pp_refusal *refusals, size_t nr, struct pp_log *log);

/* Add the words of "a,b" to @v; @list may be NULL. A comma before a blank is part of a word, as
 * in names of C++ functions. Return 0 or -ENOMEM. */
int pp_words_add(struct pp_values *v, const char *list);

#endif
