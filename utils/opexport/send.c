// SPDX-License-Identifier: GPL-2.0-or-later
/* send.c -- sends an interval to the server, exactly once. */
#include "config.h"
#include "utils/opexport/send.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "utils/opexport/schema.h"
#include "utils/opexport/setup.h"

#define SUFFIX_DIGITS	8	/* digits of the machine's id in the name of a host */
#define HOST_SIZE	sizeof(((struct export_host *)0)->name)
#define ID_SIZE		80

/* Write @text as a string of SQL, with quotes. */
static void put_quoted(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('\'', out);
}

/* Close the memory stream @out, run its text *@sql as a query, and free the text. */
static int query(struct export_sender *s, FILE *out, char **sql, struct fleet_answer *ret,
		 struct op_reason *error)
{
	int err = out && !fclose(out) ? 0 : -ENOMEM;

	if (!err)
		err = fleet_http_query(s->http, NULL, *sql, ret, error);
	free(*sql);
	return err;
}

static int fail_answer(struct op_reason *error)
{
	return op_fail(error, FLEET_ERR_NOT_SERVER, "unexpected answer to a query: check host and "
		       "port of --to");
}

/* Write the name of this host for tables in which its own name is another machine's: with digits of
 * s->host.machine. */
static void longer_name(char ret[HOST_SIZE], const struct export_sender *s)
{
	const size_t max = sizeof(s->host.name) - SUFFIX_DIGITS - 2;

	snprintf(ret, sizeof(s->host.name), "%.*s-%.*s", (int)max, s->own_name, SUFFIX_DIGITS,
		 s->host.machine);
}

/* Append a list of both names of this host. */
static void put_names(FILE *out, const struct export_sender *s)
{
	char longer[sizeof(s->host.name)];

	longer_name(longer, s);
	put_quoted(out, s->own_name);
	fputs(", ", out);
	put_quoted(out, longer);
}

/* Set *@is_first to false if another machine was the first to send an interval under the name of
 * this host, or if this machine has used its longer name; otherwise to true. A machine keeps its
 * longer name after the server has deleted the other machine's rows. */
static int look_for_others(struct export_sender *s, bool *is_first, struct op_reason *error)
{
	struct fleet_answer answer = { .text = NULL };
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int err;

	if (out) {
		fputs("SELECT host = ", out);
		put_quoted(out, s->own_name);
		fprintf(out, ", machine FROM `%s`.sessions WHERE host IN (", s->database);
		put_names(out, s);
		fputs(") GROUP BY host, machine ORDER BY host = ", out);
		put_quoted(out, s->own_name);
		fputs(", min(t), machine LIMIT 1 FORMAT TabSeparated", out);
	}
	err = query(s, out, &sql, &answer, error);
	if (err)
		return err;
	answer.text[strcspn(answer.text, "\n")] = '\0';
	*is_first = !*answer.text || (!strncmp(answer.text, "1\t", 2) &&
				      !strcmp(answer.text + 2, s->host.machine));
	free(answer.text);
	return 0;
}

/* Make s->host.name unique: if another machine has sent intervals under this name first, append
 * digits of s->host.machine, and log a warning. */
static int name_host(struct export_sender *s, struct pp_log *log)
{
	char name[sizeof(s->host.name)];
	bool is_first;
	int err;

	if (!*s->own_name)
		strcpy(s->own_name, s->host.name);
	err = look_for_others(s, &is_first, &log->error);
	if (err)
		return err;
	longer_name(name, s);
	if (!is_first && strcmp(s->host.name, name))
		pp_warn(log, "another machine exports as the host %s: this one exports as %s",
			s->own_name, name);
	strcpy(s->host.name, is_first ? s->own_name : name);
	return 0;
}

static int connect_server(struct export_sender *s, struct pp_log *log)
{
	int err = export_features_read(&s->features, s->http, &log->error);

	if (!err)
		err = export_setup_check(s->http, s->database, &log->error);
	return err ? err : name_host(s, log);
}

/* Parse the name of an interval in table sessions, without the suffix of the file. */
static bool parse_name(struct itv_entry *ret, const char *name)
{
	char file[ITV_NAME_SIZE];
	const int len = snprintf(file, sizeof(file), "%s" ITV_SUFFIX, name);

	return len > 0 && (size_t)len < sizeof(file) && itv_name_parse(ret, file);
}

/* Parse the first begin and the last end of the host's intervals on the server. The server may have
 * deleted the names of intervals before the first one. */
static int parse_times(struct export_progress *p, const char *text, int64_t since)
{
	int64_t begin, end;

	if (sscanf(text, "%" SCNd64 " %" SCNd64, &begin, &end) != 2)
		return -EINVAL;
	if (end) {
		p->until = end;
		p->names_since = begin > since ? begin : since;
	}
	return 0;
}

