/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brief.h -- parts of the brief report, which shows one profile or a difference. Each function
 * prints to brief->out within the limits of the current attempt.
 */
#ifndef PP_FORMAT_BRIEF_H
#define PP_FORMAT_BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pp/format/format.h"
#include "pp/format/path_names.h"

#define PP_BRIEF_FUNCTIONS	10
#define PP_BRIEF_PROGRAMS	5
/* maximum number of callers in a path; a mark for omitted callers is not counted */
#define PP_BRIEF_CALLERS	5

/* The limits of one attempt to write the report, in bytes and lines. */
struct pp_brief_limits {
	size_t line, name, frame, command;
	size_t nr_losses, nr_facts, nr_paths;
};

/* The callers of a function, and the samples with these callers. */
struct pp_brief_path {
	/* functions of the callers, direct caller first; a recursive function is listed once */
	uint32_t places[PP_BRIEF_CALLERS + 1];
	uint32_t nr;
	bool has_more;			/* the path has more callers than fit into .places */
	/* samples with this path; .before: the same for the first profile of a difference. Both are
	 * 0 if the path is unknown. */
	uint64_t samples, before;
};

/* A line of the report: a function in a program. */
struct pp_brief_function {
	const struct pp_entry *entry;
	uint64_t samples;
	/* in a difference: samples of the function in the first profile, scaled */
	uint64_t before;
	/* in a difference: the change is larger than chance explains */
	bool is_significant;
	/* the path with most samples or, in a difference, with the largest change */
	struct pp_brief_path path;
};

struct pp_brief {
	const struct pp_report *report;
	const struct pp_brief_limits *limits;
	FILE *out;
	struct pp_path_names names;
	/* the chosen event's columns in arrays of counts: from .first up to, but not including,
	 * .end */
	size_t first, end;
	uint64_t total;			/* number of samples of the chosen event */
	/* unit of the counts: "samples", or the unit of an exact count, such as "bytes" */
	const char *unit;
	/* functions in the report, sorted by samples or, in a difference, by change, largest
	 * first */
	struct pp_brief_function *functions;
	size_t nr_functions;
	bool has_paths;			/* the profile has call paths */
	bool is_diff;			/* the report shows a difference of two profiles */
};


/* Return the sum of the chosen event's counts. @counts may be NULL. */
uint64_t pp_brief_sum(const struct pp_brief *b, const uint64_t *counts);
/* Return the sum of the chosen event's counts in the first profile of a difference, else 0. */
uint64_t pp_brief_before(const struct pp_brief *b, const uint64_t *counts);
/* Return the absolute difference of @x and @y. */
uint64_t pp_brief_change(uint64_t x, uint64_t y);

/* If the profile has events besides the chosen event, print that the report omits those events. */
void pp_brief_put_others(const struct pp_brief *b);
/* Print a time in seconds with at least three digits, never with an exponent. */
void pp_brief_put_seconds(FILE *out, double seconds);
/* Print how many samples the profiler took, stored and lost. Return 0 or -ENOMEM. */
int pp_brief_put_losses(const struct pp_brief *b, const struct pp_session *session);

/* Find the call paths of the functions in the report. Return 0 or -ENOMEM. */
int pp_brief_find_paths(struct pp_brief *b);
/* Print the call path of the function, if the path is known. */
void pp_brief_put_path(const struct pp_brief *b, const struct pp_brief_function *function);
/* Return the number of samples whose call paths are incomplete. */
uint64_t pp_brief_short(const struct pp_brief *b);
/* Explain the lines with call paths, or print that no call paths were recorded. */
void pp_brief_put_path_words(const struct pp_brief *b);

/* Print the subsystems of the kernel with most samples. */
void pp_brief_put_kernel(const struct pp_brief *b);
/* Print the call path that more than half of the samples share. */
void pp_brief_put_main_path(const struct pp_brief *b);

/* Print the name of the function of @entry as "NAME (binary in program)". */
void pp_brief_put_name(const struct pp_brief *b, const struct pp_entry *entry);
/* Print the binaries that lack function names, and the remedies. Return 0 or -ENOMEM. */
int pp_brief_put_nameless(const struct pp_brief *b);

/* Print a command with this report's options, unless the options are unprintable or too long.
 * @what: the purpose of the command. @before: text before the options. @name: another argument,
 * which this function quotes for the shell, or NULL. Return whether the command was printed. */
bool pp_brief_command(const struct pp_brief *b, const char *what, const char *before,
		      const char *name);
/* Print commands that show more details than this report. */
void pp_brief_put_next(const struct pp_brief *b);

/* Functions for the brief report of a difference between two profiles. */

/* Collect the functions of a report about a difference. Return 0 or -ENOMEM. */
int pp_brief_diff_list(struct pp_brief *b);
/* Print the report about a difference. Return 0 or -ENOMEM. */
int pp_brief_diff_put(const struct pp_brief *b);

#endif
