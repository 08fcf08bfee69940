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
	const char **programs;		/* sorted, unique */
	size_t nr_programs;
	uint32_t *program_of;		/* by group */
	char **uncovered;		/* "[IMAGE: no symbol]" by binary; NULL where nothing is */
};

/* Fill in *@ret. @report must have symbols. Return 0 or -ENOMEM. */
int pp_stacks_make(struct pp_stacks *ret, const struct pp_report *report);
/* Takes a zeroed struct. */
void pp_stacks_release(struct pp_stacks *stacks);

/* Return a path as reports show it: short, unless long names were requested. */
const char *pp_stack_title(const struct pp_stacks *stacks, const char *path);

/* Return the name of a function, as shown without its image. */
const char *pp_stack_code_name(const struct pp_stacks *stacks, const struct pp_code *code);

/* "TIMER:1000000", with unit mask, process, thread, CPU and source if these are separated. */
void pp_class_label(char *buf, size_t size, const struct pp_class *class);

/* Write pp_class_label()'s text and a note that the stacks are sums, for viewers that show
 * timelines. Return @label. */
char *pp_sums_label(char *label, size_t size);

/* Return the weight of a sample: nanoseconds of a timer, else 1. *@unit: "nanoseconds", "bytes"
 * or "". */
uint64_t pp_class_weight(const struct pp_class *class, const char **unit);

#endif
