// SPDX-License-Identifier: GPL-2.0-or-later
/* query.c -- writes the queries of a report. */
#include "config.h"
#include "pp/store/query.h"

#include <errno.h>
#include <string.h>

#include "fleet/tables.h"
#include "pp/store/decode.h"
#include "pp/store/worst.h"

/* The longest interval of a store is a month. */
#define LONGEST		(32 * 86400ll)
#define MAX_VALUE	1000	/* maximum length of a value of a tag in bytes */

/* Write a string literal. The server gets all other bytes unchanged. */
static void put_literal(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('\'', out);
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* Write a character that stands for itself in a regular expression in a string literal. */
static void put_plain(FILE *out, char c)
{
	if (c == '\'' || c == '\\')
		fprintf(out, "\\\\\\%c", c);
	else if (strchr(".+()|{}^$[]*?-", c))
		fprintf(out, "\\\\%c", c);
	else
		putc(c, out);
}

/* Write the regular expression of the glob @text as a string literal. */
static void put_glob(FILE *out, const char *text)
{
	fputs("'(?s)^", out);
	for (; *text; text++) {
		const char *end = *text == '[' && text[1] ? strchr(text + 2, ']') : NULL;

		if (*text == '*') {
			fputs(".*", out);
		} else if (*text == '?') {
			putc('.', out);
		} else if (end) {
			/* a set of characters; globs write its complement with '!' */
			fputs(text[1] == '!' || text[1] == '^' ? "[^" : "[", out);
			text += text[1] == '!' || text[1] == '^' ? 2 : 1;
			for (; text < end; text++)
				if (*text == '-')
					putc('-', out);
				else
					put_plain(out, *text);
			putc(']', out);
		} else {
			put_plain(out, *text);
		}
	}
	fputs("$'", out);
}

/* Write " AND (...)": the column @column has one of the values, each a glob or literal. */
static void put_values(FILE *out, const char *column, const struct pp_values *values)
{
	if (!values->nr)
		return;
	fputs(" AND (0", out);
	for (size_t i = 0; i < values->nr; i++) {
		fprintf(out, " OR %s = ", column);
		put_literal(out, values->items[i]);
		if (!is_glob(values->items[i]))
			continue;
		fprintf(out, " OR match(toString(%s), ", column);
		put_glob(out, values->items[i]);
		putc(')', out);
	}
	putc(')', out);
}

/* Write " AND (...)": the service is one of the units, or in one of them. */
static void put_units(FILE *out, const struct pp_values *units)
{
	if (!units->nr)
		return;
	fputs(" AND (0", out);
	for (size_t i = 0; i < units->nr; i++) {
		const char *name = units->items[i] + (*units->items[i] == '/');

		fputs(" OR service = ", out);
		put_literal(out, name);
		fputs(" OR startsWith(toString(service), concat(", out);
		put_literal(out, name);
		fputs(", '/'))", out);
	}
	putc(')', out);
}

/* Write " AND (...)": the last name of the service is that of one of the containers. A service has
 * the first digits of a container's id. */
static void put_containers(FILE *out, const struct pp_values *containers)
{
	if (!containers->nr)
		return;
	fputs(" AND (0", out);
	for (size_t i = 0; i < containers->nr; i++) {
		const char *name = containers->items[i], *colon = strrchr(name, ':');
		const char *id = colon ? colon + 1 : name;
		char text[MAX_VALUE + 1];
		const bool is_id = strlen(id) > 12 && !id[strspn(id, "0123456789abcdef")];

		snprintf(text, sizeof(text), "%.*s", (int)(is_id ? id - name + 12 : MAX_VALUE),
			 name);
		fputs(" OR service = ", out);
		put_literal(out, text);
		fprintf(out, " OR endsWith(toString(service), concat('%c', ", colon ? '/' : ':');
		put_literal(out, text);
		fputs("))", out);
	}
	putc(')', out);
}

static int64_t clamp(int64_t time)
{
	return time < 0 ? 0 : time > UINT32_MAX ? UINT32_MAX : time;
}

/* Write the condition on the times of intervals: they overlap a requested period. The first part
 * selects partitions. */
static void put_times(FILE *out, const struct store_times *times, bool has_end)
{
	int64_t first = INT64_MAX, last = 0;

	for (size_t i = 0; i < times->nr_asked; i++) {
		const struct op_period *p = &times->asked[i];

		first = p->begin < first ? p->begin : first;
		last = p->end > last ? p->end : last;
	}
	fprintf(out, "t >= toDateTime(%lld) AND t <= toDateTime(%lld)",
		(long long)clamp(first - LONGEST), (long long)clamp(last));
	if (!has_end)
		return;
	fputs(" AND (0", out);
	for (size_t i = 0; i < times->nr_asked; i++) {
		const struct op_period *p = &times->asked[i];

		fprintf(out, " OR (t %s toDateTime(%lld) AND end > toDateTime(%lld))",
			p->begin == p->end ? "<=" : "<", (long long)clamp(p->end),
			(long long)clamp(p->begin));
	}
	putc(')', out);
}

/* Write " AND ...": the column @column has one of the values, which are not globs. */
static void put_literals(FILE *out, const char *column, const struct pp_values *values)
{
	fprintf(out, " AND toString(%s) IN (''", column);
	for (size_t i = 0; i < values->nr; i++) {
		fputs(", ", out);
		put_literal(out, values->items[i]);
	}
	putc(')', out);
}

/* Write " AND ...": the host is one of those of the report. */
static void put_hosts(FILE *out, const struct store_query *q)
{
	if (q->hosts)
		put_literals(out, "host", q->hosts);
	else
		put_values(out, "host", &q->spec->tags[PP_TAG_HOST]);
}

static void put_sessions_where(FILE *out, const struct store_query *q)
{
	fprintf(out, " FROM `%s`.sessions WHERE ", q->database);
	put_times(out, q->times, true);
	put_hosts(out, q);
}

/* mark, begin of the first interval of the hosts */
void store_query_first(FILE *out, const struct store_query *q)
{
	fprintf(out, "SELECT " STORE_MARK_SQL ", toUInt32(min(t)) FROM `%s`.sessions WHERE 1",
		q->database);
	put_values(out, "host", &q->spec->tags[PP_TAG_HOST]);
	fputs(" FORMAT RowBinary", out);
}

/* Expressions with a name, and with an array of losses, cut to their maximum lengths. */
#define TEXT_OF(number)	#number
#define TEXT(number)	TEXT_OF(number)
#define NAME(column)	"substring(toString(" column "), 1, " TEXT(STORE_MAX_NAME) ")"
#define LOSSES(column)	"arraySlice(" column ", 1, " TEXT(STORE_MAX_LOSSES) ")"

/* mark, t, end, host, name, samples, sent, rows, taken, stored, loss_names, loss_counts, kernel,
 * cpu, mhz, accounting, schema */
void store_query_sessions(FILE *out, const struct store_query *q)
{
	fputs("SELECT " STORE_MARK_SQL ", toUInt32(t) AS ts, toUInt32(end), " NAME("host") " AS h, "
	      NAME("name") " AS n, toUInt64(samples), toUInt64(sent), toUInt32(rows), "
	      "toUInt64(taken), toUInt64(stored), "
	      "arrayMap(x -> " NAME("x") ", " LOSSES("loss_names") "), " LOSSES("loss_counts") ", "
	      NAME("kernel") ", " NAME("cpu") ", toFloat64(mhz), "
	      "substring(accounting, 1, " TEXT(STORE_MAX_ACCOUNTING) " + 1), toUInt32(schema)", out);
	put_sessions_where(out, q);
	fprintf(out, " ORDER BY ts, h, n LIMIT %u FORMAT RowBinary", STORE_MAX_SESSIONS + 1);
}

static void put_samples_where(FILE *out, const struct store_query *q)
{
	const struct pp_values *tags = q->spec->tags, *ids = &tags[PP_TAG_BUILD_ID];

	/* The conditions on single columns come first, so that the server does not compare the
	 * intervals of rows of other hosts. ClickHouse 18.16 does not choose this order itself. */
	fprintf(out, " FROM `%s`.samples PREWHERE ", q->database);
	put_times(out, q->times, false);
	put_hosts(out, q);
	put_values(out, "service", &tags[PP_TAG_SERVICE]);
	put_values(out, "version", &tags[PP_TAG_VERSION]);
	fputs(" WHERE 1", out);
	put_units(out, &tags[PP_TAG_UNIT]);
	put_containers(out, &tags[PP_TAG_CONTAINER]);
	if (ids->nr) {
		fprintf(out, " AND (service, stack) IN (SELECT service, stack FROM `%s`.stacks WHERE "
			"0", q->database);
		for (size_t i = 0; i < ids->nr; i++)
			fprintf(out, " OR arrayExists(f -> f LIKE '%%\\t%s%%', frames)",
				ids->items[i]);
		putc(')', out);
	}
	/* only complete intervals, which have a row in table sessions, of a known version */
	fputs(" AND (toString(host), t) IN (SELECT toString(host), t", out);
	put_sessions_where(out, q);
	fprintf(out, " AND schema <= %u)", FLEET_SCHEMA_VERSION);
}

/* mark, time of the slice, column, service, event, stack, count */
void store_query_samples(FILE *out, const struct store_query *q)
{
	static const char *const columns[] = {
		[PP_BY_NONE] = "''", [PP_BY_HOST] = NAME("host"),
		[PP_BY_SERVICE] = NAME("service"), [PP_BY_VERSION] = NAME("version"),
		[PP_BY_TIME] = "''",
	};
	const struct store_times *times = q->times;

	fputs("SELECT " STORE_MARK_SQL ", ", out);
	if (times->step)
		fprintf(out, "toUInt32(intDiv(toUInt32(t) - %u, %u) * %u + %u)", times->begin,
			times->step, times->step, times->begin);
	else
		fputs("toUInt32(t)", out);
	fprintf(out, " AS slice, %s AS col, " NAME("service") " AS s, " NAME("event") " AS e, stack, "
		"toUInt64(sum(count))", columns[q->by]);
	put_samples_where(out, q);
	fprintf(out, " GROUP BY slice, col, s, e, stack LIMIT %u FORMAT RowBinary",
		STORE_MAX_ROWS + 1);
}

/* mark, service, stack, frames */
void store_query_stacks(FILE *out, const struct store_query *q)
{
	fprintf(out, "SELECT " STORE_MARK_SQL ", " NAME("service") " AS s, stack, "
		"arrayMap(x -> substring(toString(x), 1, " TEXT(STORE_MAX_FRAME) "), "
		"arraySlice(frames, 1, " TEXT(STORE_MAX_FRAMES) ")) FROM `%s`.stacks WHERE (toString(service), stack) "
		"IN (SELECT toString(service), stack", q->database);
	put_samples_where(out, q);
	fprintf(out, ") LIMIT 1 BY s, stack LIMIT %u FORMAT RowBinary", STORE_MAX_STACKS + 1);
}

/* mark, event, host, samples; the total with the most samples first */
void store_query_totals(FILE *out, const struct store_query *q)
{
	fputs("SELECT " STORE_MARK_SQL ", " NAME("event") " AS e, " NAME("host") " AS h, "
	      "toFloat64(sum(count)) AS n", out);
	put_samples_where(out, q);
	fprintf(out, " GROUP BY e, h ORDER BY n DESC, e, h LIMIT %u FORMAT RowBinary",
		STORE_MAX_TOTALS);
}

/* Write a subquery with the columns e, f, h, c: event, function (its name and binary), host, and
 * sum of the samples that hit the function. */
static void put_functions(FILE *out, const struct store_query *q)
{
	fputs("(SELECT e, f, h, toFloat64(sum(c)) AS c FROM (SELECT " NAME("event") " AS e, "
	      "service, stack, " NAME("host") " AS h, sum(count) AS c", out);
	put_samples_where(out, q);
	/* ANY, because the table may have equal rows */
	fprintf(out, " GROUP BY e, service, stack, h) AS rows ANY LEFT JOIN (SELECT service, stack, "
		"substring(arrayStringConcat(arraySlice(splitByChar('\\t', toString(frames[-1])), 1, 2), "
		"'\\t'), 1, " TEXT(STORE_MAX_NAME) ") AS f FROM `%s`.stacks) AS stacks USING (service, stack)"
		" GROUP BY e, f, h)", q->database);
}

/*
 * mark, event, function, number of hosts with samples of it, host with the largest share, lower
 * limit of this share, host with the smallest share, upper limit of this share
 *
 * worst.h describes the limits. A difference is at most the lower limit, so the order is that of
 * the lower limits.
 */
void store_query_extremes(FILE *out, const struct store_query *q)
{
	fputs("SELECT " STORE_MARK_SQL ", e, f, toUInt32(count()), argMax(h, low), max(low) AS top, "
	      "argMin(h, high), min(high) FROM (SELECT e, f, h, (c + " TEXT(STORE_PRIOR) ") / (n + 2 * "
	      TEXT(STORE_PRIOR) ") AS p, " TEXT(STORE_ERRORS) " * sqrt(p * (1 - p) / (n + 2 * "
	      TEXT(STORE_PRIOR) ")) AS error, p - error AS low, p + error AS high FROM ", out);
	put_functions(out, q);
	fputs(" AS functions ANY LEFT JOIN (SELECT " NAME("event") " AS e, " NAME("host") " AS h, "
	      "toFloat64(sum(count)) AS n", out);
	put_samples_where(out, q);
	fprintf(out, " GROUP BY e, h) AS totals USING (e, h)) AS shares GROUP BY e, f "
		"ORDER BY top DESC, e, f LIMIT %u FORMAT RowBinary", STORE_MAX_EXTREMES);
}

/* mark, function, host */
void store_query_holders(FILE *out, const struct store_query *q)
{
	fputs("SELECT " STORE_MARK_SQL ", e, f, h FROM ", out);
	put_functions(out, q);
	fputs(" AS functions WHERE 1", out);
	put_literals(out, "f", q->functions);
	fputs(" FORMAT RowBinary", out);
}

int store_query_check(const struct pp_spec *spec, struct pp_log *log)
{
	static const enum pp_tag used[] = {
		PP_TAG_HOST, PP_TAG_SERVICE, PP_TAG_VERSION, PP_TAG_BUILD_ID, PP_TAG_UNIT,
		PP_TAG_CONTAINER,
	};

	for (size_t t = 0; t < sizeof(used) / sizeof(used[0]); t++)
		for (size_t i = 0; i < spec->tags[used[t]].nr; i++)
			if (strlen(spec->tags[used[t]].items[i]) > MAX_VALUE)
				return op_fail(&log->error, -EINVAL, "%s: the value is longer than "
					       "%d bytes", pp_tag_name(used[t]), MAX_VALUE);
	for (size_t i = 0; i < spec->tags[PP_TAG_BUILD_ID].nr; i++) {
		const char *id = spec->tags[PP_TAG_BUILD_ID].items[i];

		if (id[strspn(id, "0123456789abcdef")] || strlen(id) < 4)
			return op_fail(&log->error, -EINVAL, "build-id:%s: must be at least 4 digits "
				       "of a build-id in hex", id);
	}
	return 0;
}
