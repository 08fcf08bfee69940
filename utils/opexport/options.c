// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c -- opexport's command line, parsed by popt. */
#include "config.h"
#include "utils/opexport/options.h"

#include <errno.h>
#include <popt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/option_words.h"
#include "libop/base/time_words.h"

enum { OPT_VERSION = 1, OPT_HELP, OPT_USAGE };

#define DEFAULT_TIMEOUT	120
#define MAX_TIMEOUT	86400
#define MAX_DAYS	3650
#define DAY		86400
#define MAX_ROWS	1000000L
#define DEFAULT_ROWS	4000
#define DEFAULT_EVERY	30
#define MAX_RATE	(4u << 20)	/* maximum number of bytes sent in a second */

/* Values of options as popt stores them. */
struct raw {
	char *keep, *since, *until;
	int setup_db, dry_run, service;
	long rows;
};

/* Parse --keep: a number of days, or a duration such as 90d. */
static int parse_keep(unsigned int *ret, const char *text, struct op_reason *error)
{
	const bool is_number = text[strspn(text, "0123456789")] == '\0';
	int64_t seconds = 0;
	int err = op_duration_parse(&seconds, text);

	if (!err && is_number && seconds <= MAX_DAYS)
		seconds *= DAY;
	if (err || seconds < DAY || seconds % DAY || seconds / DAY > MAX_DAYS)
		return op_fail(error, -EINVAL, "--keep=%s: must be a number of days from 1 to %d", text,
			       MAX_DAYS);
	*ret = (unsigned int)(seconds / DAY);
	return 0;
}

/* Check that --otlp is used with a cursor or a time: a collector cannot report which intervals it
 * has, so an export without both would send all intervals again. */
static int check_otlp(const struct export_options *o, struct op_reason *error)
{
	const bool has_time = o->since != INT64_MIN || o->until != INT64_MAX;

	if (o->to)
		return op_fail(error, -EINVAL, "--to and --otlp exclude each other: run an opexport "
			       "for each, with the files of --cursor in different directories");
	if (o->setup_db)
		return op_fail(error, -EINVAL, "--setup-db needs --to: a collector has no tables");
	if (!o->cursor && !has_time)
		return op_fail(error, -EINVAL, "--otlp needs --cursor=FILE, which stores the end of "
			       "the last sent interval, or --since=TIME: a collector cannot report "
			       "which intervals it has");
	if (o->cursor && has_time)
		return op_fail(error, -EINVAL, "--otlp: the file of --cursor decides which intervals "
			       "are sent: omit --cursor, or omit --since and --until");
	return 0;
}

/* Check the options that choose the server. */
static int check_server(const struct export_options *o, const char *extra, struct op_reason *error)
{
	if (extra)
		return op_fail(error, -EINVAL, "%s: opexport takes options only; see opexport --help",
			       extra);
	if (!o->to && !o->otlp)
		return op_fail(error, -EINVAL, "--to=URL is missing: the database, such as "
			       "http://user@host:8123/oprofile; or --otlp=URL, a collector");
	if (o->otlp)
		return check_otlp(o, error);
	return 0;
}

/* Check the options of an export, and of --setup-db. */
static int check(const struct export_options *o, const char *extra, struct op_reason *error)
{
	int err = check_server(o, extra, error);

	if (err)
		return err;
	if (o->setup_db && (o->service || o->session_dir || o->cursor || o->since != INT64_MIN ||
			    o->until != INT64_MAX))
		return op_fail(error, -EINVAL, "--setup-db exports nothing: leave the options of an "
			       "export out");
	if (o->service && (o->since != INT64_MIN || o->until != INT64_MAX))
		return op_fail(error, -EINVAL, "--service exports all intervals: leave --since and "
			       "--until out");
	if (o->cursor && !o->service && !o->otlp)
		return op_fail(error, -EINVAL, "--cursor needs --service or --otlp");
	if (o->every < 1 || o->every > MAX_TIMEOUT)
		return op_fail(error, -EINVAL, "--every must be a number of seconds from 1 to %d",
			       MAX_TIMEOUT);
	if (o->dry_run && !o->setup_db)
		return op_fail(error, -EINVAL, "--dry-run needs --setup-db");
	if (!o->setup_db != !o->keep_days)
		return op_fail(error, -EINVAL, o->setup_db ?
			       "--setup-db needs --keep=DAYS, the age at which the server deletes rows" :
			       "--keep needs --setup-db");
	if (!o->cert != !o->key)
		return op_fail(error, -EINVAL, "--cert and --key need each other");
	if (o->http.timeout < 1 || o->http.timeout > MAX_TIMEOUT)
		return op_fail(error, -EINVAL, "--timeout must be a number of seconds from 1 to %d",
			       MAX_TIMEOUT);
	return 0;
}

