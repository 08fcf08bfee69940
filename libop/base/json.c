// SPDX-License-Identifier: GPL-2.0-or-later
/* json.c -- streaming output of JSON. */
#include "config.h"
#include "libop/base/json.h"

#include <inttypes.h>
#include <math.h>

#include "libop/base/clean.h"

void op_json_init(struct op_json *json, FILE *out, int lines)
{
	*json = (struct op_json){ .out = out, .lines = lines };
}

static void new_line(struct op_json *json)
{
	if (!json->indent || json->indent > json->lines)
		return;
	putc('\n', json->out);
	for (int i = 0; i < json->indent; i++)
		putc('\t', json->out);
}

static void before_value(struct op_json *json)
{
	if (json->comma == 2) {		/* the value follows a key, so it needs no comma */
		json->comma = 1;
		return;
	}
	if (json->comma)
		putc(',', json->out);
	new_line(json);
	json->comma = 1;
}

static void put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		if (*text == '<')
			fputs("\\u003c", out);
		else
			putc(*text, out);
	}
	putc('"', out);
}

void op_json_key(struct op_json *json, const char *key)
{
	before_value(json);
	put_string(json->out, key);
	putc(':', json->out);
	if (json->indent <= json->lines)
		putc(' ', json->out);
	json->comma = 2;
}

void op_json_begin_key(struct op_json *json, const char *key, char bracket)
{
	op_json_key(json, key);
	op_json_begin(json, bracket);
}

void op_json_begin(struct op_json *json, char bracket)
{
	before_value(json);
	putc(bracket, json->out);
	json->indent++;
	json->comma = 0;
}

void op_json_end(struct op_json *json, char bracket)
{
	json->indent--;
	if (json->comma && json->indent < json->lines) {
		putc('\n', json->out);
		for (int i = 0; i < json->indent; i++)
			putc('\t', json->out);
	}
	putc(bracket, json->out);
	json->comma = 1;
	if (!json->indent)
		putc('\n', json->out);
}

void op_json_string(struct op_json *json, const char *text)
{
	char buf[OP_CLEAN_MAX];

	before_value(json);
	put_string(json->out, op_clean(buf, sizeof(buf), text));
}

void op_json_uint(struct op_json *json, uint64_t n)
{
	before_value(json);
	fprintf(json->out, "%" PRIu64, n);
}

void op_json_int(struct op_json *json, int64_t n)
{
	before_value(json);
	fprintf(json->out, "%" PRId64, n);
}

void op_json_double(struct op_json *json, double n)
{
	before_value(json);
	fprintf(json->out, "%.10g", isfinite(n) ? n : 0);
}

void op_json_word(struct op_json *json, const char *word)
{
	before_value(json);
	fputs(word, json->out);
}

/* Write the number as a string "0x...", because some JSON parsers round large 64-bit numbers. */
static void put_hex(struct op_json *json, uint64_t n)
{
	before_value(json);
	fprintf(json->out, "\"0x%" PRIx64 "\"", n);
}

void op_json_uints(struct op_json *json, const uint64_t *values, size_t nr)
{
	before_value(json);
	for (size_t i = 0; i < nr; i++)
		fprintf(json->out, "%c%" PRIu64, i ? ',' : '[', values[i]);
	fputs(nr ? "]" : "[]", json->out);
}

void op_json_add_string(struct op_json *json, const char *key, const char *text)
{
	op_json_key(json, key);
	op_json_string(json, text);
}

void op_json_add_uint(struct op_json *json, const char *key, uint64_t n)
{
	op_json_key(json, key);
	op_json_uint(json, n);
}

void op_json_add_hex(struct op_json *json, const char *key, uint64_t n)
{
	op_json_key(json, key);
	put_hex(json, n);
}
