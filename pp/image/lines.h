/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h -- source lines and inlined functions from one debug file, by libdw.
 *
 * Opening reads only the head of each compilation unit, for its addresses. A unit's lines and
 * functions are read at the first lookup in the unit, and kept until closing. The unit of an
 * address is found by the units' DIEs, else by .debug_aranges, else by the line tables.
 *
 * The size of the file and the budgets in lines.c and inlines.c limit the work, whatever the file
 * contains.
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
	/* the file with the debug sections; used only during pp_lines_open() */
	const struct pp_elf *debug;
	/* supplementary file of dwz, or NULL; used only during pp_lines_open() */
	const struct pp_elf *alt;
	/* addresses of the sections of a relocatable file, or NULL */
	const struct pp_section_bases *bases;
	/* finds split units, or NULL; must stay valid until pp_lines_close() */
	struct pp_split *split;
	/* path of .debug, for messages; must stay valid until pp_lines_close(), as must .log */
	const char *path;
	struct pp_log *log;
};

/* Initialize libelf's global variable. Call this before any other function of libelf, while there
 * is only one thread. */
void pp_lines_init(void);

/* Open the debug data of @options->debug. Return as pp_debug_view_make(). */
int pp_lines_open(struct pp_lines **ret, const struct pp_lines_options *options,
		  const char **ret_missing);
/* Free @lines, which may be NULL. */
void pp_lines_close(struct pp_lines *lines);

/* Call @fn for each compilation unit that has a split part. */
void pp_lines_each_split(struct pp_lines *lines,
			 void (*fn)(void *arg, const struct pp_split_unit *unit), void *arg);

/* Like pp_image_line() or, with @first, pp_image_symbol_line(). */
bool pp_lines_line(struct pp_lines *lines, uint64_t vma, bool first, struct pp_frame *ret);
/* Like pp_image_frames(), but the last frame also has a function name. */
unsigned int pp_lines_frames(struct pp_lines *lines, uint64_t vma, struct pp_frame *frames,
			     unsigned int max);

#endif
