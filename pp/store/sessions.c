// SPDX-License-Identifier: GPL-2.0-or-later
/* sessions.c -- reads rows of table sessions. */
#include "config.h"
#include "pp/store/sessions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/tables.h"
#include "intervals/interval.h"
#include "libop/base/grow.h"

#define NANO		1000000000ll
#define MAX_TEXT	1024	/* maximum length of a name in bytes, and its NUL */
#define MAX_MEMORY	(256u << 20)	/* maximum memory of the accountings of all sessions, in bytes */

/* Return a copy of the next string, which @s owns; "" after an error. */
static const char *text(struct store_sessions *s, struct store_rows *rows)
{
	char buf[MAX_TEXT];
	const char *kept;

	store_string(rows, buf, sizeof(buf));
	kept = pp_intern(&s->intern, &s->strings, buf);
	rows->is_bad |= !kept;
	return kept ? kept : "";
}

static int read_losses(struct store_sessions *s, struct store_session *session,
		       struct store_rows *rows)
{
	session->loss = s->nr_losses;
	session->nr_losses = store_nr_elements(rows);
	for (size_t i = 0; i < session->nr_losses && !rows->is_bad; i++) {
		if (op_grow(&s->losses, s->nr_losses))
			return -ENOMEM;
		s->losses[s->nr_losses++] = (struct store_loss){ text(s, rows), 0 };
	}
	if (store_nr_elements(rows) != session->nr_losses)
		rows->is_bad = true;
	for (size_t i = 0; i < session->nr_losses && !rows->is_bad; i++)
		s->losses[session->loss + i].count = store_u64(rows);
	return 0;
}

static int read_row(struct store_sessions *s, struct store_rows *rows, uint32_t *schema)
{
	struct store_session session = { .begin = store_u32(rows) };
	const char *at;
	char *copy;
	int err;

	session.end = store_u32(rows);
	session.host = text(s, rows);
	session.name = text(s, rows);
	session.samples = store_u64(rows);
	session.sent = store_u64(rows);
	session.rows = store_u32(rows);
	session.taken = store_u64(rows);
	session.stored = store_u64(rows);
	err = read_losses(s, &session, rows);
	session.kernel = text(s, rows);
	session.cpu = text(s, rows);
	session.mhz = store_double(rows);
	at = store_bytes(rows, &session.len);
	*schema = store_u32(rows);
	if (err || rows->is_bad)
		return err;
	if (session.end <= session.begin)
		session.end = session.begin + (session.begin < UINT32_MAX);
	copy = pp_block_bytes(&s->strings, session.len + 1);
	if (!copy || op_grow(&s->items, s->nr))
		return -ENOMEM;
	memcpy(copy, at, session.len);
	session.accounting = copy;
	s->rows += session.rows;
	s->items[s->nr++] = session;
	return 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int count_hosts(struct store_sessions *s)
{
	const char **hosts = calloc(s->nr + 1, sizeof(*hosts));

	if (!hosts)
		return -ENOMEM;
	for (size_t i = 0; i < s->nr; i++)
		hosts[i] = s->items[i].host;
	if (s->nr)
		qsort(hosts, s->nr, sizeof(*hosts), compare_texts);
	for (size_t i = 0; i < s->nr; i++)
		s->nr_hosts += !i || strcmp(hosts[i - 1], hosts[i]);
	free(hosts);
	return 0;
}

int store_sessions_read(struct store_sessions *ret, struct store_rows *rows,
			struct op_reason *error)
{
	struct store_sessions s = { .items = NULL };
	uint32_t schema = 0;
	int err = 0;

	if ((size_t)(rows->end - rows->at) > MAX_MEMORY)
		return op_fail(error, -E2BIG, "the accounting of the intervals is larger than %u MB: "
			       "choose a shorter time, or fewer hosts", MAX_MEMORY >> 20);
	while (!err && store_next_row(rows)) {
		err = read_row(&s, rows, &schema);
		if (!err && !rows->is_bad && schema > FLEET_SCHEMA_VERSION)
			err = op_fail(error, -EPROTO, "the tables have version %u, but this opreport "
				      "knows versions up to %u: upgrade oprofile on this host",
				      schema, FLEET_SCHEMA_VERSION);
	}
	if (!err && rows->is_bad)
		err = op_fail(error, -EPROTO, "the answer of the server is damaged, or not from "
			      "tables of opexport");
	if (!err)
		err = count_hosts(&s);
	if (err)
		store_sessions_release(&s);
	else
		*ret = s;
	return err;
}

void store_sessions_release(struct store_sessions *s)
{
	free(s->items);
	free(s->losses);
	pp_intern_release(&s->intern);
	pp_block_free(s->strings);
	*s = (struct store_sessions){ .items = NULL };
}

/* Make the accounting of a row without a text, which an earlier opexport sent. */
static int accounting_of_columns(struct itv_accounting *a, const struct store_sessions *sessions,
				 const struct store_session *session)
{
	int err = op_session_stats_add(&a->stats, "perf_taken", session->taken);

	a->begun_ns = session->begin * NANO;
	a->ended_ns = session->end * NANO;
	if (!err)
		err = op_session_stats_add(&a->stats, "stored", session->stored);
	for (size_t i = 0; i < session->nr_losses && !err; i++) {
		const struct store_loss *loss = &sessions->losses[session->loss + i];

		err = op_session_stats_add(&a->stats, loss->name, loss->count);
	}
	snprintf(a->about.kernel, sizeof(a->about.kernel), "%s", session->kernel);
	return err;
}

int store_session_accounting(struct itv_accounting *ret, const struct store_sessions *sessions,
			     const struct store_session *session, const char *host)
{
	struct itv_accounting a = { .begun_ns = 0 };
	int err = session->len ? itv_accounting_parse(&a, session->accounting, session->len) : 0;

	if (err == -ENOMEM)
		return err;
	if (err || !session->len)
		err = accounting_of_columns(&a, sessions, session);
	if (!a.about.begun)
		a.about.begun = session->begin;
	if (!a.about.ended)
		a.about.ended = session->end;
	snprintf(a.about.host, sizeof(a.about.host), "%s", host);
	*ret = a;
	return err;
}

struct itv_entry store_session_entry(const struct store_session *session)
{
	struct itv_entry entry = { .step = 0 };
	char name[ITV_NAME_SIZE];

	if ((size_t)snprintf(name, sizeof(name), "%s" ITV_SUFFIX, session->name) >= sizeof(name) ||
	    !itv_name_parse(&entry, name))
		entry = (struct itv_entry){ .step = 0 };
	return entry;
}
