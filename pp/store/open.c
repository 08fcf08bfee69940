// SPDX-License-Identifier: GPL-2.0-or-later
/* open.c -- reads a database, and writes the samples to a temporary session directory. */
#include "config.h"
#include "pp/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/http.h"
#include "fleet/target.h"
#include "intervals/file.h"
#include "intervals/merge.h"
#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/base/plural.h"
#include "libop/cpu/type.h"
#include "pp/session/range.h"
#include "pp/store/build.h"
#include "pp/store/query.h"
#include "pp/store/worst.h"

#define DEFAULT_TIME	"-1h..now"
#define LEVEL		1	/* zstd's level of compression of the temporary intervals */
#define MAX_ANSWER	(400u << 20)	/* maximum length of an answer in bytes */
#define MAX_COPIES	1000000	/* maximum number of intervals of one time */
/* If the intervals have more rows or different begins, the server adds up the samples of slices. */
#define MAX_EXACT_ROWS	1500000u
#define MAX_EXACT_TIMES	3000u
#define NR_SLICES	48	/* approximate maximum number of these slices */
#define NR_COLUMNS	12	/* half of the approximate maximum number of slices of --by=time */

/* State while a database is read. */
struct opening {
	struct fleet_target target;
	struct fleet_http *http;
	struct store_query query;
	struct store_times times;
	struct store_sessions sessions;
	struct store_samples samples;
	struct store_stacks stacks;
	struct store_builder builder;
	struct store_worst worst;
	struct pp_values chosen;	/* hosts of a report with .nr_worst, if they are too many */
	unsigned int nr_worst;
	struct pp_store *store;
	char hosts[300];	/* name of the host, or the number of hosts */
	/* number of intervals without a usable accounting, and the host of the first */
	size_t nr_unknown;
	const char *unknown_host;
	int dir;		/* descriptor of the directory of intervals */
	struct pp_log *log;
};

/* Explain an error of a query. */
static int explain(struct opening *o, int err)
{
	struct op_reason *error = &o->log->error;
	const char *text = error->text, *code = strstr(text, "Code: ");
	struct op_reason old = *error;

	if (err == FLEET_ERR_TOO_LONG)
		return op_fail(error, -E2BIG, "%s; choose a service (service:NAME), a host "
			       "(host:NAME), or a shorter time", old.text);
	if (err != FLEET_ERR_EXCEPTION || !code)
		return err;
	switch (atoi(code + strlen("Code: "))) {
	case 60:	/* UNKNOWN_TABLE */
	case 81:	/* UNKNOWN_DATABASE */
	case 47:	/* UNKNOWN_IDENTIFIER */
	case 16:	/* NO_SUCH_COLUMN_IN_TABLE */
		return op_fail(error, err, "the database %s has no tables of this version of "
			       "opexport: check its name, or run opexport --setup-db (%s)",
			       o->target.database, old.text);
	case 497:	/* ACCESS_DENIED */
		return op_fail(error, err, "the user %s may not read the tables: give it the role of "
			       "readers, reader.sql (%s)", o->target.user, old.text);
	default:
		return err;
	}
}

/* Send the query that @write writes. @answer: the rows, whose memory the caller frees as
 * answer->text. */
static int ask(struct opening *o, void (*write)(FILE *out, const struct store_query *query),
	       struct fleet_answer *answer, struct store_rows *rows)
{
	struct fleet_request request = {
		.database = o->target.database, .max_answer = MAX_ANSWER, .is_data = true,
	};
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int err;

	if (!out)
		return -ENOMEM;
	write(out, &o->query);
	if (fclose(out)) {
		free(sql);
		return -ENOMEM;
	}
	pp_verbose(o->log, "query: %s", sql);
	request.sql = sql;
	err = fleet_http_send(o->http, &request, answer, &o->log->error);
	free(sql);
	if (err)
		return explain(o, err);
	pp_verbose(o->log, "answer: %zu bytes", answer->len);
	*rows = (struct store_rows){ answer->text, answer->text + answer->len, false };
	return 0;
}

static int too_many(const struct opening *o, const char *what, unsigned int max)
{
	return op_fail(&o->log->error, -E2BIG, "the report needs more than %u %s: choose a "
		       "service (service:NAME), a host (host:NAME), or a shorter time", max, what);
}

/* Return the shortest round length of slices in seconds, of which fewer than @max fit completely
 * into @seconds. */
