// SPDX-License-Identifier: GPL-2.0-or-later
/* setup.c -- makes and upgrades the tables of the database. */
#include "config.h"
#include "utils/opexport/setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/tables.h"
#include "libop/base/clean.h"
#include "libop/base/grow.h"
#include "utils/opexport/schema.h"

/* number of attempts if other hosts change the tables at the same time */
#define MAX_ATTEMPTS	5
#define MAX_COLUMNS	64

/* State of the database and its tables. */
struct state {
	struct export_features features;
	bool has_database, has_view;
	/* for each table of export_tables: bit i is set if column i exists */
	uint64_t columns[EXPORT_NR_TABLES];
	bool exists[EXPORT_NR_TABLES];
	/* name of a column that this version does not know; "": all columns are known */
	char unknown[128];
	char text[1000];	/* answer of a query with one line */
	/* for each table: days of its TTL; 0: no TTL */
	unsigned int days[EXPORT_NR_TABLES];
	unsigned int version;	/* value of sessions.schema; 0: unknown */
};

/* A list of statements, malloc'd. */
struct statements {
	char **items;
	size_t nr;
};

static void release(struct statements *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->items[i]);
	free(s->items);
	*s = (struct statements){ .items = NULL };
}

/* Split @line, which is modified, at tabs. Return the number of fields, at most @max. */
static size_t split(char *line, char **fields, size_t max)
{
	size_t nr = 0;

	for (char *at = line; at && nr < max; nr++) {
		fields[nr] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = '\0';
	}
	return nr;
}

static const struct export_table *find_table(const char *name, size_t *ret)
{
	for (size_t i = 0; i < EXPORT_NR_TABLES; i++)
		if (!strcmp(export_tables[i].name, name)) {
			*ret = i;
			return &export_tables[i];
		}
	return NULL;
}

static void note_column(struct state *s, char *const fields[3])
{
	size_t number;
	const struct export_table *table = find_table(fields[0], &number);

	s->has_view |= !strcmp(fields[0], EXPORT_VIEW);
	if (!table)
		return;
	s->exists[number] = true;
	if (number == EXPORT_SESSIONS && !strcmp(fields[1], "schema"))
		s->version = export_schema_version(fields[2]);
	for (size_t i = 0; i < table->nr_columns; i++)
		if (!strcmp(table->columns[i].name, fields[1])) {
			s->columns[number] |= 1ull << i;
			return;
		}
	snprintf(s->unknown, sizeof(s->unknown), "%s.%s", fields[0], fields[1]);
}

/* Run a query, and call @fn with the fields of each line of its answer. */
static int each_line(struct fleet_http *http, const char *sql, size_t nr_fields,
		     void (*fn)(struct state *s, char *const *fields), struct state *s,
		     struct op_reason *error)
{
	struct fleet_answer answer = { .text = NULL };
	char *fields[4], *line, *rest;
	int err = fleet_http_query(http, NULL, sql, &answer, error);

	if (err)
		return err;
	rest = answer.text;
	while (!err && (line = strsep(&rest, "\n")) && *line) {
		if (split(line, fields, 4) == nr_fields)
			fn(s, fields);
		else
			err = op_fail(error, FLEET_ERR_NOT_SERVER, "unexpected answer to a query: "
				      "check host and port of --to");
	}
	free(answer.text);
	return err;
}

static void note_database(struct state *s, char *const *fields)
{
	(void)fields;
	s->has_database = true;
}

static void note_table(struct state *s, char *const *fields)
{
	size_t number;

	if (find_table(fields[0], &number))
		s->days[number] = export_schema_ttl(fields[1]);
}

static int read_state(struct state *ret, struct fleet_http *http, const char *database,
		      struct op_reason *error)
{
	struct state s = { .version = 0 };
	char sql[512];
	int err = export_features_read(&s.features, http, error);

