// SPDX-License-Identifier: GPL-2.0-or-later
/* json_out.c -- JSON, written as it goes. */
#include "config.h"
#include "pp/format/json_out.h"

#include <inttypes.h>
#include <math.h>

#include "libop/base/clean.h"

void pp_json_init(struct pp_json *json, FILE *out, int lines)
{
	*json = (struct pp_json){ .out = out, .lines = lines };
}

static void new_line(struct pp_json *json)
{
	if (!json->indent || json->indent > json->lines)
		return;
	putc('\n', json->out);
	for (int i = 0; i < json->indent; i++)
		putc('\t', json->out);
}

static void before_value(struct pp_json *json)
{
	if (json->comma == 2) {		/* behind a key */
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

void pp_json_key(struct pp_json *json, const char *key)
{
	before_value(json);
	put_string(json->out, key);
	putc(':', json->out);
	if (json->indent <= json->lines)
		putc(' ', json->out);
	json->comma = 2;
}

void pp_json_begin(struct pp_json *json, char bracket)
{
	before_value(json);
	putc(bracket, json->out);
	json->indent++;
	json->comma = 0;
}

void pp_json_end(struct pp_json *json, char bracket)
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

void pp_json_string(struct pp_json *json, const char *text)
{
	char buf[OP_CLEAN_MAX];

	before_value(json);
	put_string(json->out, op_clean(buf, sizeof(buf), text));
}

void pp_json_uint(struct pp_json *json, uint64_t n)
{
	before_value(json);
	fprintf(json->out, "%" PRIu64, n);
}

void pp_json_int(struct pp_json *json, int64_t n)
{
	before_value(json);
	fprintf(json->out, "%" PRId64, n);
}

void pp_json_double(struct pp_json *json, double n)
{
	before_value(json);
	fprintf(json->out, "%.10g", isfinite(n) ? n : 0);
}

void pp_json_word(struct pp_json *json, const char *word)
{
	before_value(json);
	fputs(word, json->out);
}

void pp_json_hex(struct pp_json *json, uint64_t n)
{
	before_value(json);
	fprintf(json->out, "\"0x%" PRIx64 "\"", n);
}

void pp_json_uints(struct pp_json *json, const uint64_t *values, size_t nr)
{
	before_value(json);
	for (size_t i = 0; i < nr; i++)
		fprintf(json->out, "%c%" PRIu64, i ? ',' : '[', values[i]);
	fputs(nr ? "]" : "[]", json->out);
}

void pp_json_add_string(struct pp_json *json, const char *key, const char *text)
{
	pp_json_key(json, key);
	pp_json_string(json, text);
}

void pp_json_add_uint(struct pp_json *json, const char *key, uint64_t n)
{
	pp_json_key(json, key);
	pp_json_uint(json, n);
}

void pp_json_add_hex(struct pp_json *json, const char *key, uint64_t n)
{
	pp_json_key(json, key);
	pp_json_hex(json, n);
}
