/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h -- the last stage of a report: output. A format is one function that writes a finished
 * profile, and a list of the parts of a profile that it needs. Each format has files of its own;
 * formats.c lists them.
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

/* The user's choices. Only the text format uses all of them. */
struct pp_format_options {
	/* show a line for each function; false: for each program */
	bool symbols;
	bool by_subsystem;	/* show subsystems of the kernel instead of symbols */
	bool inclusive; /* show inclusive totals of functions, from call paths */
	bool details;		/* show the sampled addresses in each function */
	bool callgraph;		/* show the callers and callees of each function */
	enum pp_calltree calltree;	/* show call paths instead of a list of functions */
	/* the report shows memory in use, because --leaks or --peak was given */
	bool is_of_heap;
	/* command-line options select symbols, so the report has only a part of the samples */
	bool some_symbols;
	bool why_short;		/* show only the reasons why call paths are incomplete */
	/* maximum depth of call paths to show, in levels below programs or functions; 0: no
	 * limit */
	int depth;
	/* Smallest share of a line, in percent. The profile does not contain lines with smaller
	 * shares, but a format that computes new sums must apply the threshold to the sums. */
	double threshold;
	/* probability of confidence intervals of changes, in percent */
	double certainty;
	bool significant;	/* omit lines whose change may be due to chance */
	bool debug_info;		/* show the source lines of functions and addresses */
	bool long_filenames;
	bool show_header;
	bool show_address;
	bool accumulated;
	bool global_percent;
	/* shorten names for a terminal with this many columns; 0: print whole names */
	int columns;
	bool verbose;		/* also print counters that help developers of the profiler */
};

/* The first profile of a differential profile, and its scale. */
struct pp_before {
	const struct pp_session *session;
	/* the first profile of a differential profile, with its original counts */
	const struct pp_profile *profile;
	/* the counts of the first profile are scaled, so that both profiles have equal totals */
	bool is_scaled;
	/* sampling times of both profiles in ms. Their ratio scales the counts. If the times are 0,
	 * the ratio of the profiles' totals scales the counts. */
	uint64_t time_before, time_after;
};

/* maximum number of slices of time in a report; limits the size of an HTML page and the time to
 * write the page */
#define PP_MAX_SLICES	48

/*
 * The time of a report, divided into slices. A format reads one slice after another, so that memory
 * use does not depend on the number of slices.
 */
struct pp_report_slices {
	/* begin and end of each slice of time, sorted by begin */
	const struct op_period *periods;
	size_t nr;
	/* Make the profile of a slice of time, and call @visit with a report of that profile, which
	 * has no output. Do not call @visit if the slice has no samples. Return 0, -EAGAIN if the
	 * daemon has joined intervals of several slices, or the negative errno of @visit. */
	int (*read)(const struct pp_report_slices *slices, size_t slice,
		    int (*visit)(void *arg, size_t slice, const struct pp_report *report),
		    void *arg);
};

struct pp_report {
	const struct pp_session *session;
	/* the profile to write, sorted and without lines below the threshold */
	const struct pp_profile *profile;
	/* the first profile and its scale; NULL unless .profile is a differential profile
	 * (diff.h) */
	const struct pp_before *before;
	/* samples over time; NULL: the format does not show time, or the time has less than two
	 * slices */
	const struct pp_report_slices *slices;
	const struct pp_format_options *options;
	/* images (binaries) of the session; NULL unless symbols were requested */
	struct pp_images *images;
	struct pp_log *log;
	/* command line of the report, quoted for a shell */
	const char *command;
	/* the options that select samples and directories, each after a blank, quoted for a shell;
	 * NULL: the options contain control characters */
	const char *selection;
	FILE *out;
};

/* Bits for the data that a format needs in a profile, independent of the user's options. */
enum pp_need {
	PP_NEED_SYMBOLS = 1,
	PP_NEED_DETAILS = 2,	/* sampled addresses; requires PP_NEED_SYMBOLS */
	PP_NEED_LINES = 4,
	/* recorded calls; pp_profile.arcs is empty if the session has no calls */
	PP_NEED_ARCS = 8,
	/* counts of allocator calls, at the source lines of the callers
	 * (pp_profile_options.allocators); requires PP_NEED_DETAILS and PP_NEED_PATHS */
	PP_NEED_CALL_SITES = 64,
	PP_NEED_RAW_NAMES = 32,	/* the linkage names of symbols */
	/* call paths; requires PP_NEED_SYMBOLS; pp_profile.paths is NULL if the session has no call
	 * paths */
	PP_NEED_PATHS = 16,
};

enum pp_format_flag {
	/* the format is binary, so it cannot be printed to a terminal */
	PP_FORMAT_BINARY = 1,
	/* the format can show classes of samples that differ in several properties (event, CPU,
	 * thread, ...) */
	PP_FORMAT_MANY_AXES = 2,
	PP_FORMAT_DIFF = 4,		/* the format can show differential profiles */
	/* the format shows each process or thread as a row instead of a column */
	PP_FORMAT_TASK_ROWS = 8,
	/* the format can show only one class of samples (one event, for example) */
	PP_FORMAT_ONE_CLASS = 16,
	/* the format can show inclusive totals (pp_entry_total()) */
	PP_FORMAT_TOTALS = 32,
	PP_FORMAT_HIDES = 128, /* the format can show the sum of lines that --significant hides */
	/* the format shows call paths, and can show the sum of branches that --significant hides */
	PP_FORMAT_PRUNES = 256,
	/* the format has the numbers of samples of idle threads that the report leaves out */
	PP_FORMAT_IDLE = 512,
	PP_FORMAT_SLICES = 64, /* the format can show samples over time (struct pp_report_slices) */
};

struct pp_format_ops {
	const char *name;		/* name of the format, as argument of --format */
	const char *what;		/* description of the format for --help */
	unsigned int needs, flags;
	/* Write the report. Return 0, or a negative errno with the reason in the log. The caller
	 * checks ferror() of .out. */
	int (*write)(const struct pp_report *report);
};

/* All output formats, the default format first. NULL ends the list. */
extern const struct pp_format_ops *const pp_formats[];
/* Return the format with the name @name, or NULL. */
const struct pp_format_ops *pp_format_find(const char *name);

extern const struct pp_format_ops pp_format_text, pp_format_xml, pp_format_json, pp_format_csv;
extern const struct pp_format_ops pp_format_folded, pp_format_flamegraph, pp_format_pprof,
	pp_format_callgrind;
extern const struct pp_format_ops pp_format_speedscope, pp_format_firefox, pp_format_html;
extern const struct pp_format_ops pp_format_llvm_sample, pp_format_afdo, pp_format_bolt,
	pp_format_bolt_preagg;
extern const struct pp_format_ops pp_format_brief;

#endif