static int read_progress(struct export_progress *ret, struct export_sender *s, int64_t since,
			 struct op_reason *error)
{
	struct export_progress p = { .until = INT64_MIN, .names_since = INT64_MAX };
	struct fleet_answer answer = { .text = NULL };
	struct itv_entry entry;
	char *sql = NULL, *rest, *line;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int err;

	if (out) {
		fprintf(out, "SELECT 'times', concat(toString(toUInt32(min(t))), ' ', "
			"toString(toUInt32(max(end)))) FROM `%s`.sessions WHERE host IN (", s->database);
		put_names(out, s);
		fprintf(out, ") AND machine = '%s' UNION ALL SELECT 'name', name FROM `%s`.sessions WHERE "
			"t >= toDateTime(%" PRId64 ") AND host IN (", s->host.machine, s->database,
			since < 0 ? 0 : since);
		put_names(out, s);
		fprintf(out, ") AND machine = '%s' FORMAT TabSeparated", s->host.machine);
	}
	err = query(s, out, &sql, &answer, error);
	if (err)
		return err;
	for (rest = answer.text; !err && (line = strsep(&rest, "\n")) && *line;) {
		const char *kind = strsep(&line, "\t");

		if (!line || (strcmp(kind, "times") && strcmp(kind, "name")) ||
		    (!strcmp(kind, "times") && parse_times(&p, line, since)))
			err = fail_answer(error);
		else if (!strcmp(kind, "name") && parse_name(&entry, line))
			/* Names of another form are ignored. */
			err = export_progress_add_name(&p, line);
	}
	free(answer.text);
	export_progress_sort(&p);
	if (err)
		export_progress_release(&p);
	else
		*ret = p;
	return err;
}

/* The export of one interval. */
struct job {
	struct export_sender *s;
	const struct export_interval *interval;
	char name[ITV_NAME_SIZE];
	struct op_reason *error;
	uint64_t bytes;		/* bytes of the requests so far */
	/* the server may have stored an earlier INSERT of the interval, whose answer was lost */
	bool is_unsure;
};

/* Return whether an INSERT of this interval, or of a part of it, may have been sent. */
static bool may_be_sent(const struct export_sender *s, const struct itv_entry *entry)
{
	if (entry->end <= s->unsure_until)
		return true;
	for (size_t i = 0; i < s->nr_tried; i++)
		if (s->tried[i].begin == entry->begin)
			return true;
	return false;
}

/* Note that an INSERT of the interval is sent. Return 0 or -ENOMEM. */
static int note_tried(const struct job *job)
{
	struct export_sender *s = job->s;

	for (size_t i = 0; i < s->nr_tried; i++)
		if (!strcmp(s->tried[i].name, job->name))
			return 0;
	if (op_grow(&s->tried, s->nr_tried))
		return -ENOMEM;
	strcpy(s->tried[s->nr_tried].name, job->name);
	s->tried[s->nr_tried++].begin = job->interval->entry.begin;
	return 0;
}

/* Note that the interval is complete. */
static void note_complete(const struct job *job)
{
	struct export_sender *s = job->s;
	size_t nr = 0;

	for (size_t i = 0; i < s->nr_tried; i++)
		if (strcmp(s->tried[i].name, job->name))
			s->tried[nr++] = s->tried[i];
	s->nr_tried = nr;
	strcpy(s->last, job->name);
	s->last_begin = job->interval->entry.begin;
}

/* Facts about the rows of table sessions with the host and the begin of the interval. */
struct there {
	int64_t now;		/* time of the server's clock, in seconds since 1970 */
	uint64_t nr_sessions;	/* number of rows with the name of the interval */
	/* number of rows of other machines; sum of .sent of all rows */
	uint64_t nr_others, accounted;
	/* number of rows of the interval that was sent last; 0 if the tables are new */
	uint64_t nr_last;
};

static void put_host_and_time(FILE *out, const struct job *job)
{
	fputs("host = ", out);
	put_quoted(out, job->s->host.name);
	fprintf(out, " AND t = toDateTime(%" PRId64 ")", job->interval->entry.begin);
}

static int look(struct there *ret, struct job *job)
{
	const int64_t begin = job->interval->entry.begin;
	const struct export_sender *s = job->s;
	struct fleet_answer answer = { .text = NULL };
	struct there t;
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int err;

	if (out) {
		fprintf(out, "SELECT toUInt32(now()), countIf(name = '%s'), countIf(machine != '%s' AND "
			"t = toDateTime(%" PRId64 ")), sumIf(sent, t = toDateTime(%" PRId64 ")), "
			"countIf(name = '%s') FROM `%s`.sessions WHERE host = ", job->name,
			s->host.machine, begin, begin, s->last, s->database);
		put_quoted(out, s->host.name);
		fprintf(out, " AND t IN (toDateTime(%" PRId64 "), toDateTime(%" PRId64 ")) FORMAT "
			"TabSeparated", begin, *s->last ? s->last_begin : begin);
	}
	err = query(job->s, out, &sql, &answer, job->error);
	if (err)
		return err;
	if (sscanf(answer.text, "%" SCNd64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64, &t.now,
		   &t.nr_sessions, &t.nr_others, &t.accounted, &t.nr_last) == 5)
		*ret = t;
	else
		err = fail_answer(job->error);
	free(answer.text);
	return err;
}

