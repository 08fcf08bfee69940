/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common.h -- options that all report tools share: the session, the selection of samples, and the
 * directories of binaries.
 */
#ifndef PP_COMMON_H
#define PP_COMMON_H

#include <stdbool.h>

#include "pp/image/demangle.h"
#include "pp/base/log.h"
#include "pp/session/spec.h"

struct poptOption;

/* Options that only some tools have, as bits. */
enum pp_common_option {
	PP_OPT_MERGE = 1,		/* the tool has --merge */
	PP_OPT_EXCLUDE_DEPENDENT = 2,	/* the tool has --exclude-dependent */
	PP_OPT_SYMBOLS = 4,		/* the tool has --include-symbols and --exclude-symbols */
	PP_OPT_THRESHOLD = 8,		/* the tool has --threshold */
	PP_OPT_DEMANGLE = 16,		/* the tool has --demangle */
	PP_OPT_DIFF = 32,		/* the tool accepts two specifications, { SPEC } { SPEC } */
	PP_OPT_IDLE = 64,		/* the tool has --idle, and hides idle waits without it */
};

struct pp_tool {
	const char *name;
	/* the optional common options that the tool has, bits of enum pp_common_option */
	unsigned int options;
	/* options that only this tool has; NULL if it has none */
	const struct poptOption *own;
};

struct pp_common {
	/* arguments of --session-dir, --image-path and --root; NULL: option not given */
	char *session_dir, *image_path, *root;
	/* axes (such as processes) over which samples are summed, bits of enum pp_merge */
	unsigned int merge;
	bool merge_all; /* --merge=all was given: sum samples over all axes */
	bool exclude_dependent;
	enum pp_demangle demangle;
	bool demangle_given;
	/* --threshold: smallest percentage of samples for a line to be shown */
	double threshold;
	bool threshold_given;
	struct pp_values include_symbols, exclude_symbols;
	struct pp_spec spec;
	/* the report is a differential profile; .second is the specification of the second side */
	bool is_diff;
	struct pp_spec second;
	bool anon_ranges; /* separate rows of memory without a file by process and address range */
	bool force, debuginfod, no_cache;
	bool verbose;
	char *command;		/* the whole command line of the report, quoted for a shell */
	/* the options and words that select samples and directories, each after a blank, quoted for
	 * a shell; NULL if a word has unprintable characters */
	char *selection;
	size_t nr_option_bytes;	/* length of the options in .selection; words follow */
};

#define PP_OPTIONS_DONE	1	/* returned after --help, --usage or --version was printed */

/*
 * Parse the command line. Store values of the tool's own options at the addresses in their table;
 * the tool frees strings there. Store common options and the specification in *@ret. Set the
 * verbosity of @log. Return 0, PP_OPTIONS_DONE, or a negative errno with the reason in @log.
 */
int pp_common_parse(struct pp_common *ret, const struct pp_tool *tool, int argc, const char **argv,
		    struct pp_log *log);
/* Free the contents of @common, which may be zeroed. */
void pp_common_release(struct pp_common *common);

/* A combination of options that a tool refuses: the error message, and the options of a command
 * that works. */
struct pp_refusal {
	bool applies;
	const char *why, *instead;
};

/* If the user gave one of the combinations @refusals of @tool, return -EINVAL with the message in
 * the log, else 0. The message ends with the suggested command, which repeats the user's selection
 * of samples. Tools refuse options that would have no effect instead of ignoring them. */
int pp_refuse(const struct pp_refusal *refusals, size_t nr, const char *tool,
	      const struct pp_common *common, struct pp_log *log);

/* Add the words of the list "a,b" to @v. A comma before a blank does not separate words, because
 * names of C++ functions contain it. @list may be NULL. Return 0 or -ENOMEM. */
int pp_words_add(struct pp_values *v, const char *list);

#endif
