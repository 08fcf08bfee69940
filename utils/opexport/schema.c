// SPDX-License-Identifier: GPL-2.0-or-later
/* schema.c -- the tables of the database as SQL. */
#include "config.h"
#include "utils/opexport/schema.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/tables.h"

#define TEXT_(n)	#n
#define TEXT(n)		TEXT_(n)
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* Number of INSERTs whose tokens a table remembers. If a host gets no answer to an INSERT, it
 * queries the server before it sends the interval again. So the tokens only protect from a network
 * that repeats requests. */
#define WINDOW	"10000"

static const struct export_column samples[] = {
	{ "t", "DateTime", NULL },
	{ "host", "{String}", NULL },
	{ "service", "{String}", NULL },
	{ "version", "{String}", NULL },
	{ "event", "{String}", NULL },
	{ "stack", "UInt64", NULL },
	{ "count", "UInt32", NULL },
};

static const struct export_column stacks[] = {
	{ "service", "{String}", NULL },
	{ "stack", "UInt64", NULL },
	{ "frames", "Array({String})", NULL },
	{ "day", "Date", NULL },
};

static const struct export_column sessions[] = {
	{ "t", "DateTime", NULL },
	{ "end", "DateTime", NULL },
	{ "host", "{String}", NULL },
	{ "machine", "String", NULL },
	{ "name", "String", NULL },
	{ "samples", "UInt64", NULL },
	{ "rows", "UInt32", NULL },
	{ "sent", "UInt64", NULL },
	{ "thinned", "UInt32", NULL },
	{ "taken", "UInt64", NULL },
	{ "stored", "UInt64", NULL },
	{ "loss_names", "Array({String})", NULL },
	{ "loss_counts", "Array(UInt64)", NULL },
	{ "total_events", "Array({String})", NULL },
	{ "total_services", "Array({String})", NULL },
	{ "total_counts", "Array(UInt64)", NULL },
	{ "gap_from", "Array(DateTime)", NULL },
	{ "gap_to", "Array(DateTime)", NULL },
	{ "gap_reasons", "Array(String)", NULL },
	{ "kernel", "{String}", NULL },
	{ "oprofile", "{String}", NULL },
	{ "cpu", "{String}", NULL },
	{ "mhz", "Float64", NULL },
	{ "accounting", "String", NULL },
	{ "schema", "UInt16", TEXT(FLEET_SCHEMA_VERSION) },
};

const struct export_table export_tables[EXPORT_NR_TABLES] = {
	/* Rows of an hour with the same stack are adjacent, so that the ids of stacks compress
	 * well. */
	[EXPORT_SAMPLES] = {
		"samples", samples, NR(samples), "MergeTree", "toYYYYMMDD(t)",
		"event, service, toStartOfHour(t), stack, t, host", "toDate(t)",
	},
	/* The stacks of a service are adjacent, because a query reads the stacks of one service. */
	[EXPORT_STACKS] = {
		"stacks", stacks, NR(stacks), "ReplacingMergeTree(day)", "toYYYYMM(day)",
		"service, stack", "day",
	},
	[EXPORT_SESSIONS] = {
		"sessions", sessions, NR(sessions), "MergeTree", "toYYYYMM(t)", "host, t, name",
		"toDate(t)",
	},
};

static void put_type(FILE *out, const char *type, const struct export_features *features)
{
	static const char mark[] = "{String}";
	const char *at = strstr(type, mark);

	if (!at) {
		fputs(type, out);
		return;
	}
	fprintf(out, "%.*s%s%s", (int)(at - type), type,
		features->has_low_cardinality ? "LowCardinality(String)" : "String",
		at + sizeof(mark) - 1);
}

static void put_column(FILE *out, const struct export_column *column,
		       const struct export_features *features)
{
	fprintf(out, "`%s` ", column->name);
	put_type(out, column->type, features);
	if (column->value)
		fprintf(out, " DEFAULT %s", column->value);
}

static void put_ttl(FILE *out, const struct export_table *table, unsigned int days)
{
	fprintf(out, "TTL %s + toIntervalDay(%u)", table->age, days);
}

void export_schema_create(FILE *out, const struct export_table *table, const char *database,
			  unsigned int days, const struct export_features *features)
{
	fprintf(out, "CREATE TABLE IF NOT EXISTS `%s`.`%s` (", database, table->name);
	for (size_t i = 0; i < table->nr_columns; i++) {
		fputs(i ? ", " : "", out);
		put_column(out, &table->columns[i], features);
	}
	fprintf(out, ") ENGINE = %s PARTITION BY %s ORDER BY (%s) ", table->engine,
		table->partition, table->order);
	if (features->has_ttl) {
		put_ttl(out, table, days);
		putc(' ', out);
	}
	fputs("SETTINGS index_granularity = 8192", out);
	if (features->has_tokens)
		fputs(", non_replicated_deduplication_window = " WINDOW, out);
}

void export_schema_alter_ttl(FILE *out, const struct export_table *table, const char *database,
			     unsigned int days)
{
	fprintf(out, "ALTER TABLE `%s`.`%s` MODIFY ", database, table->name);
	put_ttl(out, table, days);
}

void export_schema_add_column(FILE *out, const struct export_table *table, const char *database,
			      const struct export_column *column,
			      const struct export_features *features)
{
	fprintf(out, "ALTER TABLE `%s`.`%s` ADD COLUMN ", database, table->name);
	put_column(out, column, features);
}

void export_schema_set_version(FILE *out, const char *database)
{
	fprintf(out, "ALTER TABLE `%s`.`sessions` MODIFY COLUMN `schema` UInt16 DEFAULT "
		TEXT(FLEET_SCHEMA_VERSION), database);
}

/* Each row of table samples becomes one row for each prefix of its stack. A stack that is not in
 * the database, as an empty array, is a part of the root only. ANY, because merges of the table
 * stacks may not have removed equal rows yet; LEFT, because newer servers answer an ANY INNER JOIN
 * with only one row of samples for each stack. */
void export_schema_create_view(FILE *out, const char *database)
{
	fprintf(out, "CREATE VIEW IF NOT EXISTS `%s`.`" EXPORT_VIEW "` AS "
		"SELECT t, host, service, version, event, path, level, "
		"if(level = 0, 'all', if(fields[1] = '', fields[2], fields[1])) AS label, "
		"count AS value, if(level = length(frames), count, 0) AS self FROM ("
		"SELECT t, host, service, version, event, count, frames, level, "
		"arraySlice(frames, 1, level) AS path, "
		"splitByChar('\\t', path[-1]) AS fields FROM ("
		"SELECT t, host, service, version, event, count, frames, "
		"arrayJoin(range(toUInt32(length(frames) + 1))) AS level FROM ("
		"SELECT t, host, service, version, event, stack, count FROM `%s`.`samples`) AS a "
		"ANY LEFT JOIN ("
		"SELECT service, stack, frames FROM `%s`.`stacks`) AS s USING (service, stack)"
		") AS b) AS c", database, database, database);
}

unsigned int export_schema_ttl(const char *statement)
{
	static const char day[] = "toIntervalDay(";
	const char *ttl = strstr(statement, " TTL "), *at = ttl ? strstr(ttl, day) : NULL;

	return at ? (unsigned int)strtoul(at + sizeof(day) - 1, NULL, 10) : 0;
}

unsigned int export_schema_version(const char *value)
{
	value += !strncmp(value, "CAST(", 5) ? 5 : 0;
	return (unsigned int)strtoul(value, NULL, 10);
}
