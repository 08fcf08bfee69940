// SPDX-License-Identifier: GPL-2.0-or-later
/* sessions.c -- reads rows of table sessions. */
#include "config.h"
#include "pp/store/sessions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/tables.h"
#include "intervals/interval.h"
#include "libop/base/grow.h"
#include "pp/store/query.h"

#define NANO		1000000000ll
#define MAX_TEXT	1024	/* maximum length of a name in bytes, and its NUL */
#define MAX_MHZ		1e6	/* a higher speed of a CPU is not plausible */
/* Maximum numbers of lines and of samples in the accounting of a row. Adding up takes quadratic
 * time, and the samples of STORE_MAX_SESSIONS rows fit into 64 bits. */
#define MAX_COUNTERS	256
#define MAX_GAPS	1024
#define MAX_PARTS	256
#define MAX_SAMPLES	(1ull << 46)
/* Maximum number of counters of the sum that this version does not know. */
#define MAX_UNKNOWN	256
#define UNKNOWN		"totals_unknown"
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
	size_t nr;

	session->loss = s->nr_losses;
	session->nr_losses = store_nr_elements(rows);
	for (size_t i = 0; i < session->nr_losses && !rows->is_bad; i++) {
		if (op_grow(&s->losses, s->nr_losses))
			return -ENOMEM;
		s->losses[s->nr_losses++] = (struct store_loss){ text(s, rows), 0 };
	}
	nr = store_nr_elements(rows);
	for (size_t i = 0; i < nr && !rows->is_bad; i++) {
		const uint64_t count = store_u64(rows);

		if (i < session->nr_losses)
			s->losses[session->loss + i].count = count;
	}
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
	if (!isfinite(session.mhz) || session.mhz < 0 || session.mhz > MAX_MHZ)
		session.mhz = 0;
	at = store_bytes(rows, &session.len);
	*schema = store_u32(rows);
	if (err || rows->is_bad)
		return err;
	if (*schema > FLEET_SCHEMA_VERSION) {
		s->newer_host = s->nr_newer++ ? s->newer_host : session.host;
		return 0;
	}
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
	uint32_t schema = 0, newest = 0;
	int err = 0;

	if ((size_t)(rows->end - rows->at) > MAX_MEMORY)
		return op_fail(error, -E2BIG, "the accounting of the intervals is larger than %u MB: "
			       "choose a shorter time, or fewer hosts", MAX_MEMORY >> 20);
	/* one row more than the maximum, so that the caller notices a longer answer */
	while (!err && s.nr <= STORE_MAX_SESSIONS && store_next_row(rows)) {
		err = read_row(&s, rows, &schema);
		newest = schema > newest ? schema : newest;
	}
	if (!err && rows->is_bad)
		err = op_fail(error, -EPROTO, "the answer of the server is damaged, or not from "
			      "tables of opexport");
	if (!err && s.nr_newer && !s.nr)
		err = op_fail(error, -EPROTO, "the tables have version %u, but this opreport knows "
			      "versions up to %u: upgrade oprofile on this host", newest,
			      FLEET_SCHEMA_VERSION);
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

/* Return the number of lines of the accounting that begin with @key, which ends with a blank. */
static size_t count_lines(const struct store_session *session, const char *key)
{
	const char *at = session->accounting, *end = at + session->len;
	const size_t len = strlen(key);
	size_t nr = 0;

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		nr += (size_t)(end - at) >= len && !memcmp(at, key, len);
		at = line_end ? line_end + 1 : end;
	}
	return nr;
}

/* Parse the text of the accounting. Return 0, -ENOMEM, or another error if the text is not usable,
 * or too long. */
static int parse(struct itv_accounting *a, const struct store_session *session)
{
	if (session->len > STORE_MAX_ACCOUNTING || count_lines(session, "stat ") > MAX_COUNTERS ||
	    count_lines(session, "gap ") > MAX_GAPS || count_lines(session, "part ") > MAX_PARTS)
		return -E2BIG;
	return itv_accounting_parse(a, session->accounting, session->len);
}

/* Return whether the numbers of samples are possible. */
static bool is_plausible(const struct op_session_stats *stats)
{
	static const enum op_stat_kind kinds[] = {
		OP_STAT_TAKEN, OP_STAT_STORED, OP_STAT_LOSS, OP_STAT_CONVERTED, OP_STAT_PATHS,
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (op_session_stats_sum(stats, kinds[i]) > MAX_SAMPLES)
			return false;
	return op_session_stats_sum(stats, OP_STAT_CONVERTED) <=
	       op_session_stats_sum(stats, OP_STAT_TAKEN);
}

static bool has_counter(const struct op_session_stats *stats, const char *name)
{
	for (size_t i = 0; i < stats->nr; i++)
		if (!strcmp(stats->values[i].name, name))
			return true;
	return false;
}

/* Limit the counters of @stats so that their sums with @sum fit into 64 bits. Remove counters that
 * this version does not know if @sum has many others of them. */
static void limit_counters(struct op_session_stats *stats, const struct op_session_stats *sum)
{
	size_t kept = 0, unknown = 0;

	for (size_t i = 0; i < sum->nr; i++)
		unknown += !sum->values[i].desc;
	for (size_t i = 0; i < stats->nr; i++) {
		struct op_stat_value v = stats->values[i];
		const uint64_t room = UINT64_MAX - op_session_stats_get(sum, v.name);

		v.value = v.value < room ? v.value : room;
		if (!v.desc && !has_counter(sum, v.name) && unknown++ >= MAX_UNKNOWN)
			free(v.name);
		else
			stats->values[kept++] = v;
	}
	stats->nr = kept;
}

static bool is_room(const struct itv_accounting *a, const struct itv_accounting *sum)
{
	return a->nr_gaps + sum->nr_gaps <= 2 * MAX_GAPS &&
	       a->nr_parts + sum->nr_parts <= 2 * MAX_PARTS;
}

int store_session_accounting(struct itv_accounting *ret, const struct store_sessions *sessions,
			     const struct store_session *session, const char *host,
			     const struct itv_accounting *sum)
{
	struct itv v = { .nr_images = 0 };
	struct itv_accounting *a = &v.accounting;
	int err = session->len ? parse(a, session) : accounting_of_columns(a, sessions, session);
	bool is_usable = !err && is_plausible(&a->stats) && is_room(a, sum);

	if (err == -ENOMEM)
		goto fail;
	if (!is_usable) {
		itv_release(&v);
		v = (struct itv){ .accounting.begun_ns = session->begin * NANO };
		a->ended_ns = session->end * NANO;
		err = op_session_stats_add(&a->stats, UNKNOWN, 1);
		if (err)
			goto fail;
	}
	limit_counters(&a->stats, &sum->stats);
	if (!a->about.begun)
		a->about.begun = session->begin;
	if (!a->about.ended)
		a->about.ended = session->end;
	snprintf(a->about.host, sizeof(a->about.host), "%s", host);
	*ret = *a;
	return !is_usable;
fail:
	itv_release(&v);
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
