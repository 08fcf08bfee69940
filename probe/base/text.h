/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h -- building of names and messages without the C library.
 */
#ifndef PROBE_BASE_TEXT_H
#define PROBE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *buf;
	size_t size, len;
	bool cut;	/* the text was truncated because it did not fit into the buffer */
};

/* Initialize an empty text in the buffer @buf of @size bytes. The text in the buffer is always
 * terminated by a NUL. */
void text_init(struct text *t, char *buf, size_t size);
void text_add(struct text *t, const char *text);
void text_add_number(struct text *t, uint64_t n);

/* Print the text and a newline on stderr. */
void text_print(struct text *t);

/* Write the text and a newline to the FIFO @path. Return whether a process has the FIFO open for
 * reading. */
bool text_send(struct text *t, const char *path);

#endif