	snprintf(sql, sizeof(sql), "SELECT name FROM system.databases WHERE name = '%s' "
		 "FORMAT TabSeparated", database);
	if (!err)
		err = each_line(http, sql, 1, note_database, &s, error);
	snprintf(sql, sizeof(sql), "SELECT table, name, default_expression FROM system.columns "
		 "WHERE database = '%s' FORMAT TabSeparated", database);
	if (!err)
		err = each_line(http, sql, 3, note_column, &s, error);
	if (!err && s.features.has_ttl) {
		snprintf(sql, sizeof(sql), "SELECT name, create_table_query FROM system.tables "
			 "WHERE database = '%s' FORMAT TabSeparated", database);
		err = each_line(http, sql, 2, note_table, &s, error);
	}
	if (!err)
		*ret = s;
	return err;
}

static int check_version(const struct state *s, const char *database, struct op_reason *error)
{
	if (s->version > FLEET_SCHEMA_VERSION)
		return op_fail(error, EXPORT_ERR_SCHEMA, "the tables of the database %s have version "
			       "%u, but this opexport knows versions up to %u: upgrade oprofile on "
			       "this host", database, s->version, FLEET_SCHEMA_VERSION);
	if (*s->unknown)
		return op_fail(error, EXPORT_ERR_SCHEMA, "the database %s has a column %s that this "
			       "opexport does not know: choose another database in --to", database,
			       s->unknown);
	if (s->exists[EXPORT_SESSIONS] && !s->version)
		return op_fail(error, EXPORT_ERR_SCHEMA, "the table sessions of the database %s has no "
			       "column schema, so it is not opexport's: choose another database in "
			       "--to", database);
	return 0;
}

int export_setup_check(struct fleet_http *http, const char *database, struct op_reason *error)
{
	struct state s;
	int err = read_state(&s, http, database, error);

	if (!err)
		err = check_version(&s, database, error);
	for (size_t i = 0; i < EXPORT_NR_TABLES && !err; i++)
		if (s.columns[i] != (1ull << export_tables[i].nr_columns) - 1)
			err = op_fail(error, EXPORT_ERR_SCHEMA, "the database %s has no table %s of "
				      "this version: run opexport --setup-db --to=... --keep=DAYS with "
				      "a user who may create tables", database,
				      export_tables[i].name);
	return err;
}

/* Close @out, and add its text to the list. */
static int add(struct statements *list, FILE *out, char **text)
{
	if (!out || fclose(out) || op_grow(&list->items, list->nr)) {
		free(*text);
		return -ENOMEM;
	}
	list->items[list->nr++] = *text;
	return 0;
}

static int add_columns(struct statements *list, const struct state *s, size_t table,
		       const char *database)
{
	const struct export_table *t = &export_tables[table];
	int err = 0;

	for (size_t i = 0; i < t->nr_columns && !err; i++) {
		char *text = NULL;
		size_t size;
		FILE *out;

		if (s->columns[table] & 1ull << i)
			continue;
		out = open_memstream(&text, &size);
		if (out)
			export_schema_add_column(out, t, database, &t->columns[i], &s->features);
		err = add(list, out, &text);
	}
	return err;
}

/* Append the statements that create or change the tables, whose state is @s. */
static int plan_tables(struct statements *list, const struct state *s,
		       const struct export_setup *setup)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int err = 0;

	for (size_t i = 0; i < EXPORT_NR_TABLES && !err; i++) {
		const bool changes_ttl = s->exists[i] && s->features.has_ttl &&
					 s->days[i] != setup->days;

		if (s->exists[i])
			err = add_columns(list, s, i, setup->database);
		if (err || (s->exists[i] && !changes_ttl))
			continue;
		out = open_memstream(&text, &size);
		if (out && changes_ttl)
			export_schema_alter_ttl(out, &export_tables[i], setup->database,
						setup->days);
		else if (out)
			export_schema_create(out, &export_tables[i], setup->database, setup->days,
					     &s->features);
		err = add(list, out, &text);
	}
	return err;
}

/* Make the list of the statements that create or change the tables and the view, whose state is
 * @s. */
