// SPDX-License-Identifier: GPL-2.0-or-later
/* server.c -- the simulated ClickHouse: its tables, its queries, and INSERTs that run late. */
#include "config.h"
#include "tests/fleet/sim.h"

#include <inttypes.h>
#include <zlib.h>
#include <zstd.h>

#include "fleet/tables.h"
#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "utils/opexport/schema.h"

#define ZSTD_FIRST_BYTE	0x28
#define MAX_BODY	(1u << 20)
#define DAY		86400

/* The rows of an INSERT while they are read. */
struct reader {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t hash_of(const char *text, size_t len)
{
	return op_hash_bytes(OP_HASH_BEGIN, text, len);
}

static uint64_t get_number(struct reader *r, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < size) {
		r->failed = true;
		r->at = r->end;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)*r->at++ << 8 * i;
	return value;
}

static uint64_t get_length(struct reader *r)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)get_number(r, 1);
		value |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128 && shift < 63);
	return value;
}

static const char *get_text(struct reader *r, size_t *len)
{
	const uint64_t size = get_length(r);
	const char *text = (const char *)r->at;

	if (size > (uint64_t)(r->end - r->at)) {
		r->failed = true;
		r->at = r->end;
		*len = 0;
		return text;
	}
	r->at += size;
	*len = size;
	return text;
}

static uint64_t get_hash(struct reader *r)
{
	size_t len;
	const char *text = get_text(r, &len);

	return hash_of(text, len);
}

static void get_copy(struct reader *r, char *to, size_t size)
{
	size_t len;
	const char *text = get_text(r, &len);

	snprintf(to, size, "%.*s", (int)len, text);
}

static void skip_array(struct reader *r, size_t size)
{
	for (uint64_t nr = get_length(r); nr && !r->failed; nr--)
		if (size)
			get_number(r, size);
		else
			get_hash(r);
}

static void read_sample(struct reader *r, struct sim_row *row)
{
	*row = (struct sim_row){ .t = (int64_t)get_number(r, 4) };
	row->host = get_hash(r);
	row->service = get_hash(r);
	get_hash(r);
	row->event = get_hash(r);
	row->stack = get_number(r, 8);
	row->count = (uint32_t)get_number(r, 4);
}

static void read_stack(struct reader *r, struct sim_row *row)
{
	*row = (struct sim_row){ .service = get_hash(r) };
	row->stack = get_number(r, 8);
	row->nr_frames = (uint32_t)get_length(r);
	for (uint32_t i = 0; i < row->nr_frames && !r->failed; i++)
		get_hash(r);
	row->t = (int64_t)get_number(r, 2) * DAY;
}

static void read_gaps(struct reader *r, struct sim_session *s)
{
	s->nr_gaps = get_length(r);
	s->gaps = calloc(s->nr_gaps + 1, sizeof(*s->gaps));
	assert_non_null(s->gaps);
	for (size_t i = 0; i < s->nr_gaps; i++)
		s->gaps[i].from = (int64_t)get_number(r, 4);
	r->failed = r->failed || get_length(r) != s->nr_gaps;
	for (size_t i = 0; i < s->nr_gaps; i++)
		s->gaps[i].to = (int64_t)get_number(r, 4);
	r->failed = r->failed || get_length(r) != s->nr_gaps;
	for (size_t i = 0; i < s->nr_gaps; i++)
		get_copy(r, s->gaps[i].reason, sizeof(s->gaps[i].reason));
}

static void read_session(struct reader *r, struct sim_session *s)
{
	*s = (struct sim_session){ .t = (int64_t)get_number(r, 4) };
	s->end = (int64_t)get_number(r, 4);
	s->host = get_hash(r);
	get_copy(r, s->machine, sizeof(s->machine));
	get_copy(r, s->name, sizeof(s->name));
	s->samples = get_number(r, 8);
	s->nr_rows = (uint32_t)get_number(r, 4);
	s->sent = get_number(r, 8);
	get_number(r, 4 + 8);
	get_number(r, 8);
	skip_array(r, 0);
	skip_array(r, 8);
	skip_array(r, 0);
	skip_array(r, 0);
	skip_array(r, 8);
	read_gaps(r, s);
	for (int i = 0; i < 3; i++)
		get_hash(r);
	get_number(r, 8);
	get_hash(r);
}