static uint32_t round_step(uint32_t seconds, uint32_t max)
{
	static const uint32_t steps[] = {
		60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400,
		7 * 86400, 30 * 86400, 365 * 86400,
	};
	size_t i = 0;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) && seconds / steps[i] >= max)
		i++;
	return steps[i];
}

/* Decide which intervals the server adds up. */
static void divide(struct opening *o)
{
	const struct store_sessions *s = &o->sessions;
	const uint32_t begin = s->items[0].begin, length = s->items[s->nr - 1].begin - begin + 1;
	size_t nr_times = 1;

	for (size_t i = 1; i < s->nr; i++)
		nr_times += s->items[i].begin != s->items[i - 1].begin;
	if (o->query.by == PP_BY_TIME)
		o->times.step = round_step(length, 2 * NR_COLUMNS);
	else if (s->rows > MAX_EXACT_ROWS || nr_times > MAX_EXACT_TIMES)
		o->times.step = round_step(length, NR_SLICES);
	o->times.begin = o->times.step ? begin - begin % o->times.step : 0;
}

static int read_sessions(struct opening *o)
{
	struct fleet_answer answer = { .text = NULL };
	struct store_rows rows;
	int err = ask(o, store_query_sessions, &answer, &rows);

	if (!err)
		err = store_sessions_read(&o->sessions, &rows, &o->log->error);
	free(answer.text);
	if (err)
		return err;
	if (o->sessions.nr > STORE_MAX_SESSIONS)
		return too_many(o, "intervals", STORE_MAX_SESSIONS);
	if (!o->sessions.nr)
		return op_fail(&o->log->error, -ENODATA, "the database has no intervals of this "
			       "time%s: choose another time with --since=TIME; the times of each "
			       "host: SELECT host, min(t), max(end) FROM sessions GROUP BY host",
			       o->query.spec->tags[PP_TAG_HOST].nr ? " and host" : "");
	o->store->nr_hosts = o->sessions.nr_hosts;
	if (o->sessions.nr_hosts == 1)
		snprintf(o->hosts, sizeof(o->hosts), "%s", o->sessions.items[0].host);
	else
		snprintf(o->hosts, sizeof(o->hosts), "%zu hosts", o->sessions.nr_hosts);
	divide(o);
	return 0;
}

/* Run the query that @write writes, and read its answer by @read. */
static int ask_worst(struct opening *o,
		     void (*write)(FILE *out, const struct store_query *query),
		     int (*read)(struct store_worst *w, struct store_rows *rows,
				 struct op_reason *error))
{
	struct fleet_answer answer = { .text = NULL };
	struct store_rows rows;
	int err = ask(o, write, &answer, &rows);

	if (!err)
		err = read(&o->worst, &rows, &o->log->error);
	free(answer.text);
	return err;
}

/* If the report has too many hosts for a column of each, choose the hosts between which the shares
 * of functions differ most. */
static int choose_hosts(struct opening *o)
{
	struct store_worst *w = &o->worst;
	int err = ask_worst(o, store_query_totals, store_worst_read_totals);

	if (err || w->nr_hosts <= STORE_MAX_COLUMNS)
		return err;
	o->query.functions = &w->functions;
	err = ask_worst(o, store_query_extremes, store_worst_read_extremes);
	if (!err && w->functions.nr)
		err = ask_worst(o, store_query_holders, store_worst_read_holders);
	if (!err)
		err = store_worst_choose(&o->chosen, w, o->nr_worst);
	if (err || !o->chosen.nr)
		return err;
	o->query.hosts = &o->chosen;
	pp_note(o->log, "%zu hosts are too many columns: the report has the %zu hosts between which "
		"the shares differ most", w->nr_hosts, o->chosen.nr);
	return 0;
}

static int read_first(struct opening *o)
{
	struct fleet_answer answer = { .text = NULL };
	struct store_rows rows;
	int err = ask(o, store_query_first, &answer, &rows);

	if (!err)
		o->store->first = store_next_row(&rows) ? store_u32(&rows) : 0;
	free(answer.text);
	return err;
}

static int read_samples(struct opening *o)
{
	struct fleet_answer answer = { .text = NULL };
	struct store_rows rows;
	int err = ask(o, store_query_samples, &answer, &rows);

	if (!err)
		err = store_samples_read(&o->samples, &rows, &o->log->error);
	free(answer.text);
	if (!err && o->samples.nr > STORE_MAX_ROWS)
		err = too_many(o, "rows of samples", STORE_MAX_ROWS);
	if (!err && !o->samples.nr)
		err = op_fail(&o->log->error, -ENODATA, "no samples in the %zu %s of this time "
			      "match the arguments after the options", o->sessions.nr,
			      op_plural(o->sessions.nr, "interval", "intervals"));
	return err;
}

