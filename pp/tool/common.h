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

enum pp_common_option {	/* bits: options of a tool besides those of all tools */
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
	char *session_dir, *image_path, *root;	/* NULL: the option was not given */
	unsigned int merge;			/* enum pp_merge */
	bool merge_all;				/* --merge=all: whatever there is to merge */
	bool exclude_dependent;
	enum pp_demangle demangle;
	bool demangle_given;
	double threshold;			/* percent */
	bool threshold_given;
	struct pp_values include_symbols, exclude_symbols;
	struct pp_spec spec;
	bool is_diff;				/* then .second is the other specification */
	struct pp_spec second;
	bool anon_ranges;			/* memory without a file by process and range */
	bool force, debuginfod, no_cache;
	bool verbose;
	char *command;		/* the command line, quoted so that a shell would take it */
};

#define PP_OPTIONS_DONE	1	/* --help, --usage or --version was asked for, and printed */

/*
 * Parse the command line. Store own options as their table says (the tool frees strings), and
 * common options and the profile specification in *@ret; set @log's verbosity. Return 0,
 * PP_OPTIONS_DONE, or a negative errno with the reason in @log.
 */
int pp_common_parse(struct pp_common *ret, const struct pp_tool *tool, int argc, const char **argv,
		    struct pp_log *log);
/* Takes a zeroed struct. */
void pp_common_release(struct pp_common *common);

/* A combination of options that is refused, and the message. */
struct pp_refusal {
	bool applies;
	const char *why;
};

/* Return -EINVAL, with its message in the log, if one of the combinations applies, else 0. So no
 * option is ignored silently. */
int pp_refuse(const struct pp_refusal *refusals, size_t nr, struct pp_log *log);

/* Add the words of "a,b" to @v; @list may be NULL. A comma before a blank is part of a word, as
 * in names of C++ functions. Return 0 or -ENOMEM. */
int pp_words_add(struct pp_values *v, const char *list);

#endif