/* Parse --since, --until and --rows. Of a period, such as a day, --since means the begin, and
 * --until the end. */
static int parse_times(struct export_options *o, const struct raw *raw, struct op_reason *error)
{
	const int64_t now = (int64_t)time(NULL);
	struct op_period period;
	int err = 0;

	o->since = INT64_MIN;
	o->until = INT64_MAX;
	if (raw->since)
		err = op_period_parse(&period, raw->since, now, error);
	if (!err && raw->since)
		o->since = period.begin;
	if (!err && raw->until)
		err = op_period_parse(&period, raw->until, now, error);
	if (!err && raw->until)
		o->until = period.end;
	if (!err && o->since >= o->until)
		err = op_fail(error, -EINVAL, "--since must be before --until");
	if (!err && (raw->rows < 0 || raw->rows > MAX_ROWS))
		err = op_fail(error, -EINVAL, "--rows must be a number from 0 to %ld", MAX_ROWS);
	o->rows = (size_t)raw->rows;
	return err;
}

static int convert(struct export_options *o, const struct raw *raw, const char *extra,
		   struct op_reason *error)
{
	int err = 0;

	o->setup_db = raw->setup_db;
	o->dry_run = raw->dry_run;
	if (raw->keep)
		err = parse_keep(&o->keep_days, raw->keep, error);
	o->service = raw->service;
	if (!err)
		err = parse_times(o, raw, error);
	if (!err)
		err = check(o, extra, error);
	if (err)
		return err;
	o->target = (struct fleet_target){
		.option = o->otlp ? "--otlp" : "--to", .ca = o->ca, .cert = o->cert, .key = o->key,
	};
	return o->otlp ? fleet_target_parse_otlp(&o->target, o->otlp, error) :
			 fleet_target_parse_http(&o->target, o->to, error);
}

static int parse(struct export_options *o, struct raw *raw, int argc, char **argv,
		 const struct poptOption *table, FILE *out, struct op_reason *error)
{
	poptContext con = poptGetContext("opexport", argc, (const char **)argv, table, 0);
	char meant[200];
	int id, err = EXPORT_OPTIONS_DONE;

	if (!con || op_options_abbreviate(con, table, NULL)) {
		poptFreeContext(con);
		return -ENOMEM;
	}
	poptSetOtherOptionHelp(con, "[OPTION]...");
	err = op_options_once(table, (const char *const *)argv, false, error);
	id = err ? 0 : poptGetNextOpt(con);
	if (id == OPT_HELP || id == OPT_USAGE || id == OPT_VERSION)
		err = EXPORT_OPTIONS_DONE;
	if (id == OPT_HELP)
		poptPrintHelp(con, out, 0);
	else if (id == OPT_USAGE)
		poptPrintUsage(con, out, 0);
	else if (id == OPT_VERSION)
		fprintf(out, "opexport: " PACKAGE_STRING "\n");
	else if (id < -1)
		err = op_fail(error, -EINVAL, "%s: %s%s; see opexport --help",
			      poptBadOption(con, POPT_BADOPTION_NOALIAS), poptStrerror(id),
			      id == POPT_ERROR_BADOPT ?
			      op_options_suggest(table, poptBadOption(con, POPT_BADOPTION_NOALIAS),
						 meant, sizeof(meant)) : "");
	else if (!err)
		err = convert(o, raw, poptPeekArg(con), error);
	poptFreeContext(con);
	return err;
}