/* Run a query with one number as its answer. */
static int ask_number(uint64_t *ret, struct job *job, FILE *out, char **sql)
{
	struct fleet_answer answer = { .text = NULL };
	int err = query(job->s, out, sql, &answer, job->error);

	if (!err && sscanf(answer.text, "%" SCNu64, ret) != 1)
		err = fail_answer(job->error);
	free(answer.text);
	return err;
}

/* Write the first part of the ids of this host's queries. The name of the host distinguishes
 * machines that were copied with their id. */
static void put_id(char id[ID_SIZE], const struct job *job)
{
	snprintf(id, ID_SIZE, "oprofile/%s-%016" PRIx64, job->s->host.machine,
		 op_hash_text(OP_HASH_BEGIN, job->s->host.name));
}

/* Fail if the server still runs an earlier INSERT of this host: of the interval, or of a part that
 * the daemon has merged since. */
static int check_idle(struct job *job)
{
	uint64_t nr = 0;
	char *sql = NULL, id[ID_SIZE];
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int err;

	put_id(id, job);
	if (out)
		fprintf(out, "SELECT count() FROM system.processes WHERE query_id LIKE '%s/%%' "
			"FORMAT TabSeparated", id);
	err = ask_number(&nr, job, out, &sql);
	if (!err && nr)
		err = op_fail(job->error, EXPORT_ERR_BUSY, "the server still runs an earlier INSERT "
			      "of the host %s", job->s->host.name);
	return err;
}

/* Set *@ret to the sum of the counts with this host and time in table samples. The query names the
 * events, because the event is the first column of the key: otherwise the server would read the
 * whole day. */
static int sum_samples(uint64_t *ret, struct job *job, const struct export_rows *rows)
{
	const char *last = NULL;
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);

	if (out) {
		fprintf(out, "SELECT sum(count) FROM `%s`.samples WHERE event IN (''", job->s->database);
		for (size_t i = 0; i < rows->nr_totals; i++) {
			if (rows->totals[i].event == last)
				continue;
			last = rows->totals[i].event;
			fputs(", ", out);
			put_quoted(out, last);
		}
		fputs(") AND ", out);
		put_host_and_time(out, job);
		fputs(" FORMAT TabSeparated", out);
	}
	return ask_number(ret, job, out, &sql);
}

/* Return how the server takes bodies of requests. */
static enum export_packing packing_of(const struct export_sender *s)
{
	return s->features.has_zstd ? EXPORT_ZSTD : EXPORT_GZIP;
}

/* Send an INSERT of @rows, which are compressed, into the table. The rows have the columns before
 * the first column with a default value. */
static int insert(struct job *job, unsigned int table, const struct export_bytes *rows)
{
	const struct export_table *t = &export_tables[table];
	const struct export_features *f = &job->s->features;
	char *sql = NULL, first[ID_SIZE], id[ID_SIZE + ITV_NAME_SIZE + 20], settings[400];
	struct fleet_request request = {
		.id = id, .settings = settings, .body = rows->data, .len = rows->len,
		.encoding = export_packing_name(packing_of(job->s)),
	};
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int err;

	put_id(first, job);
	snprintf(id, sizeof(id), "%s/%s/%s", first, job->name, t->name);
	/* the user's profile may have smaller blocks, of which each is stored alone */
	snprintf(settings, sizeof(settings),
		 "insert_deduplicate=1&max_insert_block_size=1048576%s%s%s",
		 f->has_async ? "&async_insert=0" : "",
		 f->has_tokens ? "&insert_deduplication_token=" : "", f->has_tokens ? id : "");
	if (out) {
		fprintf(out, "INSERT INTO `%s`.`%s` (", job->s->database, t->name);
		for (size_t i = 0; i < t->nr_columns && !t->columns[i].value; i++)
			fprintf(out, "%s`%s`", i ? ", " : "", t->columns[i].name);
		fputs(") FORMAT RowBinary", out);
	}
	err = out && !fclose(out) ? note_tried(job) : -ENOMEM;
	if (!err) {
		request.sql = sql;
		job->bytes += rows->len;
		err = fleet_http_send(job->s->http, &request, NULL, job->error);
	}
	free(sql);
	return err;
}

/* Send stacks and samples, unless the server has stored the samples in an earlier attempt. Set
 * *@sent to the sum of the counts that the server has. */
