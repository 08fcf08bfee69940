/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h -- what the parsers of events and unit_masks files share: lines, tags, includes, and
 * errors that name file and line.
 */
#ifndef OP_EVENT_LINES_H
#define OP_EVENT_LINES_H

#include <stdint.h>

#include "libop/base/reason.h"

/* A file of the events directory, taken apart line by line. */
struct op_lines {
	const char *root;	/* events directory, borrowed */
	char *file;		/* its path, for messages */
	char *data, *next;
	unsigned int line;	/* number of the line last given */
	unsigned int depth;	/* how many files include this one */
	struct op_reason *msg;
};

/*
 * Reads @root/@cpu/@name. -ENOENT when there is no such file, OP_ERR_EVENT_TABLE when @cpu is no
 * possible name, or negative errno, always with a message. Close when it returns 0.
 */
int op_lines_open(struct op_lines *lines, const char *root, const char *cpu, const char *name,
		  unsigned int depth, struct op_reason *msg);
void op_lines_close(struct op_lines *lines);

/* The next line that is neither empty nor a comment, cut at its end; NULL behind the last. */
char *op_lines_next(struct op_lines *lines);

/* Returns OP_ERR_EVENT_TABLE, with "FILE:LINE: ..." as message. */
int op_lines_error(const struct op_lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Cuts the first word off *@text; NULL when there is none left. */
char *op_lines_word(char **text);

/* "tag:value" -> value, and the word is cut at the colon; NULL when there is no colon. */
char *op_lines_tag(char *word);

/* Decimal or 0x hexadecimal up to @max: 0, or -EINVAL. */
int op_lines_number(const char *text, uint64_t max, uint64_t *ret);

#endif