/* Unpack a whole stream. The server refuses an incomplete one, and 18.16 refuses zstd. */
static uint8_t *unpack_zstd(const uint8_t *body, size_t len, size_t *ret)
{
	uint8_t *bytes = malloc(MAX_BODY);

	assert_non_null(bytes);
	*ret = ZSTD_decompress(bytes, MAX_BODY, body, len);
	if (sim->server.has_tokens && !ZSTD_isError(*ret))
		return bytes;
	free(bytes);
	return NULL;
}

static uint8_t *unpack(const uint8_t *body, size_t len, size_t *ret)
{
	uint8_t *bytes = malloc(MAX_BODY);
	z_stream z = { .next_in = (uint8_t *)body, .avail_in = (uInt)len, .next_out = bytes,
		       .avail_out = MAX_BODY };
	int err;

	assert_non_null(bytes);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	err = inflate(&z, Z_FINISH);
	*ret = z.total_out;
	inflateEnd(&z);
	if (err == Z_STREAM_END)
		return bytes;
	free(bytes);
	return NULL;
}

/* Return whether the table has the token already, and note it. */
static bool is_repeated(unsigned int table, const char *token)
{
	struct sim_server *s = &sim->server;
	const uint64_t hash = hash_of(token, strlen(token));

	for (size_t i = 0; i < s->seen[table].nr; i++)
		if (s->seen[table].tokens[i] == hash)
			return true;
	assert_int_equal(op_grow(&s->seen[table].tokens, s->seen[table].nr), 0);
	s->seen[table].tokens[s->seen[table].nr++] = hash;
	return false;
}

static void add_row(unsigned int table, struct reader *r)
{
	struct sim_server *s = &sim->server;

	if (table == EXPORT_SAMPLES) {
		assert_int_equal(op_grow(&s->samples, s->nr_samples), 0);
		read_sample(r, &s->samples[s->nr_samples++]);
	} else if (table == EXPORT_STACKS) {
		assert_int_equal(op_grow(&s->stacks, s->nr_stacks), 0);
		read_stack(r, &s->stacks[s->nr_stacks++]);
	} else {
		assert_int_equal(op_grow(&s->sessions, s->nr_sessions), 0);
		read_session(r, &s->sessions[s->nr_sessions++]);
	}
}

const char *sim_server_insert(unsigned int table, const char *id, const uint8_t *body, size_t len)
{
	struct sim_server *s = &sim->server;
	size_t size;
	uint8_t *bytes;
	struct reader r;

	if (!s->has_tables)
		return "Code: 60, e.displayText() = DB::Exception: Table fleet.sessions doesn't exist.";
	bytes = len && *body == ZSTD_FIRST_BYTE ? unpack_zstd(body, len, &size) :
						  unpack(body, len, &size);
	if (!bytes)
		return "Code: 354, e.displayText() = DB::Exception: inflate failed";
	if (s->has_tokens && is_repeated(table, id)) {
		sim_trace("server: an INSERT with the token %s was there", id);
		free(bytes);
		return NULL;
	}
	for (r = (struct reader){ bytes, bytes + size, false }; r.at < r.end;)
		add_row(table, &r);
	if (r.failed)
		sim_wrong("an INSERT into table %u is damaged", table);
	free(bytes);
	sim_trace("server: has %zu samples, %zu stacks, %zu sessions", s->nr_samples, s->nr_stacks, s->nr_sessions);
	return NULL;
}

