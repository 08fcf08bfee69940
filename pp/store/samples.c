// SPDX-License-Identifier: GPL-2.0-or-later
/* samples.c -- reads rows of table samples. */
#include "config.h"
#include "pp/store/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "pp/store/query.h"

#define MAX_TEXT	1024	/* maximum length of a name in bytes, and its NUL */
#define MAX_LIST	8192	/* maximum number of columns or events */

/* A hash table of the indices, plus 1, of the interned strings of a list; 0: free. */
struct indices {
	uint32_t slots[2 * MAX_LIST];
};

/* Find or add @text in a list of interned strings. Return its index, or -ENOMEM or -E2BIG. */
static int64_t index_of(const char ***list, size_t *nr, const char *text, struct indices *indices)
{
	uint64_t hash = op_hash_number(OP_HASH_BEGIN, (uintptr_t)text);
	uint32_t *slot;

	for (;; hash++) {
		slot = &indices->slots[hash % (2 * MAX_LIST)];
		if (!*slot)
			break;
		if ((*list)[*slot - 1] == text)
			return *slot - 1;
	}
	if (*nr >= MAX_LIST)
		return -E2BIG;
	if (op_grow(list, *nr))
		return -ENOMEM;
	(*list)[(*nr)++] = text;
	*slot = (uint32_t)*nr;
	return *slot - 1;
}

static const char *text(struct store_samples *s, struct store_rows *rows)
{
	char buf[MAX_TEXT];

	store_string(rows, buf, sizeof(buf));
	return pp_intern(&s->intern, &s->strings, buf);
}

struct reader {
	struct store_samples s;
	struct indices columns, events;
};

static int read_row(struct reader *r, struct store_rows *rows)
{
	struct store_samples *s = &r->s;
	struct store_sample sample = { .slice = store_u32(rows) };
	const char *column = text(s, rows), *event;
	int64_t at;

	sample.service = text(s, rows);
	event = text(s, rows);
	sample.stack = store_u64(rows);
	sample.count = store_u64(rows);
	if (!column || !sample.service || !event)
		return -ENOMEM;
	if (rows->is_bad)
		return 0;
	at = index_of(&s->columns, &s->nr_columns, column, &r->columns);
	sample.column = (uint32_t)at;
	if (at >= 0)
		at = index_of(&s->events, &s->nr_events, event, &r->events);
	sample.event = (uint32_t)at;
	if (at < 0)
		return (int)at;
	if (op_grow(&s->items, s->nr))
		return -ENOMEM;
	s->items[s->nr++] = sample;
	return 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sort the columns by title, and renumber the columns of the samples. */
static int sort_columns(struct store_samples *s)
{
	const char **sorted = calloc(s->nr_columns + 1, sizeof(*sorted));
	uint32_t *map = calloc(s->nr_columns + 1, sizeof(*map));
	int err = sorted && map ? 0 : -ENOMEM;

	if (!err && s->nr_columns) {
		memcpy(sorted, s->columns, s->nr_columns * sizeof(*sorted));
		qsort(sorted, s->nr_columns, sizeof(*sorted), compare_texts);
		for (size_t i = 0; i < s->nr_columns; i++)
			for (size_t k = 0; k < s->nr_columns; k++)
				if (s->columns[i] == sorted[k])
					map[i] = (uint32_t)k;
		memcpy(s->columns, sorted, s->nr_columns * sizeof(*sorted));
		for (size_t i = 0; i < s->nr; i++)
			s->items[i].column = map[s->items[i].column];
	}
	free(sorted);
	free(map);
	return err;
}

static int compare_samples(const void *a, const void *b)
{
	const struct store_sample *x = a, *y = b;

	if (x->slice != y->slice)
		return x->slice < y->slice ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

int store_samples_read(struct store_samples *ret, struct store_rows *rows,
		       struct op_reason *error)
{
	struct reader r = { .s.items = NULL };
	struct store_samples *s = &r.s;
	int err = 0;

	/* one row more than the maximum, so that the caller notices a longer answer */
	while (!err && s->nr <= STORE_MAX_ROWS && store_next_row(rows))
		err = read_row(&r, rows);
	if (err == -E2BIG)
		op_fail(error, err, "the samples have more than %d columns: choose fewer by host: or "
			"service:", MAX_LIST);
	if (!err && rows->is_bad)
		err = op_fail(error, -EPROTO, "the answer of the server is damaged, or not from "
			      "tables of opexport");
	if (!err)
		err = sort_columns(s);
	if (err) {
		store_samples_release(s);
		return err;
	}
	if (s->nr)
		qsort(s->items, s->nr, sizeof(*s->items), compare_samples);
	*ret = *s;
	return 0;
}

void store_samples_release(struct store_samples *s)
{
	free(s->items);
	free(s->columns);
	free(s->events);
	pp_intern_release(&s->intern);
	pp_block_free(s->strings);
	*s = (struct store_samples){ .items = NULL };
}
