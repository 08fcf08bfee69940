/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h -- the last stage: output. A format is one function that writes a finished profile,
 * and a list of the parts that it needs. Each format has files of its own; formats.c lists all
 * formats.
 */
#ifndef PP_FORMAT_FORMAT_H
#define PP_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/time_words.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_report;

enum pp_calltree { PP_CALLTREE_NONE, PP_CALLTREE_CALLEES, PP_CALLTREE_CALLERS };

/* The user's choices. Only the text format uses all members. */
struct pp_format_options {
	/* show the entries of the profile, which are functions; false: show programs */
	bool symbols;
	bool by_subsystem;	/* show subsystems of the kernel in place of symbols */
	bool inclusive; /* show the totals of functions with their callees, from call paths */
	bool details;		/* show the sampled addresses in functions */
	bool callgraph;		/* show callers and callees */
	enum pp_calltree calltree;	/* show call paths instead of functions */
	bool is_of_heap;	/* the option --leaks or --peak was given */
	/* the user's options select symbols, so the report has only a part of the samples */
	bool some_symbols;
	bool why_short;		/* show only the reasons why call paths end early */
	/* number of levels of call paths to show, counted from programs or functions; 0: all
	 * levels */
	int depth;
	/* The minimum share of a line, in percent. Lines with smaller shares were removed from the
	 * profile, but a format that computes new sums must compare the sums with the threshold. */
	double threshold;
	/* probability that an interval contains the true change, in percent */
	double certainty;
	bool significant;	/* leave out lines whose change may be due to chance */
	bool debug_info;		/* show source lines */
	bool long_filenames;
	bool show_header;
	bool show_address;
	bool accumulated;
	bool global_percent;
	/* width of the terminal in columns, to shorten names; 0: print whole names */
	int columns;
	bool verbose;		/* print also counters that are meant for developers */
};

/* The first of the two profiles of a differential profile. */
struct pp_before {
	const struct pp_session *session;
	/* the first profile of a differential report, with its original counts */
	const struct pp_profile *profile;
	/* the counts are scaled so that their totals equal those of the second profile */
	bool is_scaled;
	/* .is_scaled by the times of sampling, in ms; 0: by the totals */
	uint64_t time_before, time_after;
};

/* maximum number of slices, which limits the size of a page and the time to make it */
#define PP_MAX_SLICES	48

/*
 * The time of a report in slices. A format reads the slices one by one, so that memory does not
 * grow with the number of slices.
 */
struct pp_report_slices {
	const struct op_period *periods;	/* the requested periods, sorted by begin */
	size_t nr;
	/* Make the profile of slice number @slice, and give it to @visit as a report without an
	 * output. If the slice has no samples, @visit is not called. Return 0, -EAGAIN if the
	 * daemon has joined intervals of several slices, or the negative errno of @visit. */
	int (*read)(const struct pp_report_slices *slices, size_t slice,
		    int (*visit)(void *arg, size_t slice, const struct pp_report *report),
		    void *arg);
};

struct pp_report {
	const struct pp_session *session;
	/* the profile, in order, and without lines below the threshold */
	const struct pp_profile *profile;
	/* the first of two profiles; NULL unless .profile is a differential profile (diff.h) */
	const struct pp_before *before;
	/* NULL: the format does not show time, or the report has less than two slices */
	const struct pp_report_slices *slices;
	const struct pp_format_options *options;
	struct pp_images *images;		/* the images; NULL unless symbols were requested */
	struct pp_log *log;
	/* the command line of the report, quoted for a shell */
	const char *command;
	/* the options that choose samples and places, each after a blank, quoted for a shell; NULL:
	 * they have control characters */
	const char *selection;
	FILE *out;
};

/* Bits that stand for the parts of a profile that a format needs, independent of the user's
 * choices. */
enum pp_need {
	PP_NEED_SYMBOLS = 1,
	PP_NEED_DETAILS = 2,	/* sampled addresses in functions; requires PP_NEED_SYMBOLS */
	PP_NEED_LINES = 4,
	/* recorded calls; pp_profile.arcs is empty if the session has no calls */
	PP_NEED_ARCS = 8,
	/* calls of allocators (pp_profile_options.allocators); requires PP_NEED_DETAILS and
	 * PP_NEED_PATHS */
	PP_NEED_CALL_SITES = 64,
	PP_NEED_RAW_NAMES = 32,	/* the linker's names, before demangling */
	/* call paths; requires PP_NEED_SYMBOLS; pp_profile.paths is NULL if the session has no call
	 * paths */
	PP_NEED_PATHS = 16,
};

enum pp_format_flag {
	/* the output is binary data, which a terminal cannot show */
	PP_FORMAT_BINARY = 1,
	PP_FORMAT_MANY_AXES = 2, /* the format can show classes that differ in several axes */
	PP_FORMAT_DIFF = 4,		/* the format can show differential profiles */
	/* the format shows processes and threads as rows instead of columns */
	PP_FORMAT_TASK_ROWS = 8,
	PP_FORMAT_ONE_CLASS = 16,	/* the format can show only one class of samples */
	/* the format can show totals of functions with their callees (pp_entry_total()) */
	PP_FORMAT_TOTALS = 32,
	PP_FORMAT_HIDES = 128, /* the format can show the sum of lines that --significant hides */
	/* the format consists of call paths, and can show the sum of branches that --significant
	 * hides */
	PP_FORMAT_PRUNES = 256,
	PP_FORMAT_SLICES = 64,	/* the format shows samples by time (struct pp_report_slices) */
};

struct pp_format_ops {
	const char *name;		/* name of the format in --format */
	const char *what;		/* description of the format for --help */
	unsigned int needs, flags;
	/* Write the report. Return 0, or a negative errno with the reason in the log; the caller
	 * checks ferror() of .out. */
	int (*write)(const struct pp_report *report);
};

/* All formats. The first is the default; the last element is NULL. */
extern const struct pp_format_ops *const pp_formats[];
/* Return the format called @name, or NULL if there is no such format. */
const struct pp_format_ops *pp_format_find(const char *name);

extern const struct pp_format_ops pp_format_text, pp_format_xml, pp_format_json, pp_format_csv;
extern const struct pp_format_ops pp_format_folded, pp_format_flamegraph, pp_format_pprof,
	pp_format_callgrind;
extern const struct pp_format_ops pp_format_speedscope, pp_format_firefox, pp_format_html;
extern const struct pp_format_ops pp_format_llvm_sample, pp_format_afdo, pp_format_bolt,
	pp_format_bolt_preagg;
extern const struct pp_format_ops pp_format_brief;

#endif