void sim_server_turn(void)
{
	struct sim_server *s = &sim->server;

	for (size_t i = 0; i < s->nr_pending;) {
		struct sim_pending p = s->pending[i];

		if (p.at_ms > sim->now_ms) {
			i++;
			continue;
		}
		s->pending[i] = s->pending[--s->nr_pending];
		sim_trace("server: late: %s", p.id);
		sim_server_insert(p.table, p.id, p.body, p.len);
		free(p.body);
		i = 0;
	}
}

/* Queries that run end without an effect; the network loses what it still has. */
static void forget_pending(void)
{
	struct sim_server *s = &sim->server;

	while (s->nr_pending)
		free(s->pending[--s->nr_pending].body);
}

void sim_server_restart(void)
{
	forget_pending();
}

void sim_server_drop(void)
{
	struct sim_server *s = &sim->server;

	s->removed |= sim_complete_atoms();
	forget_pending();
	s->nr_samples = s->nr_stacks = s->nr_sessions = 0;
	for (unsigned int i = 0; i < 3; i++)
		s->seen[i].nr = 0;
	s->has_tables = false;
	s->was_dropped = true;
}

/* The server removes all rows of the first day, as its TTL says. */
void sim_server_expire(void)
{
	const int64_t day = (SIM_BEGIN / DAY + 1) * DAY;
	struct sim_server *s = &sim->server;
	const uint64_t complete = sim_complete_atoms();
	size_t nr = 0;

	/* rows that an INSERT adds now would stay */
	if (s->nr_pending)
		return;
	s->expired_before = day;
	for (size_t i = 0; i < s->nr_samples; i++)
		if (s->samples[i].t >= day)
			s->samples[nr++] = s->samples[i];
	s->nr_samples = nr;
	nr = 0;
	for (size_t i = 0; i < s->nr_stacks; i++)
		if (s->stacks[i].t >= day)
			s->stacks[nr++] = s->stacks[i];
	s->nr_stacks = nr;
	nr = 0;
	for (size_t i = 0; i < s->nr_sessions; i++)
		if (s->sessions[i].t >= day)
			s->sessions[nr++] = s->sessions[i];
	s->nr_sessions = nr;
	s->removed |= complete & ~sim_complete_atoms();
}

/* Another machine with the name of this host sends an interval of its own, in one step. */
void sim_server_other_machine(void)
{
	struct sim_server *s = &sim->server;
	const int64_t t = SIM_BEGIN + SIM_SLOT * (int64_t)sim_below(SIM_SLOTS);
	const uint64_t host = hash_of(SIM_HOST, strlen(SIM_HOST));

	if (!s->has_tables)
		return;
	assert_int_equal(op_grow(&s->sessions, s->nr_sessions), 0);
	s->sessions[s->nr_sessions] = (struct sim_session){
		.t = t, .end = t + SIM_SLOT, .host = host, .machine = SIM_OTHER, .samples = 5, .sent = 5,
		.nr_rows = 1,
	};
	snprintf(s->sessions[s->nr_sessions++].name, ITV_NAME_SIZE, "other-%" PRId64, t);
	assert_int_equal(op_grow(&s->samples, s->nr_samples), 0);
	s->samples[s->nr_samples++] = (struct sim_row){
		.t = t, .host = host, .event = hash_of("TIMER:1000000", 13), .count = 5,
	};
}

/* Copy the string of SQL after @mark to @to, and return its hash. */
static uint64_t quoted(const char *sql, const char *mark, char to[300])
{
	const char *at = strstr(sql, mark);
	size_t nr = 0;

	if (!at)
		fail_msg("no %s in %s", mark, sql);
	for (at += strlen(mark); *at && *at != '\'' && nr < 299; at++) {
		at += *at == '\\' && at[1];
		to[nr++] = *at;
	}
	to[nr] = '\0';
	return hash_of(to, nr);
}

static int64_t number(const char *sql, const char *mark)
{
	const char *at = strstr(sql, mark);

	if (!at)
		fail_msg("no %s in %s", mark, sql);
	return strtoll(at + strlen(mark), NULL, 10);
}

