/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h -- names and sentences put together piece by piece, without the C library.
 */
#ifndef PROBE_PC_TEXT_H
#define PROBE_PC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pc_text {
	char *buf;
	size_t size, len;
	bool cut;	/* there was more than fits */
};

/* @buf of @size is always a string. */
void pc_text_init(struct pc_text *t, char *buf, size_t size);
void pc_text_add(struct pc_text *t, const char *text);
void pc_text_add_number(struct pc_text *t, uint64_t n);

/* A line on stderr: what the user asked to be told, or why nothing is sampled though he asked for that. */
void pc_text_tell(struct pc_text *t);

/* The same to who reads the FIFO @path; whether anybody does. */
bool pc_text_tell_reader(struct pc_text *t, const char *path);

#endif
