/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common.h -- the part of the command line that all report tools share: where the samples are,
 * which of them are meant, where the binaries are.
 */
#ifndef PP_COMMON_H
#define PP_COMMON_H

#include "pp/image/demangle.h"
#include "pp/base/log.h"
#include "pp/session/spec.h"

struct poptOption;

enum pp_common_option {	/* bits: what a tool has besides what all have */
	PP_OPT_MERGE = 1,		/* --merge */
	PP_OPT_EXCLUDE_DEPENDENT = 2,	/* --exclude-dependent */
	PP_OPT_SYMBOLS = 4,		/* --include-symbols, --exclude-symbols */
	PP_OPT_THRESHOLD = 8,		/* --threshold */
	PP_OPT_DEMANGLE = 16,		/* --demangle */
	PP_OPT_DIFF = 32,		/* { SPEC } { SPEC } */
};

struct pp_tool {
	const char *name;
	unsigned int options;			/* enum pp_common_option */
	const struct poptOption *own;		/* the tool's own options, or NULL */
};

struct pp_common {
	char *session_dir, *image_path, *root;	/* NULL: not given */
	unsigned int merge;			/* enum pp_merge */
	int merge_all;				/* --merge=all: whatever there is to merge */
	int exclude_dependent;
	enum pp_demangle demangle;
	int demangle_given;
	double threshold;			/* percent */
	bool threshold_given;
	struct pp_values include_symbols, exclude_symbols;
	struct pp_spec spec;
	int is_diff;				/* then .second is the other specification */
	struct pp_spec second;
	int anon_ranges;			/* memory without a file by process and range */
	int force, debuginfod, no_cache;
	int verbose;
	char *command;		/* the command line, quoted so that a shell would take it */
};

#define PP_OPTIONS_DONE	1	/* --help, --usage or --version was asked for, and printed */

/*
 * Parses the whole command line: own options go where their table says (strings are the tool's to
 * free), common ones and the profile specification into *@ret; sets @log's verbosity. 0,
 * PP_OPTIONS_DONE, or negative with the reason in @log.
 */
int pp_common_parse(struct pp_common *ret, const struct pp_tool *tool, int argc, const char **argv,
		    struct pp_log *log);
/* Takes a zeroed struct. */
void pp_common_release(struct pp_common *common);

/* A combination of options that means nothing, and why. */
struct pp_refusal {
	int applies;
	const char *why;
};

/* -EINVAL when one applies: combinations that mean nothing are refused, rather than one of the
 * options silently ignored. */
int pp_refuse(const struct pp_refusal *refusals, size_t nr, struct pp_log *log);

/* The words of "a,b" added to @v; @list may be NULL. A comma with a blank behind it is part of a word: names
 * of C++ functions have them. -ENOMEM. */
int pp_words_add(struct pp_values *v, const char *list);

#endif
