/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brief.h -- the parts of the brief report, of one profile or of a difference. Each function prints
 * to brief->out within the limits of one attempt.
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
#define PP_BRIEF_CALLERS	5	/* a path has this many frames, and the function itself */

/* The limits of one attempt to write the report, in bytes and lines. */
struct pp_brief_limits {
	size_t line, name, frame, command;
	size_t nr_losses, nr_facts, nr_paths;
};

/* The callers of a function, and the samples with these callers. */
struct pp_brief_path {
	/* the places of the callers, the direct caller first; a recursive function is one caller */
	uint32_t places[PP_BRIEF_CALLERS + 1];
	uint32_t nr;
	bool has_more;			/* the path has further callers that are not shown */
	uint64_t samples, before;	/* samples of the path; both 0: no path is known */
};

/* A line of the report: a function of a program. */
struct pp_brief_function {
	const struct pp_entry *entry;
	uint64_t samples;
	uint64_t before;		/* in a difference: samples of the first profile, scaled */
	/* in a difference: the change is larger than chance explains */
	bool is_significant;
	/* the path with the most samples; in a difference, with the largest change */
	struct pp_brief_path path;
};

struct pp_brief {
	const struct pp_report *report;
	const struct pp_brief_limits *limits;
	FILE *out;
	struct pp_path_names names;
	/* the classes of the event that the report shows */
	size_t first, end;
	uint64_t total;			/* all samples of the classes that the report shows */
	const char *unit;		/* "samples", or the unit of a metric, such as "bytes" */
	/* functions, the one with the most samples, or with the largest change, first */
	struct pp_brief_function *functions;
	size_t nr_functions;
	bool has_paths;			/* the profile has call paths */
	bool is_diff;			/* the profile is a difference */
};


/* Return the sum of the counts of the chosen event. @counts may be NULL. */
uint64_t pp_brief_sum(const struct pp_brief *b, const uint64_t *counts);
/* Return the same for the first profile of a difference, or 0 without a difference. */
uint64_t pp_brief_before(const struct pp_brief *b, const uint64_t *counts);
/* Return the size of the difference of two numbers. */
uint64_t pp_brief_change(uint64_t x, uint64_t y);

/* Print that the report leaves out other events, if there are such. */
void pp_brief_put_others(const struct pp_brief *b);
/* Print a time in seconds with three digits or more, never as a power of ten. */
void pp_brief_put_seconds(FILE *out, double seconds);
/* Print how many samples were taken, stored and lost. Return 0 or -ENOMEM. */
int pp_brief_put_losses(const struct pp_brief *b, const struct pp_session *session);

/* Find the paths of the functions that the report shows. Return 0 or -ENOMEM. */
int pp_brief_find_paths(struct pp_brief *b);
/* Print the path of a function, if it is known. */
void pp_brief_put_path(const struct pp_brief *b, const struct pp_brief_function *function);
/* Return the number of samples whose call paths end early. */
uint64_t pp_brief_short(const struct pp_brief *b);
/* Print the meaning of the lines with paths, or that there are no paths. */
void pp_brief_put_path_words(const struct pp_brief *b);

/* Print the subsystems of the kernel with the most samples. */
void pp_brief_put_kernel(const struct pp_brief *b);
/* Print the path that more than half of the samples share. */
void pp_brief_put_main_path(const struct pp_brief *b);

/* Print "NAME (binary in program)". */
void pp_brief_put_name(const struct pp_brief *b, const struct pp_entry *entry);
/* Print the binaries that lack names, and the ways to the names. Return 0 or -ENOMEM. */
int pp_brief_put_nameless(const struct pp_brief *b);

/* Print a command with the options of this report, if these can be printed and are short enough.
 * @before: the text before the options; @name: a further word to quote, or NULL. Return whether the
 * command was printed. */
bool pp_brief_command(const struct pp_brief *b, const char *what, const char *before,
		      const char *name);
/* Print commands that show more than the report. */
void pp_brief_put_next(const struct pp_brief *b);

/* The parts of a difference. */

/* Collect the functions of a differential report. Return 0 or -ENOMEM. */
int pp_brief_diff_list(struct pp_brief *b);
/* Print the report of a difference. Return 0 or -ENOMEM. */
int pp_brief_diff_put(const struct pp_brief *b);

#endif