static void answer_features(FILE *out)
{
	fprintf(out, "%s\t%" PRId64 "\t%s\n", sim->server.has_tokens ? "26.5.3.1" : "18.16.1",
		sim_server_time(), sim->server.has_tokens ?
		"insert_deduplication_token,async_insert,merge_with_ttl_timeout,"
		"non_replicated_deduplication_window" : "");
}

static void answer_columns(FILE *out)
{
	for (size_t i = 0; i < EXPORT_NR_TABLES && sim->server.has_tables; i++) {
		const struct export_table *t = &export_tables[i];

		for (size_t c = 0; c < t->nr_columns; c++)
			if (t->columns[c].value)
				fprintf(out, "%s\t%s\t%d\n", t->name, t->columns[c].name,
					FLEET_SCHEMA_VERSION + sim->server.is_newer);
			else
				fprintf(out, "%s\t%s\t\n", t->name, t->columns[c].name);
	}
}

/* Return whether @host is one of the strings of the list after @mark. */
static bool is_listed(const char *sql, const char *mark, uint64_t host)
{
	const char *at = strstr(sql, mark);
	char text[300];

	if (!at)
		fail_msg("no %s in %s", mark, sql);
	for (at += strlen(mark) - 1; *at == '\'';) {
		if (quoted(at, "'", text) == host)
			return true;
		at = strchr(at + 1, '\'') + 1;
		at += !strncmp(at, ", ", 2) ? 2 : 0;
	}
	return false;
}

static void answer_first_machine(FILE *out, const char *sql)
{
	const struct sim_session *first = NULL;
	char text[300];
	const uint64_t own = quoted(sql, "ORDER BY host = '", text);

	for (size_t i = 0; i < sim->server.nr_sessions; i++) {
		const struct sim_session *s = &sim->server.sessions[i];
		const bool is_own = s->host == own, first_is_own = first && first->host == own;

		if (!is_listed(sql, "host IN ('", s->host))
			continue;
		if (!first || is_own < first_is_own ||
		    (is_own == first_is_own && (s->t < first->t || (s->t == first->t &&
						strcmp(s->machine, first->machine) < 0))))
			first = s;
	}
	if (first)
		fprintf(out, "%d\t%s\n", first->host == own, first->machine);
}

static bool is_of(const struct sim_session *s, const char *machine)
{
	return !strcmp(s->machine, machine);
}

static void answer_progress(FILE *out, const char *sql)
{
	char machine[300];
	const int64_t since = number(sql, "t >= toDateTime(");
	/* the server may answer the parts of the UNION in any order */
	const bool is_times_first = sim_below(2);
	int64_t begin = 0, end = 0;

	quoted(sql, "machine = '", machine);
	for (size_t i = 0; i < sim->server.nr_sessions; i++) {
		const struct sim_session *s = &sim->server.sessions[i];

		if (!is_listed(sql, "host IN ('", s->host) || !is_of(s, machine))
			continue;
		begin = !end || s->t < begin ? s->t : begin;
		end = s->end > end ? s->end : end;
	}
	if (is_times_first)
		fprintf(out, "times\t%" PRId64 " %" PRId64 "\n", begin, end);
	for (size_t i = 0; i < sim->server.nr_sessions; i++) {
		const struct sim_session *s = &sim->server.sessions[i];

		if (is_listed(sql, "host IN ('", s->host) && is_of(s, machine) && s->t >= since)
			fprintf(out, "name\t%s\n", s->name);
	}
	if (!is_times_first)
		fprintf(out, "times\t%" PRId64 " %" PRId64 "\n", begin, end);
}

