/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h -- the fourth stage: words. A format is one function over a finished profile, and says
 * what that profile must have; each lives in files of its own, formats.c lists them all.
 */
#ifndef PP_FORMAT_FORMAT_H
#define PP_FORMAT_FORMAT_H

#include <stdio.h>

#include "pp/profile/profile.h"
#include "pp/session/session.h"

enum pp_calltree { PP_CALLTREE_NONE, PP_CALLTREE_CALLEES, PP_CALLTREE_CALLERS };

/* What the user asked to see. Only the text format heeds all of it. */
struct pp_format_options {
	int symbols;		/* entries instead of programs */
	int inclusive;		/* and their totals, from call paths */
	int details;		/* and their addresses */
	int callgraph;		/* and who called whom */
	enum pp_calltree calltree;	/* paths of calls, instead */
	bool is_of_heap;	/* --leaks or --peak */
	bool some_symbols;	/* options choose symbols, so that the report has a part of the samples */
	int why_short;		/* instead: reasons why call paths end early */
	int depth;		/* of what is shown of these, below programs or functions; 0: all */
	double threshold;	/* percent: what less have is left out already, but where a format adds up anew */
	int debug_info;		/* and source lines */
	int long_filenames;
	int show_header;
	int show_address;
	int accumulated;
	int global_percent;
	int columns;		/* of the terminal, for names; 0: whole ones, however long */
	int verbose;		/* also counters that only developers ask for */
};

/* What a differential profile started from. */
struct pp_before {
	const struct pp_session *session;
	const struct pp_profile *profile;	/* as it was counted */
	int is_scaled;		/* counts before were brought to the totals after */
};

struct pp_report {
	const struct pp_session *session;
	const struct pp_profile *profile;	/* sorted, thinned out */
	const struct pp_before *before;		/* NULL unless .profile is what changed: see diff.h */
	const struct pp_format_options *options;
	struct pp_images *images;		/* NULL unless symbols were wanted */
	struct pp_log *log;
	const char *command;			/* the command line, quoted for a shell */
	FILE *out;
};

enum pp_need {		/* bits: what a format's profile must have, whatever the user asked for */
	PP_NEED_SYMBOLS = 1,
	PP_NEED_DETAILS = 2,	/* with PP_NEED_SYMBOLS */
	PP_NEED_LINES = 4,
	PP_NEED_ARCS = 8,	/* those there are; a session without arcs is none to refuse */
	PP_NEED_CALL_SITES = 64,	/* with PP_NEED_DETAILS and PP_NEED_PATHS: pp_profile_options.allocators */
	PP_NEED_RAW_NAMES = 32,	/* the linker's names */
	PP_NEED_PATHS = 16,	/* with PP_NEED_SYMBOLS; those there are: without, .paths is NULL */
};

enum pp_format_flag {
	PP_FORMAT_BINARY = 1,		/* not for a terminal */
	PP_FORMAT_MANY_AXES = 2,	/* classes may differ in several ways at once */
	PP_FORMAT_DIFF = 4,		/* has words for differential profiles */
	PP_FORMAT_TASK_ROWS = 8,	/* but processes and threads are rows */
	PP_FORMAT_ONE_CLASS = 16,	/* has room for one kind of samples */
	PP_FORMAT_TOTALS = 32,		/* the format can print pp_entry_total() */
};

struct pp_format_ops {
	const char *name;		/* of --format */
	const char *what;		/* a clause for --help */
	unsigned int needs, flags;
	/* 0, or negative with the reason in the log; the caller checks ferror(). */
	int (*write)(const struct pp_report *report);
};

/* All of them, the first is the usual one; NULL behind the last. */
extern const struct pp_format_ops *const pp_formats[];
/* NULL: there is none of that name. */
const struct pp_format_ops *pp_format_find(const char *name);

extern const struct pp_format_ops pp_format_text, pp_format_xml, pp_format_json, pp_format_csv;
extern const struct pp_format_ops pp_format_folded, pp_format_flamegraph, pp_format_pprof, pp_format_callgrind;
extern const struct pp_format_ops pp_format_speedscope, pp_format_firefox, pp_format_html;

#endif
