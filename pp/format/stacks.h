/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks.h -- a profile as stacks, for tools that show flame graphs: program, image, symbol, the
 * outermost first. A program's own file is no frame of its own, nor is a symbol that stands for a
 * whole image.
 *
 * Frames are numbered without gaps: programs, then binaries, then codes.
 */
#ifndef PP_FORMAT_STACKS_H
#define PP_FORMAT_STACKS_H

#include "pp/format/format.h"

#define PP_MAX_STACK	3

enum pp_stack_kind { PP_STACK_PROGRAM, PP_STACK_IMAGE, PP_STACK_CODE };

struct pp_stacks {
	const struct pp_report *report;
	const struct pp_profile *profile;
	const char **programs;		/* sorted, unique */
	size_t nr_programs;
	uint32_t *program_of;		/* by group */
	char **uncovered;		/* "[IMAGE: no symbol]" by binary; NULL where nothing is */
	size_t nr_frames;
};

/* @report must have symbols. 0 or -ENOMEM. */
int pp_stacks_make(struct pp_stacks *ret, const struct pp_report *report);
/* Takes a zeroed struct. */
void pp_stacks_release(struct pp_stacks *stacks);

/* Returns how many frames, at least one. */
unsigned int pp_stack_of(const struct pp_stacks *stacks, const struct pp_entry *entry,
			 uint32_t frames[PP_MAX_STACK]);

struct pp_stack_frame {
	enum pp_stack_kind kind;
	const char *name;	/* short, unless long names were asked for */
	const char *path;	/* of the program or binary; of a code's binary */
	const struct pp_code *code;	/* PP_STACK_CODE */
};

void pp_stack_frame(const struct pp_stacks *stacks, uint32_t frame, struct pp_stack_frame *ret);

/* A path as reports show it: short, unless long names were asked for. */
const char *pp_stack_title(const struct pp_stacks *stacks, const char *path);

/* What a code is called where its image does not stand beside it. */
const char *pp_stack_code_name(const struct pp_stacks *stacks, const struct pp_code *code);

/* "TIMER:1000000", with unit mask, process, thread and CPU where these are told apart. */
void pp_class_label(char *buf, size_t size, const struct pp_class *class);

/* What a sample of the class stands for: nanoseconds of a timer, else 1; *@unit: "nanoseconds" or "". */
uint64_t pp_class_weight(const struct pp_class *class, const char **unit);

#endif
