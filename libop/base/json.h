/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h -- streaming output of JSON, so that a large report needs no memory. These functions write
 * commas and quotes; the caller is responsible for the structure. Keys must be words that need no
 * escapes; strings may contain any bytes.
 *
 * In strings "<" is escaped, so that the JSON can be embedded in a <script> of an HTML page.
 */
#ifndef OP_JSON_H
#define OP_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct op_json {
	FILE *out;
	int comma;	/* 1: write a comma before the next value; 2: a key was just written */
	/* number of objects and arrays that are open; if it exceeds .lines, values are not on
	 * separate lines */
	int indent;
	int lines;
};

/* Begin a document. @lines: number of outer levels of the document in which each value is on a
 * separate line, so that people can read it. */
void op_json_init(struct op_json *json, FILE *out, int lines);

/* Write the key of an object's next value. */
void op_json_key(struct op_json *json, const char *key);

/* Begin an object or an array: @bracket is '{' or '['. */
void op_json_begin(struct op_json *json, char bracket);
void op_json_begin_key(struct op_json *json, const char *key, char bracket);
/* End an object or an array: @bracket is '}' or ']'. */
void op_json_end(struct op_json *json, char bracket);
void op_json_string(struct op_json *json, const char *text);
void op_json_uint(struct op_json *json, uint64_t n);
void op_json_int(struct op_json *json, int64_t n);
void op_json_double(struct op_json *json, double n);
/* Write the word @word: "true", "false" or "null". */
void op_json_word(struct op_json *json, const char *word);

/* Write an array of numbers on one line. */
void op_json_uints(struct op_json *json, const uint64_t *values, size_t nr);

/* Write a key and the key's value. */
void op_json_add_string(struct op_json *json, const char *key, const char *text);
void op_json_add_uint(struct op_json *json, const char *key, uint64_t n);
void op_json_add_hex(struct op_json *json, const char *key, uint64_t n);

#endif
