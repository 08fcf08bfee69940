// SPDX-License-Identifier: GPL-2.0-or-later
/* database.c -- options of reports that read a database. */
#include "config.h"
#include "pp/tool/database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/target.h"
#include "libop/base/nearest.h"

#define DEFAULT_TIMEOUT	60
#define MAX_TIMEOUT	86400
#define MAX_WORST	10000
#define BY_WORDS	"host, service, version, time"

void pp_database_table(struct poptOption rows[PP_DATABASE_ROWS], struct pp_database *d)
{
	const struct poptOption table[PP_DATABASE_ROWS] = {
		{ "by", 0, POPT_ARG_STRING, &d->by_word, 0,
		  "show a column for each host, service, version or time of a database",
		  "host|service|version|time" },
		{ "worst", 0, POPT_ARG_LONG, &d->worst, 0,
		  "list the symbols whose share differs most between the hosts of a database", "N" },
		{ "password-file", 0, POPT_ARG_STRING, &d->password_file, 0,
		  "read the password of a database from the first line of this file", "FILE" },
		{ "ca", 0, POPT_ARG_STRING, &d->ca, 0,
		  "trust databases with certificates of these authorities", "FILE" },
		{ "cert", 0, POPT_ARG_STRING, &d->cert, 0,
		  "authenticate to the database by this client certificate", "FILE" },
		{ "key", 0, POPT_ARG_STRING, &d->key, 0, "private key of --cert", "FILE" },
		{ "timeout", 0, POPT_ARG_LONG, &d->timeout, 0,
		  "give up a query of a database after this time (default 60)", "SECONDS" },
		POPT_TABLEEND
	};

	memcpy(rows, table, sizeof(table));
}

static int parse_by(struct pp_database *d, struct pp_log *log)
{
	static const struct {
		const char *word;
		enum pp_store_by by;
	} words[] = {
		{ "host", PP_BY_HOST }, { "service", PP_BY_SERVICE }, { "version", PP_BY_VERSION },
		{ "time", PP_BY_TIME },
	};
	char meant[200];

	if (!d->by_word)
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(d->by_word, words[i].word)) {
			d->by = words[i].by;
			return 0;
		}
	return op_fail(&log->error, -EINVAL, "--by=%s: not one of " BY_WORDS "%s", d->by_word,
		       op_list_suggest(BY_WORDS, d->by_word, strlen(d->by_word), meant,
				       sizeof(meant)));
}

static bool has_tag(const struct pp_common *c, enum pp_tag tag)
{
	return c->spec.tags[tag].nr || (c->is_diff && c->second.tags[tag].nr);
}

/* Check that the report does not need a database. */
static int check_none(const struct pp_database *d, struct pp_log *log)
{
	const char *option = d->by ? "--by" : d->worst ? "--worst" :
			     d->password_file ? "--password-file" : d->ca ? "--ca" :
			     d->cert ? "--cert" : d->key ? "--key" : d->timeout ? "--timeout" : NULL;

	if (!option)
		return 0;
	return op_fail(&log->error, -EINVAL, "%s needs a database: add its URL, "
		       "clickhouse://HOST/DATABASE", option);
}

/* Refuse tags for data that the database does not have. */
static int check_tags(const struct pp_common *c, struct pp_log *log)
{
	static const enum pp_tag missing[] = {
		PP_TAG_ARCHIVE, PP_TAG_SESSION_DIR, PP_TAG_SESSION, PP_TAG_SESSION_EXCLUDE,
		PP_TAG_PROFILE, PP_TAG_SAMPLE_FILE, PP_TAG_UNITMASK, PP_TAG_TGID, PP_TAG_TID,
		PP_TAG_CPU, PP_TAG_POD,
	};

	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		if (has_tag(c, missing[i]))
			return op_fail(&log->error, -EINVAL, "%s: cannot select samples of a "
				       "database, which has host:, service:, version:, build-id:, "
				       "unit:, container:, image:, lib-image: and event:; on a host, "
				       "opreport %s: can", pp_tag_name(missing[i]),
				       pp_tag_name(missing[i]));
	if (!c->is_diff)
		return 0;
	for (int side = 0; side < 2; side++)
		if (!(side ? &c->second : &c->spec)->tags[PP_TAG_STORE].nr)
			return op_fail(&log->error, -EINVAL, "only one side of the differential "
				       "profile reads a database: write its URL before the braces");
	return 0;
}

