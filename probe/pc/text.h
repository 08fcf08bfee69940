/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h -- composing names and messages without the C library.
 */
#ifndef PROBE_PC_TEXT_H
#define PROBE_PC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pc_text {
	char *buf;
	size_t size, len;
	bool cut;	/* the text was truncated because the buffer was full */
};

/* Initialize an empty text in the buffer @buf of @size bytes. The buffer always has a terminating
 * NUL. */
void pc_text_init(struct pc_text *t, char *buf, size_t size);
void pc_text_add(struct pc_text *t, const char *text);
void pc_text_add_number(struct pc_text *t, uint64_t n);

/* Print the text and a newline on stderr. */
void pc_text_tell(struct pc_text *t);

/* Write the text and a newline to the FIFO @path. Return whether the FIFO has a reader. */
bool pc_text_tell_reader(struct pc_text *t, const char *path);

#endif