static void answer_look(FILE *out, const char *sql)
{
	char text[300], name[300], machine[300], last[300];
	const uint64_t host = quoted(sql, "host = '", text);
	const int64_t t = number(sql, "sumIf(sent, t = toDateTime(");
	const int64_t times[2] = { number(sql, "t IN (toDateTime("), number(sql, "), toDateTime(") };
	uint64_t nr = 0, others = 0, sent = 0, nr_last = 0;

	quoted(sql, "countIf(name = '", name);
	quoted(sql, "countIf(machine != '", machine);
	quoted(sql, ")), countIf(name = '", last);
	for (size_t i = 0; i < sim->server.nr_sessions; i++) {
		const struct sim_session *s = &sim->server.sessions[i];

		if (s->host != host || (s->t != times[0] && s->t != times[1]))
			continue;
		nr += !strcmp(s->name, name);
		nr_last += !strcmp(s->name, last);
		others += s->t == t && !is_of(s, machine);
		sent += s->t == t ? s->sent : 0;
	}
	fprintf(out, "%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", sim_server_time(),
		nr, others, sent, nr_last);
}

static void answer_running(FILE *out, const char *sql)
{
	char like[300];
	unsigned int nr = 0;

	quoted(sql, "LIKE '", like);
	assert_true(*like && like[strlen(like) - 1] == '%');
	like[strlen(like) - 1] = '\0';
	for (size_t i = 0; i < sim->server.nr_pending; i++)
		nr += sim->server.pending[i].is_running &&
		      !strncmp(sim->server.pending[i].id, like, strlen(like));
	fprintf(out, "%u\n", nr);
}

static void answer_sum(FILE *out, const char *sql)
{
	char text[300], event[300];
	const uint64_t host = quoted(sql, "host = '", text);
	const int64_t t = number(sql, "t = toDateTime(");
	uint64_t sum = 0;
	const char *at = strstr(sql, "event IN (''");

	assert_non_null(at);
	for (at += strlen("event IN (''"); !strncmp(at, ", '", 3);) {
		const uint64_t hash = quoted(at, ", '", event);

		for (size_t i = 0; i < sim->server.nr_samples; i++) {
			const struct sim_row *row = &sim->server.samples[i];

			if (row->host == host && row->t == t && row->event == hash)
				sum += row->count;
		}
		at = strchr(at + 3, '\'') + 1;
	}
	fprintf(out, "%" PRIu64 "\n", sum);
}

char *sim_server_query(const char *sql, const char **ret)
{
	static const struct {
		const char *begin;
		bool needs_tables;
		void (*answer)(FILE *out, const char *sql);
	} queries[] = {
		{ "SELECT host = '", true, answer_first_machine },
		{ "SELECT 'times', ", true, answer_progress },
		{ "SELECT toUInt32(now()), countIf(", true, answer_look },
		{ "SELECT count() FROM system.processes ", false, answer_running },
		{ "SELECT sum(count) FROM `" SIM_DATABASE "`.samples", true, answer_sum },
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool is_known = true;

	assert_non_null(out);
	*ret = NULL;
	if (!strncmp(sql, "SELECT version()", 16))
		answer_features(out);
	else if (!strncmp(sql, "SELECT name FROM system.databases", 33))
		fputs(SIM_DATABASE "\n", out);
	else if (!strncmp(sql, "SELECT table, name, default_expression", 38))
		answer_columns(out);
	else if (!strncmp(sql, "SELECT name, create_table_query", 31))
		fputs(sim->server.has_tables ? "samples\tCREATE TABLE x TTL t + toIntervalDay(90)\n" : "", out);
	else
		is_known = false;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]) && !is_known; i++)
		if (!strncmp(sql, queries[i].begin, strlen(queries[i].begin))) {
			is_known = true;
			if (queries[i].needs_tables && !sim->server.has_tables)
				*ret = "Code: 60, e.displayText() = DB::Exception: Table fleet.sessions "
				       "doesn't exist.";
			else
				queries[i].answer(out, sql);
		}
	fclose(out);
	if (!is_known)
		fail_msg("the server does not know the query %s", sql);
	if (!*ret)
		return text;
	free(text);
	return NULL;
}