static int read_stacks(struct opening *o)
{
	struct fleet_answer answer = { .text = NULL };
	struct store_rows rows;
	int err = ask(o, store_query_stacks, &answer, &rows);

	if (!err)
		err = store_stacks_read(&o->stacks, &o->store->names, &rows, &o->log->error);
	free(answer.text);
	pp_names_finish(&o->store->names);
	return err;
}

static uint32_t slice_of(const struct store_times *times, uint32_t t)
{
	if (!times->step || t < times->begin)
		return t;
	return times->begin + (t - times->begin) / times->step * times->step;
}

/* An interval to be written: its sessions and samples. */
struct part {
	size_t session, nr_sessions, sample, nr_samples;
	/* only sessions of this host; NULL: of all hosts */
	const char *host;
	uint32_t column;	/* number of the column, plus 1; 0: no columns */
	bool has_accounting;	/* the accounting of the sessions is added */
};

static bool is_of(const struct opening *o, const struct part *part, size_t session)
{
	return !part->host || !strcmp(o->sessions.items[session].host, part->host);
}

/* Add the accounting of the part's sessions to *@ret, and set the times of @entry. */
static int account(struct opening *o, const struct part *part, struct itv *ret,
		   struct itv_entry *entry)
{
	const char *host = part->host ? part->host : o->hosts;
	size_t nr = 0;
	int err = 0;

	for (size_t i = part->session; i < part->session + part->nr_sessions && !err; i++) {
		const struct store_session *session = &o->sessions.items[i];
		const struct itv_entry named = store_session_entry(session);
		struct itv one = { .nr_images = 0 };

		if (!is_of(o, part, i))
			continue;
		entry->begin = nr && entry->begin < session->begin ? entry->begin : session->begin;
		entry->end = nr && entry->end > session->end ? entry->end : session->end;
		entry->step = nr++ ? 0 : named.step;
		if (o->sessions.nr_hosts == 1)
			entry->kernel = named.kernel;
		if (!part->has_accounting)
			continue;
		err = store_session_accounting(&one.accounting, &o->sessions, session, host,
					       &ret->accounting);
		if (err > 0)
			o->unknown_host = o->nr_unknown++ ? o->unknown_host : session->host;
		if (err >= 0)
			err = itv_merge(ret, &one, NULL);
		itv_release(&one);
	}
	if (part->column)
		entry->kernel = part->column;
	ret->accounting.kernel = entry->kernel;
	return err;
}

