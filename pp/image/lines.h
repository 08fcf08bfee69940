/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h -- source lines and inlined functions of one debug file, by libdw.
 *
 * Opening reads the head of every compilation unit for its addresses. The lines and functions of a
 * unit are read at the first look-up of an address in the unit and kept until closing. The unit of
 * an address is found by the DIEs of the units, then by .debug_aranges, then by the line tables.
 *
 * The work is bounded by the size of the file and by the budgets in lines.c and inlines.c, whatever
 * the file contains.
 */
#ifndef PP_IMAGE_LINES_H
#define PP_IMAGE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "pp/image/debug_view.h"
#include "pp/image/frame.h"
#include "pp/image/split.h"

struct pp_lines;

struct pp_lines_options {
	/* the file with the debug sections; used only by pp_lines_open() */
	const struct pp_elf *debug;
	/* supplementary file of dwz; NULL: none; used only by pp_lines_open() */
	const struct pp_elf *alt;
	/* addresses of the sections of a relocatable file, or NULL */
	const struct pp_section_bases *bases;
	/* finder of split units, or NULL; must stay valid until pp_lines_close() */
	struct pp_split *split;
	/* path of .debug, for messages; must stay valid, like .log, until pp_lines_close() */
	const char *path;
	struct pp_log *log;
};

/* Initialize libelf's global variable. Call this before any other function of libelf, while there
 * is only one thread. */
void pp_lines_init(void);

/* Open the debug data. Return the results of pp_debug_view_make(). */
int pp_lines_open(struct pp_lines **ret, const struct pp_lines_options *options,
		  const char **ret_missing);
/* Free @lines. Accepts NULL. */
void pp_lines_close(struct pp_lines *lines);

/* Call @fn for each unit that has a split part. */
void pp_lines_each_split(struct pp_lines *lines,
			 void (*fn)(void *arg, const struct pp_split_unit *unit), void *arg);

/* Like pp_image_line() or, with @first, pp_image_symbol_line(). */
bool pp_lines_line(struct pp_lines *lines, uint64_t vma, bool first, struct pp_frame *ret);
/* Like pp_image_frames(), but the last frame has a name. */
unsigned int pp_lines_frames(struct pp_lines *lines, uint64_t vma, struct pp_frame *frames,
			     unsigned int max);

#endif