static int plan(struct statements *list, const struct state *s, const struct export_setup *setup)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int err = 0;

	if (!s->has_database) {
		out = open_memstream(&text, &size);
		if (out)
			fprintf(out, "CREATE DATABASE IF NOT EXISTS `%s`", setup->database);
		err = add(list, out, &text);
	}
	if (!err)
		err = plan_tables(list, s, setup);
	if (!err && !s->has_view) {
		out = open_memstream(&text, &size);
		if (out)
			export_schema_create_view(out, setup->database);
		err = add(list, out, &text);
	}
	/* last, so that an interrupted upgrade is continued */
	if (err || !s->exists[EXPORT_SESSIONS] || s->version == FLEET_SCHEMA_VERSION)
		return err;
	out = open_memstream(&text, &size);
	if (out)
		export_schema_set_version(out, setup->database);
	return add(list, out, &text);
}

static int run(const struct export_setup *setup, const struct statements *list,
	       struct op_reason *error)
{
	int err = 0;

	for (size_t i = 0; i < list->nr && !err; i++) {
		const struct fleet_request request = { .sql = list->items[i] };

		err = fleet_http_send(setup->http, &request, NULL, error);
	}
	return err;
}

static void note_text(struct state *s, char *const *fields)
{
	snprintf(s->text, sizeof(s->text), "%s", fields[0]);
}

/* Warn of tables of the server itself that grow without a limit. */
static void warn_of_system_tables(const struct export_setup *setup)
{
	struct state s = { .version = 0 };
	struct op_reason ignored;

	if (!each_line(setup->http,
		       "SELECT arrayStringConcat(groupArray(name), ', ') FROM (SELECT name FROM "
		       "system.tables WHERE database = 'system' AND engine LIKE '%MergeTree' AND "
		       "create_table_query NOT LIKE '% TTL %' ORDER BY name) FORMAT TabSeparated",
		       1, note_text, &s, &ignored) && *s.text)
		pp_warn(setup->log, "the server's own tables %s delete no rows: set a TTL for them in "
			"the server's configuration", s.text);
}

/* Print the disk space of the tables, and the numbers of days and rows of table samples. */
static void print_costs(const struct export_setup *setup)
{
	struct state s = { .version = 0 };
	struct op_reason ignored;
	char sql[700];

	snprintf(sql, sizeof(sql), "SELECT concat(toString(round(sum(bytes_on_disk) / 1e6, 1)), "
		 "' MB, ', toString(uniqExactIf(partition, table = 'samples')), ' days, ', "
		 "toString(sumIf(rows, table = 'samples')), ' rows of samples') FROM system.parts WHERE "
		 "database = '%s' AND active AND table IN ('samples', 'stacks', 'sessions') "
		 "FORMAT TabSeparated", setup->database);
	if (!each_line(setup->http, sql, 1, note_text, &s, &ignored) && *s.text)
		op_clean_printf(setup->out, "on disk: %s\n", s.text);
}

static void report(const struct export_setup *setup, const struct state *s, size_t nr)
{
	op_clean_printf(setup->out, "ClickHouse %s, database %s: tables of version %u, %s\n",
			s->features.version, setup->database, FLEET_SCHEMA_VERSION,
			nr ? "made or changed" : "nothing to do");
	if (!s->features.has_ttl)
		pp_warn(setup->log, "ClickHouse %s cannot delete old rows itself: drop partitions older "
			"than %u days by hand, or upgrade the server", s->features.version,
			setup->days);
	warn_of_system_tables(setup);
	print_costs(setup);
}

int export_setup(const struct export_setup *setup)
{
	struct op_reason *error = &setup->log->error;
	int err = 0;

	for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
		struct statements list = { .items = NULL };
		struct state s;

		err = read_state(&s, setup->http, setup->database, error);
		if (!err)
			err = check_version(&s, setup->database, error);
		if (err)
			return err;
		err = plan(&list, &s, setup);
		for (size_t i = 0; i < list.nr && setup->dry_run && !err; i++)
			fprintf(setup->out, "%s;\n", list.items[i]);
		if (!err && !setup->dry_run)
			err = run(setup, &list, error);
		if (!err && !setup->dry_run)
			report(setup, &s, list.nr);
		release(&list);
		/* another host may have made the same change after read_state() */
		if (err != FLEET_ERR_EXCEPTION)
			return err;
	}
	return err;
}
