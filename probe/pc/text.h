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
	bool cut;	/* the text did not fit */
};

/* Initialize with @buf of @size, which is always a valid string. */
void pc_text_init(struct pc_text *t, char *buf, size_t size);
void pc_text_add(struct pc_text *t, const char *text);
void pc_text_add_number(struct pc_text *t, uint64_t n);

/* Print a line on stderr: a requested message, or why the requested samples are not taken. */
void pc_text_tell(struct pc_text *t);

/* Write the line to the FIFO @path. Return whether it has a reader. */
bool pc_text_tell_reader(struct pc_text *t, const char *path);

#endif
