// SPDX-License-Identifier: GPL-2.0-or-later
/* otlp_send.c -- sends the requests of an interval to a collector. */
#include "config.h"
#include "utils/opexport/otlp_send.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "utils/opexport/otlp.h"

/* The export of one interval. */
struct job {
	struct export_sender *s;
	struct export_sent sent;
	struct op_reason *error;
};

static int connect_collector(struct export_sender *s, struct pp_log *log)
{
	(void)s;
	(void)log;
	return 0;
}

static bool is_answered(const struct export_sender *s, uint64_t hash)
{
	for (size_t i = 0; i < s->answered.nr; i++)
		if (s->answered.hashes[i] == hash)
			return true;
	return false;
}

/* Record that the request need not be repeated. If memory is short, it may be repeated. */
static void note_answered(struct export_sender *s, uint64_t hash)
{
	if (!op_grow(&s->answered.hashes, s->answered.nr))
		s->answered.hashes[s->answered.nr++] = hash;
}

/* Forget the requests of another interval. */
static void begin_interval(struct export_sender *s, const struct itv_entry *entry)
{
	if (!strcmp(s->answered.name, entry->name))
		return;
	free(s->answered.hashes);
	s->answered = (struct export_answered){ .nr = 0 };
	strcpy(s->answered.name, entry->name);
}

static void note_rejected(struct job *job, uint64_t nr, const char *reason)
{
	struct export_answered *answered = &job->s->answered;

	answered->nr_rejected += nr;
	op_clean(answered->reason, sizeof(answered->reason), reason);
}

/* Fail for a status after which the same request may succeed later. */
static int fail_status(struct job *job, const struct fleet_reply *reply)
{
	const char *url = fleet_http_url(job->s->http);

	job->s->retry_after = reply->retry_after;
	if (reply->status == 401 || reply->status == 403)
		return op_fail(job->error, FLEET_ERR_AUTH, "%s refuses the user or the token "
			       "(status %ld): check the user in --otlp, and --password-file", url,
			       reply->status);
	if (reply->status == 408 || reply->status == 429 || reply->status >= 500)
		return op_fail(job->error, EXPORT_ERR_LATER, "%s: the collector cannot take the "
			       "profiles now (status %ld)", url, reply->status);
	return op_fail(job->error, FLEET_ERR_NOT_SERVER, "%s: the answer (status %ld) is not "
		       "that of a collector with the profiles signal: check host, port and path of "
		       "--otlp, and proxies between", url, reply->status);
}

/* Return whether a collector answers that it will never accept this request: the data, not the
 * user or the URL, is wrong for it. A proxy, or a port with TLS, may answer with the same status,
 * but not with the content type that OTLP prescribes for errors. */
static bool is_final(const struct fleet_reply *reply)
{
	switch (reply->status) {
	case 400:
	case 411:
	case 413:
	case 415:
	case 422:
		return !strcmp(reply->type, EXPORT_OTLP_TYPE);
	}
	return false;
}

/* Check the answer to a request with @nr_profiles profiles. */
static int check_reply(struct job *job, const struct fleet_reply *reply, size_t nr_profiles)
{
	struct export_otlp_partial partial = { .rejected = 0 };
	char text[64];

	if (is_final(reply)) {
		snprintf(text, sizeof(text), "status %ld", reply->status);
		note_rejected(job, nr_profiles, text);
		return 0;
	}
	if (reply->status < 200 || reply->status > 299)
		return fail_status(job, reply);
	/* With an empty answer, the collector has accepted all profiles. A page of a proxy has
	 * another content type. */
	if (reply->len && strcmp(reply->type, EXPORT_OTLP_TYPE))
		return fail_status(job, reply);
	if (export_otlp_parse(&partial, reply->text, reply->len))
		return fail_status(job, reply);
	if (partial.rejected || *partial.message)
		note_rejected(job, partial.rejected, partial.message);
	return 0;
}

static int send_request(struct job *job, const struct export_otlp_request *request)
{
	const struct pp_message *m = request->message;
	const struct export_bytes body = { .data = m->bytes, .len = m->nr };
	const uint64_t hash = op_hash_bytes(OP_HASH_BEGIN, m->bytes, m->nr);
	struct export_bytes packed = { .data = NULL };
	struct fleet_reply reply;
	int err;

	job->sent.nr_rows += request->nr_rows;
	if (is_answered(job->s, hash))
		return 0;
	err = export_gzip(&packed, &body);
	if (err)
		return err;
	job->sent.bytes += packed.len;
	err = fleet_http_post(job->s->http, EXPORT_OTLP_TYPE, packed.data, packed.len, &reply,
			      job->error);
	if (!err)
		err = check_reply(job, &reply, request->nr_profiles);
	if (!err)
		note_answered(job->s, hash);
	export_bytes_release(&packed);
	return err;
}

static int send_rows(struct job *job, const struct export_interval *interval,
		     const struct export_rows *rows)
{
	const struct export_otlp_input input = {
		.rows = rows, .classes = &interval->session->classes, .host = &job->s->host,
		.entry = &interval->entry, .max_rows = job->s->max_rows,
		.max_size = EXPORT_OTLP_MAX,
	};
	struct export_otlp_request request;
	struct export_otlp *otlp = NULL;
	int err = export_otlp_create(&otlp, &input), more = 1;

	while (!err && more > 0) {
		more = export_otlp_next(otlp, &request);
		err = more > 0 ? send_request(job, &request) : more;
	}
	if (!err)
		job->sent.nr_thinned = export_otlp_thinned(otlp);
	export_otlp_destroy(otlp);
	return err;
}

static int send_interval(struct export_sender *s, const struct export_interval *interval,
			 const struct export_gap *gaps, size_t nr_gaps, struct export_sent *ret,
			 struct op_reason *error)
{
	struct job job = { .s = s, .error = error };
	struct export_rows rows = { .nr = 0 };
	int err = 0;

	/* OTLP has no place for gaps. */
	(void)gaps;
	(void)nr_gaps;
	begin_interval(s, &interval->entry);
	s->retry_after = 0;
	if (interval->profile)
		err = export_rows_make(&rows, interval->profile, interval->session);
	if (!err && rows.nr)
		err = send_rows(&job, interval, &rows);
	job.sent.samples = rows.samples;
	export_rows_release(&rows);
	job.sent.nr_rejected = s->answered.nr_rejected;
	strcpy(job.sent.reason, s->answered.reason);
	if (!err)
		*ret = job.sent;
	return err;
}

const struct export_sender_ops export_collector = {
	.connect = connect_collector,
	.send = send_interval,
};
