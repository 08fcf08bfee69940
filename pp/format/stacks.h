/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h -- names of programs, images and functions for graphs and for files of other tools.
 */
#ifndef PP_FORMAT_STACKS_H
#define PP_FORMAT_STACKS_H

#include "pp/format/format.h"

struct pp_stacks {
	const struct pp_report *report;
	const struct pp_profile *profile;
	/* titles of all programs, sorted, without duplicates */
	const char **programs;
	size_t nr_programs;
	/* for each group (a program and image): index of its program in .programs */
	uint32_t *program_of;
	/* for each binary: name of its code without symbols, "[IMAGE: no symbol]"; NULL: all
	 * samples of the binary have symbols */
	char **uncovered;
};

/* Collect the names of programs, images and functions in *@ret. @report must have symbols. Return 0
 * or -ENOMEM. */
int pp_stacks_make(struct pp_stacks *ret, const struct pp_report *report);
/* Free the contents of @stacks, which may be zeroed. */
void pp_stacks_release(struct pp_stacks *stacks);

/* Return @path as reports show it: shortened, unless long names were requested. */
const char *pp_stack_title(const struct pp_stacks *stacks, const char *path);

/* Return a function's name as reports show it, without the image. */
const char *pp_stack_code_name(const struct pp_stacks *stacks, const struct pp_code *code);

/* Write the name of a class of samples to @buf, such as "TIMER:1000000". Append the unit mask,
 * process, thread, CPU and source that the profile separates. */
void pp_class_label(char *buf, size_t size, const struct pp_class *class);

/*
 * Return the number of arrays of counts that a format for other tools shows: one or, for a
 * differential profile, two (before and after, in this order).
 */
static inline size_t pp_nr_sides(const struct pp_report *report)
{
	return report->before ? 2 : 1;
}

/* Return the index in an array of counts at which the counts of a side begin: side 0 is before, 1
 * is after. */
static inline size_t pp_side_at(const struct pp_report *report, size_t side)
{
	return report->before && !side ? report->profile->nr_classes : 0;
}

/* Write the name of a class of samples (pp_class_label()) to @buf, after "before " or "after " in a
 * differential profile. */
void pp_side_label(char *buf, size_t size, const struct pp_report *report, size_t side,
		   size_t class);

/* Append to @label, from pp_class_label(), a note that stacks are sums, for viewers that show
 * timelines. Return @label. */
char *pp_sums_label(char *label, size_t size);

/* Return the weight of a sample of the class @class (an event, for example): nanoseconds for a
 * timer event, else 1. Set *@unit to "nanoseconds", "bytes" or "". */
uint64_t pp_class_weight(const struct pp_class *class, const char **unit);

#endif
