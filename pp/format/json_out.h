/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_out.h -- writes JSON as it goes, so that a report of any size needs no memory. Commas and
 * quotes are its business; which values stand where is the caller's. Keys are the program's own
 * words, strings may be anything.
 *
 * "<" in strings is written as an escape, so that the text can stand in a <script> of HTML.
 */
#ifndef PP_FORMAT_JSON_OUT_H
#define PP_FORMAT_JSON_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pp_json {
	FILE *out;
	int comma;	/* one is due before the next value */
	int indent;	/* levels begun; a line for each value of the first @lines of them */
	int lines;
};

/* @lines: how many levels are broken into lines, for people; what is deeper stays on one line. */
void pp_json_init(struct pp_json *json, FILE *out, int lines);

/* Inside an object: what the next value is called. */
void pp_json_key(struct pp_json *json, const char *key);

void pp_json_begin(struct pp_json *json, char bracket);	/* '{' or '[' */
void pp_json_end(struct pp_json *json, char bracket);	/* '}' or ']' */
void pp_json_string(struct pp_json *json, const char *text);
void pp_json_uint(struct pp_json *json, uint64_t n);
void pp_json_int(struct pp_json *json, int64_t n);
void pp_json_double(struct pp_json *json, double n);
void pp_json_word(struct pp_json *json, const char *word);	/* true, false, null */
/* A string "0x..." : numbers of 64 bits are not exact in every reader of JSON. */
void pp_json_hex(struct pp_json *json, uint64_t n);

/* An array, on one line. */
void pp_json_uints(struct pp_json *json, const uint64_t *values, size_t nr);

/* Key and value. */
void pp_json_add_string(struct pp_json *json, const char *key, const char *text);
void pp_json_add_uint(struct pp_json *json, const char *key, uint64_t n);
void pp_json_add_hex(struct pp_json *json, const char *key, uint64_t n);

#endif