int export_options_parse(struct export_options *ret, int argc, char **argv, FILE *out,
			 struct op_reason *error)
{
	struct export_options o = {
		.http = { .agent = "opexport", .timeout = DEFAULT_TIMEOUT, .max_rate = MAX_RATE },
		.every = DEFAULT_EVERY,
	};
	struct raw raw = { .rows = DEFAULT_ROWS };
	const struct poptOption table[] = {
		{ "to", 0, POPT_ARG_STRING, &o.to, 0, "use this database of ClickHouse", "http[s]://[USER@]HOST[:PORT]/DATABASE" },
		{ "otlp", 0, POPT_ARG_STRING, &o.otlp, 0, "send profiles to this collector of OpenTelemetry", "http[s]://[USER@]HOST[:PORT][/PATH]" },
		{ "since", 0, POPT_ARG_STRING, &raw.since, 0, "export intervals that begin at this time or later", "TIME" },
		{ "until", 0, POPT_ARG_STRING, &raw.until, 0, "export intervals that end at this time or earlier", "TIME" },
		{ "rows", 0, POPT_ARG_LONG, &raw.rows, 0, "send at most this number of rows of an interval; 0: all (default 4000)", "N" },
		{ "session-dir", 0, POPT_ARG_STRING, &o.session_dir, 0, "export the intervals of this directory (default "
		  "/var/lib/oprofile)", "DIR" },
		{ "service", 0, POPT_ARG_NONE, &raw.service, 0, "export intervals when they are closed, until a signal ends opexport", NULL },
		{ "cursor", 0, POPT_ARG_STRING, &o.cursor, 0, "with --service or --otlp: keep the end of the exported intervals in this file", "FILE" },
		{ "every", 0, POPT_ARG_LONG, &o.every, 0, "with --service: look for closed intervals every SECONDS seconds (default 30)",
		  "SECONDS" },
		{ "setup-db", 0, POPT_ARG_NONE, &raw.setup_db, 0, "make or upgrade the tables of the database", NULL },
		{ "keep", 0, POPT_ARG_STRING, &raw.keep, 0, "with --setup-db: the server deletes rows of this age", "DAYS" },
		{ "dry-run", 0, POPT_ARG_NONE, &raw.dry_run, 0, "with --setup-db: print the SQL, change nothing", NULL },
		{ "password-file", 0, POPT_ARG_STRING, &o.password_file, 0, "read the user's password, or a token, from the first line of this "
		  "file (default: the systemd credential " FLEET_CREDENTIAL ")", "FILE" },
		{ "ca", 0, POPT_ARG_STRING, &o.ca, 0, "trust servers with certificates of these authorities (default: the system's)", "FILE" },
		{ "cert", 0, POPT_ARG_STRING, &o.cert, 0, "authenticate to the server by this client certificate", "FILE" },
		{ "key", 0, POPT_ARG_STRING, &o.key, 0, "private key of --cert", "FILE" },
		{ "timeout", 0, POPT_ARG_LONG, &o.http.timeout, 0, "give up a request after this time (default 120)", "SECONDS" },
		{ "version", 'v', POPT_ARG_NONE, NULL, OPT_VERSION, "print the version", NULL },
		{ "help", 'h', POPT_ARG_NONE, NULL, OPT_HELP, "print this help", NULL },
		{ "usage", 'u', POPT_ARG_NONE, NULL, OPT_USAGE, "print a short usage message", NULL },
		POPT_TABLEEND
	};
	int err = parse(&o, &raw, argc, argv, table, out, error);

	free(raw.keep);
	free(raw.since);
	free(raw.until);
	if (err)
		export_options_release(&o);
	else
		*ret = o;
	return err;
}

void export_options_release(struct export_options *o)
{
	fleet_target_release(&o->target);
	free(o->to);
	free(o->otlp);
	free(o->password_file);
	free(o->session_dir);
	free(o->cursor);
	free(o->ca);
	free(o->cert);
	free(o->key);
}
