/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h -- common code of the parsers of events and unit_masks files: reading of lines and tags,
 * included files, and error messages with file and line.
 */
#ifndef OP_EVENT_LINES_H
#define OP_EVENT_LINES_H

#include <stdint.h>

#include "libop/base/reason.h"

/* A file below the events directory, read line by line. */
struct op_lines {
	const char *root;	/* path of the events directory; the caller owns the string */
	char *file;		/* path of the file, for messages */
	char *data, *next;
	unsigned int line;	/* number of the line that op_lines_next() returned last */
	unsigned int depth;	/* number of include lines that lead to this file */
	struct op_reason *error;
};

/*
 * Open the file @root/@cpu/@name. Return 0: the caller must close the file; -ENOENT: the file does
 * not exist; OP_ERR_EVENT_TABLE: @cpu is not a valid name; or another negative errno. All errors
 * have a message.
 */
int op_lines_open(struct op_lines *lines, const char *root, const char *cpu, const char *name,
		  unsigned int depth, struct op_reason *error);
void op_lines_close(struct op_lines *lines);

/* Return the next line that is neither empty nor a comment, without trailing blanks; NULL at the
 * end of the file. */
char *op_lines_next(struct op_lines *lines);

/* Set the error message to "FILE:LINE: ..." and return OP_ERR_EVENT_TABLE. */
int op_lines_error(const struct op_lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Cut the first word off *@text and return it; NULL at the end of the text. */
char *op_lines_word(char **text);

/* Return the value in a word "tag:value", and replace the colon by a NUL; return NULL if the word
 * has no colon. */
char *op_lines_tag(char *word);

/* Parse a decimal number, or a hexadecimal number after 0x, up to @max. Return 0 or -EINVAL. */
int op_lines_number(const char *text, uint64_t max, uint64_t *ret);

#endif
