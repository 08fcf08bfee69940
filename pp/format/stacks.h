/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h -- names of programs, images and functions in graphs and in files for other tools.
 */
#ifndef PP_FORMAT_STACKS_H
#define PP_FORMAT_STACKS_H

#include "pp/format/format.h"

struct pp_stacks {
	const struct pp_report *report;
	const struct pp_profile *profile;
	/* names of programs, in alphabetical order and without duplicates */
	const char **programs;
	size_t nr_programs;
	uint32_t *program_of;		/* for each group, the index of its program in .programs */
	/* for each binary: "[IMAGE: no symbol]", or NULL if all its samples have symbols */
	char **uncovered;
};

/* Fill in *@ret. @report must have symbols. Return 0 or -ENOMEM. */
int pp_stacks_make(struct pp_stacks *ret, const struct pp_report *report);
/* Release the names. Accepts a zeroed struct. */
void pp_stacks_release(struct pp_stacks *stacks);

/* Return @path in the form in which reports show paths: shortened, unless long names were
 * requested. */
const char *pp_stack_title(const struct pp_stacks *stacks, const char *path);

/* Return the name of a function, as reports show it without the image. */
const char *pp_stack_code_name(const struct pp_stacks *stacks, const struct pp_code *code);

/* Write the name of a class, such as "TIMER:1000000", with unit mask, process, thread, CPU and
 * source if the profile separates these. */
void pp_class_label(char *buf, size_t size, const struct pp_class *class);

/*
 * The sections of counts that a format for other tools shows: one for a profile; two for a
 * differential profile, before and after, in this order.
 */
static inline size_t pp_nr_sides(const struct pp_report *report)
{
	return report->before ? 2 : 1;
}

/* Return the index of the counts of class 0 of a side in an array of counts. */
static inline size_t pp_side_at(const struct pp_report *report, size_t side)
{
	return report->before && !side ? report->profile->nr_classes : 0;
}

/* Write the name of a class (pp_class_label()), after "before " or "after " in a differential
 * profile. */
void pp_side_label(char *buf, size_t size, const struct pp_report *report, size_t side,
		   size_t class);

/* Append to @label, the text of pp_class_label(), a note that the stacks are sums, for viewers that
 * show timelines. Return @label. */
char *pp_sums_label(char *label, size_t size);

/* Return the weight of a sample: nanoseconds of a timer, else 1. Set *@unit to "nanoseconds",
 * "bytes" or "". */
uint64_t pp_class_weight(const struct pp_class *class, const char **unit);

#endif