/* Write an interval to a new file. */
static int write_file(const struct opening *o, const struct itv *v, struct itv_entry *entry)
{
	int fd = -EEXIST, err;

	for (; fd == -EEXIST && entry->copy < MAX_COPIES; entry->copy++) {
		itv_name(entry->name, entry);
		fd = openat(o->dir, entry->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		fd = fd < 0 ? -errno : fd;
	}
	if (fd < 0)
		return fd;
	err = itv_file_write(v, fd, LEVEL, NULL);
	close(fd);
	return err;
}

static int write_part(struct opening *o, const struct part *part)
{
	struct itv_entry entry = { .step = 0 };
	struct itv v = { .nr_images = 0 };
	int err = account(o, part, &v, &entry);

	if (!err)
		err = store_build(&o->builder, &v, part->sample, part->nr_samples);
	if (!err)
		err = write_file(o, &v, &entry);
	itv_release(&v);
	return err;
}

/* Write the intervals of the columns of a slice: the @nr samples from @first on. */
static int write_columns(struct opening *o, const struct part *slice)
{
	const size_t end = slice->sample + slice->nr_samples;
	const bool by_host = o->query.by == PP_BY_HOST;
	int err = 0;

	for (size_t i = slice->sample, next; i < end && !err; i = next) {
		const uint32_t column = o->samples.items[i].column;
		struct part part = *slice;

		for (next = i; next < end && o->samples.items[next].column == column; next++)
			;
		part.sample = i;
		part.nr_samples = next - i;
		part.column = column + 1;
		part.host = by_host ? o->samples.columns[column] : NULL;
		/* the losses of a host cannot be divided among its services */
		part.has_accounting = by_host || i == slice->sample;
		err = write_part(o, &part);
	}
	return err;
}

/* Add the title of the column of --by=time that begins at @time, and return its number plus 1, or
 * 0 if memory is short. */
static uint32_t column_of_time(struct opening *o, uint32_t time)
{
	struct pp_store *store = o->store;
	char text[OP_TIME_TEXT_SIZE];

	if (op_grow(&store->columns, store->nr_columns))
		return 0;
	store->columns[store->nr_columns] = strdup(op_time_text(text, time));
	return store->columns[store->nr_columns] ? (uint32_t)++store->nr_columns : 0;
}

static int write_slice(struct opening *o, struct part *slice, uint32_t time)
{
	slice->has_accounting = true;
	if (o->query.by == PP_BY_NONE)
		return write_part(o, slice);
	if (o->query.by != PP_BY_TIME)
		return write_columns(o, slice);
	if (!slice->nr_samples)
		return 0;
	slice->column = column_of_time(o, time);
	return slice->column ? write_part(o, slice) : -ENOMEM;
}

static int write_slices(struct opening *o)
{
	const struct store_sessions *sessions = &o->sessions;
	const struct store_samples *samples = &o->samples;
	struct part slice = { .session = 0 };
	int err = 0;

	while (slice.session < sessions->nr && !err) {
		const uint32_t time = slice_of(&o->times, sessions->items[slice.session].begin);

		slice.nr_sessions = slice.nr_samples = 0;
		while (slice.session + slice.nr_sessions < sessions->nr &&
		       slice_of(&o->times,
				sessions->items[slice.session + slice.nr_sessions].begin) == time)
			slice.nr_sessions++;
		/* samples of an interval that was completed between the two queries */
		while (slice.sample < samples->nr && samples->items[slice.sample].slice < time)
			slice.sample++;
		while (slice.sample + slice.nr_samples < samples->nr &&
		       samples->items[slice.sample + slice.nr_samples].slice == time)
			slice.nr_samples++;
		err = write_slice(o, &slice, time);
		slice.session += slice.nr_sessions;
		slice.sample += slice.nr_samples;
	}
	return err;
}

static int copy_columns(struct opening *o)
{
	if (o->query.by == PP_BY_NONE || o->query.by == PP_BY_TIME)
		return 0;
	for (size_t i = 0; i < o->samples.nr_columns; i++) {
		const char *title = o->samples.columns[i];

		if (op_grow(&o->store->columns, i))
			return -ENOMEM;
		o->store->columns[i] = strdup(*title ? title : "[unknown]");
		if (!o->store->columns[i])
			return -ENOMEM;
		o->store->nr_columns++;
	}
	return 0;
}

static int write_store(struct opening *o)
{
	int samples = pp_scratch_make(&o->store->scratch, false), err = samples;

	if (samples < 0)
		return samples;
	err = mkdirat(samples, ITV_STORE_DIR, 0700) ? -errno : 0;
	if (!err)
		o->dir = openat(samples, ITV_STORE_DIR,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!err && o->dir < 0)
		err = -errno;
	close(samples);
	for (size_t i = 0; i < o->sessions.nr; i++) {
		const struct op_cpu_desc *cpu = op_cpu_by_name(o->sessions.items[i].cpu);

		if (cpu && !o->builder.cpu_type)
			o->builder.cpu_type = (uint32_t)cpu->number;
		if (o->sessions.items[i].mhz > o->builder.mhz)
			o->builder.mhz = o->sessions.items[i].mhz;
	}
	o->builder.names = &o->store->names;
	o->builder.stacks = &o->stacks;
	o->builder.samples = &o->samples;
	if (!err)
		err = store_builder_init(&o->builder);
	if (!err)
		err = copy_columns(o);
	if (!err)
		err = write_slices(o);
	if (err && !*o->log->error.text)
		op_fail(&o->log->error, err, "cannot write the samples of the database to %s: %s",
			o->store->scratch.dir, itv_strerror(err));
	return err;
}

/* Warn of rows that cannot be used, of rows that the hosts did not send, and of samples without a
 * stack. */
static void warn(const struct opening *o)
{
	size_t nr = 0;

	if (o->sessions.nr_newer)
		pp_warn(o->log, "%zu %s, the first of the host %s, need a newer opreport and are left "
			"out: upgrade oprofile on this host", o->sessions.nr_newer,
			op_plural(o->sessions.nr_newer, "interval", "intervals"),
			o->sessions.newer_host);
	if (o->nr_unknown)
		pp_warn(o->log, "the accounting of %zu %s, the first of the host %s, is damaged or too "
			"large: the totals of samples taken and lost do not contain it", o->nr_unknown,
			op_plural(o->nr_unknown, "interval", "intervals"), o->unknown_host);

	for (size_t i = 0; i < o->sessions.nr; i++)
		nr += o->sessions.items[i].sent != o->sessions.items[i].samples;
	if (nr)
		pp_note(o->log, "%zu of %zu intervals were thinned (opexport --rows), so their counts "
			"are unbiased estimates", nr, o->sessions.nr);
	if (o->builder.unknown)
		pp_warn(o->log, "the database has no stacks of %" PRIu64 " samples: the server "
			"deleted them because of their age, or a user deleted them",
			o->builder.unknown);
}

static int connect_to(struct opening *o, const struct pp_store_options *options)
{
	const struct pp_values *urls = &o->query.spec->tags[PP_TAG_STORE];
	struct op_reason *error = &o->log->error;
	const struct fleet_http_options http = {
		.agent = "oprofile", .timeout = options->timeout,
	};
	int err;

	if (urls->nr > 1)
		return op_fail(error, -EINVAL, "a report reads only one database; to compare two, "
			       "write { clickhouse://A } { clickhouse://B }");
	o->target = (struct fleet_target){
		.option = "the URL of the database", .ca = options->ca, .cert = options->cert,
		.key = options->key,
	};
	err = fleet_target_parse(&o->target, urls->items[0], error);
	if (!err)
		err = fleet_target_read_password(&o->target, options->password_file, error);
	if (err)
		return err;
	/* Keep the password out of core files, and from other processes of this user. */
	if (o->target.password)
		prctl(PR_SET_DUMPABLE, 0);
	if (o->target.password && o->target.is_plain)
		pp_warn(o->log, "%s: the password and the samples are not encrypted on the network: "
			"use clickhouses://", o->target.url);
	o->query.database = o->target.database;
	return fleet_http_create(&o->http, &o->target, &http, error);
}

static int read_all(struct opening *o, const struct pp_spec *spec)
{
	int err = store_query_check(spec, o->log);

	if (!err)
		err = pp_range_parse(&o->times.asked, &o->times.nr_asked,
				     &spec->tags[PP_TAG_TIME], o->log);
	if (!err && o->nr_worst)
		err = choose_hosts(o);
	if (!err)
		err = read_sessions(o);
	if (!err)
		err = read_first(o);
	if (!err)
		err = read_samples(o);
	if (!err)
		err = read_stacks(o);
	if (!err)
		err = write_store(o);
	if (!err)
		warn(o);
	return err;
}

int pp_store_open(struct pp_store **ret, struct pp_spec *spec,
		  const struct pp_store_options *options, struct pp_log *log)
{
	struct opening o = {
		.query = { .spec = spec, .by = options->by }, .dir = -1, .log = log,
		.nr_worst = options->worst,
		.store = calloc(1, sizeof(*o.store)),
	};
	static const char *const columns[] = {
		[PP_BY_HOST] = "host", [PP_BY_SERVICE] = "service", [PP_BY_VERSION] = "version",
		[PP_BY_TIME] = "time",
	};
	int err = o.store ? 0 : -ENOMEM;

	o.query.times = &o.times;
	if (!err) {
		o.store->scratch.lock_fd = -1;
		o.store->column = columns[options->by];
	}
	if (!err && !spec->tags[PP_TAG_TIME].nr) {
		pp_note(log, "these are the samples of the last hour; --since=TIME chooses another "
			"time");
		err = pp_spec_set_time(spec, DEFAULT_TIME);
	}
	if (!err)
		err = connect_to(&o, options);
	if (!err)
		err = read_all(&o, spec);
	if (o.dir >= 0)
		close(o.dir);
	fleet_http_destroy(o.http);
	fleet_target_release(&o.target);
	store_sessions_release(&o.sessions);
	store_samples_release(&o.samples);
	store_stacks_release(&o.stacks);
	store_builder_release(&o.builder);
	store_worst_release(&o.worst);
	pp_values_release(&o.chosen);
	free(o.times.asked);
	if (err) {
		pp_store_close(o.store);
		return err;
	}
	spec->store = o.store;
	*ret = o.store;
	return 0;
}

void pp_store_close(struct pp_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->nr_columns; i++)
		free(store->columns[i]);
	free(store->columns);
	pp_names_release(&store->names);
	pp_scratch_release(&store->scratch);
	free(store);
}
