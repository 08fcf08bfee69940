/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h -- writes JSON as it goes, so that a report of any size needs no memory. Commas and
 * quotes are its business; which values stand where is the caller's. Keys are the program's own
 * words, strings may be anything.
 *
 * "<" in strings is written as an escape, so that the text can stand in a <script> of HTML.
 */
#ifndef OP_JSON_H
#define OP_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct op_json {
	FILE *out;
	int comma;	/* one is due before the next value */
	int indent;	/* levels begun; a line for each value of the first @lines of them */
	int lines;
};

/* @lines: how many levels are broken into lines, for people; what is deeper stays on one line. */
void op_json_init(struct op_json *json, FILE *out, int lines);

/* Inside an object: what the next value is called. */
void op_json_key(struct op_json *json, const char *key);

void op_json_begin(struct op_json *json, char bracket);	/* '{' or '[' */
void op_json_begin_key(struct op_json *json, const char *key, char bracket);
void op_json_end(struct op_json *json, char bracket);	/* '}' or ']' */
void op_json_string(struct op_json *json, const char *text);
void op_json_uint(struct op_json *json, uint64_t n);
void op_json_int(struct op_json *json, int64_t n);
void op_json_double(struct op_json *json, double n);
void op_json_word(struct op_json *json, const char *word);	/* true, false, null */

/* An array, on one line. */
void op_json_uints(struct op_json *json, const uint64_t *values, size_t nr);

/* Key and value. */
void op_json_add_string(struct op_json *json, const char *key, const char *text);
void op_json_add_uint(struct op_json *json, const char *key, uint64_t n);
void op_json_add_hex(struct op_json *json, const char *key, uint64_t n);

#endif
