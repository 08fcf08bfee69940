/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schema.h -- the tables of the database, doc/fleet.md.
 *
 * The default value of the column sessions.schema is the version of the tables.
 */
#ifndef OPEXPORT_SCHEMA_H
#define OPEXPORT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "utils/opexport/features.h"

struct export_column {
	const char *name;
	/* type in ClickHouse; "{String}" stands for LowCardinality(String), or for String if the
	 * server does not have the former */
	const char *type;
	const char *value;	/* default value; NULL: no default value */
};

struct export_table {
	const char *name;
	const struct export_column *columns;
	size_t nr_columns;
	const char *engine, *partition, *order;
	const char *age;	/* expression for the day of a row, for the TTL */
};

enum { EXPORT_SAMPLES, EXPORT_STACKS, EXPORT_SESSIONS, EXPORT_NR_TABLES };
extern const struct export_table export_tables[EXPORT_NR_TABLES];

/* Write the statement that creates the table. @days: age at which rows are deleted. */
void export_schema_create(FILE *out, const struct export_table *table, const char *database,
			  unsigned int days, const struct export_features *features);
/* Write the statement that changes the age at which rows of an existing table are deleted. */
void export_schema_alter_ttl(FILE *out, const struct export_table *table, const char *database,
			     unsigned int days);
/* Write the statement that adds a column to an existing table. */
void export_schema_add_column(FILE *out, const struct export_table *table, const char *database,
			      const struct export_column *column,
			      const struct export_features *features);

/* Write the statement that sets the version of existing tables to FLEET_SCHEMA_VERSION. */
void export_schema_set_version(FILE *out, const char *database);

/* The view of flame graphs, doc/fleet.md. */
#define EXPORT_VIEW	"flame"

/* Write the statement that creates the view, after the tables. */
void export_schema_create_view(FILE *out, const char *database);

/* Return the number of days of the TTL in @statement, a CREATE TABLE as the server stores it; 0:
 * the table has no TTL, or one of another kind. */
unsigned int export_schema_ttl(const char *statement);

/* Return the version in the default value of sessions.schema, such as "1" or "CAST(1, 'UInt16')";
 * 0: not a version. */
unsigned int export_schema_version(const char *value);

#endif