static int check_options(const struct pp_database *d, const struct pp_common *c,
			 const struct pp_format_options *f, const struct pp_format_ops *ops,
			 struct pp_log *log)
{
	static const char on_host[] = "the database has names of functions, not addresses: run this "
				      "report on a host that was profiled";
	const struct {
		bool applies;
		const char *option, *why;
	} refusals[] = {
		{ f->details, "--details", on_host },
		{ f->show_address, "--show-address", on_host },
		{ f->debug_info, "--debug-info", on_host },
		{ (ops->needs & PP_NEED_DETAILS) && ops != &pp_format_html, "this format", on_host },
		{ f->why_short, "--why-short", "the database does not have the methods by which "
		  "callers were found: run this report on a host that was profiled" },
		{ c->session_dir, "--session-dir", "a report reads a directory or a database" },
		{ c->image_path, "--image-path", "the database has the names: no binary is read" },
		{ c->root, "--root", "the database has the names: no binary is read" },
		{ c->debuginfod, "--debuginfod", "the database has the names: no binary is read" },
		{ c->force, "--force", "the database has the names: no binary is read" },
		{ c->anon_ranges, "--anon-ranges", on_host },
		{ c->demangle_given && c->demangle == PP_DEMANGLE_NONE, "--demangle=none",
		  "the hosts demangled the names before they sent them" },
		{ d->by && c->is_diff, "--by", "a differential profile has two columns, before and "
		  "after" },
		{ d->worst && c->is_diff, "--worst", "a differential profile compares two sides, not "
		  "hosts" },
		{ d->worst && d->by && d->by != PP_BY_HOST, "--worst", "it compares hosts: omit --by" },
		{ d->worst && (f->calltree || f->callgraph || (ops->needs & PP_NEED_PATHS)), "--worst",
		  "it lists symbols: use text, csv or json, without call paths" },
		{ d->worst && f->accumulated, "--worst", "its lines are not sorted by samples" },
		{ (d->by || d->worst) && ops == &pp_format_xml, "--by", "the schema of xml does not "
		  "have such columns: use json or csv" },
	};

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].applies)
			return op_fail(&log->error, -EINVAL, "%s cannot be used here: %s",
				       refusals[i].option, refusals[i].why);
	return 0;
}

int pp_database_check(struct pp_database *d, const struct pp_common *common,
		      const struct pp_format_options *format, const struct pp_format_ops *ops,
		      struct pp_log *log)
{
	int err = parse_by(d, log);

	if (!err && (d->worst < 0 || d->worst > MAX_WORST))
		err = op_fail(&log->error, -EINVAL, "--worst must be a number from 1 to %d",
			      MAX_WORST);
	if (!err && (d->timeout < 0 || d->timeout > MAX_TIMEOUT))
		err = op_fail(&log->error, -EINVAL, "--timeout must be a number of seconds from 1 to "
			      "%d", MAX_TIMEOUT);
	if (!err && !d->cert != !d->key)
		err = op_fail(&log->error, -EINVAL, "--cert and --key need each other");
	if (err)
		return err;
	if (!has_tag(common, PP_TAG_STORE))
		return check_none(d, log);
	err = check_tags(common, log);
	if (!err)
		err = check_options(d, common, format, ops, log);
	if (d->worst)
		d->by = PP_BY_HOST;
	return err;
}

int pp_database_open(struct pp_database *d, struct pp_common *common, struct pp_log *log)
{
	const struct pp_store_options options = {
		.password_file = d->password_file, .ca = d->ca, .cert = d->cert, .key = d->key,
		.timeout = d->timeout ? d->timeout : DEFAULT_TIMEOUT, .by = d->by,
		.worst = (unsigned int)d->worst,
	};
	int err = 0;

	if (common->spec.tags[PP_TAG_STORE].nr)
		err = pp_store_open(&d->stores[0], &common->spec, &options, log);
	if (!err && common->is_diff && common->second.tags[PP_TAG_STORE].nr)
		err = pp_store_open(&d->stores[1], &common->second, &options, log);
	return err;
}

void pp_database_release(struct pp_database *d)
{
	pp_store_close(d->stores[0]);
	pp_store_close(d->stores[1]);
	free(d->password_file);
	free(d->ca);
	free(d->cert);
	free(d->key);
	free(d->by_word);
	*d = (struct pp_database){ .by = PP_BY_NONE };
}