static int send_samples(struct job *job, const struct export_rows *rows,
			const struct export_batch *batch, uint64_t accounted, uint64_t *sent)
{
	uint64_t sum = 0;
	int err = 0;

	*sent = batch->sent;
	if (!batch->nr_samples)
		return 0;
	if (job->is_unsure) {
		err = sum_samples(&sum, job, rows);
		if (err)
			return err;
		if (sum > accounted) {
			*sent = sum - accounted;
			return 0;
		}
	}
	if (batch->nr_stacks)
		err = insert(job, EXPORT_STACKS, &batch->stacks);
	if (!err)
		export_batch_note_stacks(&job->s->known, batch, job->interval->entry.begin);
	return err ? err : insert(job, EXPORT_SAMPLES, &batch->samples);
}

static int send_rows(struct job *job, const struct export_rows *rows, uint64_t accounted,
		     const struct export_gap *gaps, size_t nr_gaps, struct export_sent *ret)
{
	struct export_session_row row = {
		.host = &job->s->host, .interval = job->interval, .rows = rows, .nr_gaps = nr_gaps,
	};
	const struct itv_entry *entry = &job->interval->entry;
	struct export_bytes session = { .data = NULL };
	struct export_gap *all = calloc(nr_gaps + 1, sizeof(*all));
	struct export_batch batch;
	int err = all ? export_batch_make(&batch, rows, &job->s->host, entry, job->s->max_rows,
					  &job->s->known, packing_of(job->s)) : -ENOMEM;

	if (err) {
		free(all);
		return err;
	}
	if (nr_gaps)
		memcpy(all, gaps, nr_gaps * sizeof(*all));
	err = send_samples(job, rows, &batch, accounted, &row.sent);
	/* a part was sent without its session, and then the daemon merged it with others */
	if (!err && row.sent < batch.sent && export_interval_is_merged(&job->interval->accounting))
		all[row.nr_gaps++] = (struct export_gap){ entry->begin, entry->end,
							  EXPORT_MERGED_GAP };
	row.gaps = all;
	row.nr_rows = batch.nr_samples;
	row.nr_thinned = batch.nr_thinned;
	if (!err)
		err = export_bytes_pack(&session, packing_of(job->s));
	if (!err)
		err = export_session_row(&session, &row);
	if (!err)
		err = export_bytes_finish(&session);
	if (!err)
		err = insert(job, EXPORT_SESSIONS, &session);
	*ret = (struct export_sent){
		.samples = rows->samples, .bytes = job->bytes, .nr_rows = batch.nr_samples,
		.nr_thinned = batch.nr_thinned,
	};
	free(all);
	export_bytes_release(&session);
	export_batch_release(&batch);
	return err;
}

static int check_there(const struct job *job, const struct there *t)
{
	const int64_t ahead = job->interval->entry.end - t->now;

	if (t->nr_others)
		return op_fail(job->error, EXPORT_ERR_HOST, "another machine exports as the host %s, "
			       "too", job->s->host.name);
	if (ahead > EXPORT_MAX_AHEAD)
		return op_fail(job->error, EXPORT_ERR_CLOCK, "%s ends %" PRId64 " s after the time of "
			       "the server's clock: set the clock of this host, or of the server",
			       job->name, ahead);
	return 0;
}

/* The tables are new since the last interval: send all stacks again. */
static void forget_stacks(struct export_sender *s)
{
	free(s->known.ids);
	s->known = (struct export_sent_stacks){ .ids = NULL };
}

static int send_interval(struct export_sender *s, const struct export_interval *interval,
			 const struct export_gap *gaps, size_t nr_gaps, struct export_sent *ret,
			 struct op_reason *error)
{
	struct job job = { .s = s, .interval = interval, .error = error };
	struct export_rows rows = { .nr = 0 };
	struct there there = { .now = 0 };
	int err = 0;

	export_interval_name(job.name, &interval->entry);
	job.is_unsure = may_be_sent(s, &interval->entry);
	/* first, because an INSERT that ends between two queries would be missed otherwise */
	if (job.is_unsure)
		err = check_idle(&job);
	if (!err)
		err = look(&there, &job);
	if (!err)
		err = check_there(&job, &there);
	if (err)
		return err;
	if (!there.nr_last)
		forget_stacks(s);
	if (there.nr_sessions)
		*ret = (struct export_sent){ .was_there = true };
	else if (interval->profile)
		err = export_rows_make(&rows, interval->profile, interval->session);
	if (!err && !there.nr_sessions)
		err = send_rows(&job, &rows, there.accounted, gaps, nr_gaps, ret);
	export_rows_release(&rows);
	if (err)
		return err;
	note_complete(&job);
	return 0;
}

const struct export_sender_ops export_clickhouse = {
	.connect = connect_server,
	.progress = read_progress,
	.send = send_interval,
};
