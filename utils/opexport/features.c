// SPDX-License-Identifier: GPL-2.0-or-later
/* features.c -- asks the server for its version, its clock and its features. */
#include "config.h"
#include "utils/opexport/features.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Settings whose existence shows a feature. */
#define TTL	"merge_with_ttl_timeout"
#define TOKEN	"insert_deduplication_token"
#define WINDOW	"non_replicated_deduplication_window"
#define ASYNC	"async_insert"
/* ClickHouse takes zstd since 20.10; no setting shows that, but a later version has ASYNC. */
#define ZSTD	ASYNC
#define FIRST_YEAR_OF_LOW_CARDINALITY	20

static bool has(const char *list, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += len)
		if ((at == list || at[-1] == ',') && strchr(",\n", at[len]))
			return true;
	return false;
}

int export_features_parse(struct export_features *ret, const char *text)
{
	struct export_features f = { .now = 0 };
	const size_t len = strcspn(text, "\t");
	char *end;
	long year;

	if (!text[len] || !len || len >= sizeof(f.version) || !strchr(text, '\n'))
		return -EINVAL;
	memcpy(f.version, text, len);
	year = strtol(f.version, &end, 10);
	if (*end != '.')
		return -EINVAL;
	f.now = strtoll(text + len + 1, &end, 10);
	if (*end != '\t' || f.now <= 0)
		return -EINVAL;
	f.has_ttl = has(end + 1, TTL);
	f.has_tokens = has(end + 1, TOKEN) && has(end + 1, WINDOW);
	f.has_async = has(end + 1, ASYNC);
	f.has_zstd = has(end + 1, ZSTD);
	f.has_low_cardinality = year >= FIRST_YEAR_OF_LOW_CARDINALITY;
	*ret = f;
	return 0;
}

int export_features_read(struct export_features *ret, struct fleet_http *http,
			 struct op_reason *error)
{
	static const char sql[] =
		"SELECT version(), toUInt32(now()), (SELECT arrayStringConcat(groupArray(name), ',') "
		"FROM (SELECT name FROM system.settings WHERE name IN ('" TOKEN "', '" ASYNC "') "
		"UNION ALL SELECT name FROM system.merge_tree_settings WHERE name IN ('" TTL "', '" WINDOW "'))) "
		"FORMAT TabSeparated";
	struct fleet_answer answer = { .text = NULL };
	int err = fleet_http_query(http, NULL, sql, &answer, error);

	if (!err && export_features_parse(ret, answer.text))
		err = op_fail(error, FLEET_ERR_NOT_SERVER, "the server's answer to a query is not "
			      "that of ClickHouse: check host and port of --to");
	free(answer.text);
	return err;
}
