// SPDX-License-Identifier: GPL-2.0-or-later
/* requests.c -- requests to the daemon: handles them, and checks the privileges of clients. */
#include "config.h"
#include "daemon/requests.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/source/source.h"
#include "daemon/store/sample_cache.h"
#include "daemon/store/session_settings.h"
#include "daemon/verbs.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/session/paths.h"

#define MEMBER_DUMP_MS	1000
/* If the mapped files were refreshed at most this many ms ago, answer the request "refresh" without
 * another refresh. So several clients share a refresh. */
#define REFRESH_MS	100

__attribute__((format(printf, 2, 3)))
static const char *set_error(struct opd_requests *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->error, sizeof(r->error), fmt, ap);
	va_end(ap);
	return r->error;
}

static const char *result(struct opd_requests *r, const char *failure, int err)
{
	return err ? set_error(r, "%s: %s (see %s)", failure, op_strerror(err),
			       r->parts->session.paths.log)
		   : NULL;
}

/* Return the answer to a request that writes all data to disk: an error text if the write failed
 * with @err, or if samples were lost to a full disk since the last such request; otherwise NULL. */
static const char *written_result(struct opd_requests *r, int err)
{
	static const char failure[] = "cannot write all data";
	uint64_t lost = opd_accounting_newly_full(&r->parts->accounting);

	if (!lost)
		return result(r, failure, err);
	return set_error(
		r,
		"%s: no space on the disk of %s: %llu samples are lost (free some space, or "
		"choose another --session-dir; the daemon continues by itself)",
		failure, r->parts->session.paths.current, (unsigned long long)lost);
}

/* Add the session's totals to the reply: one line for each counter of lost samples. Each line
 * begins with a name that opcontrol can describe. */
static void report_accounting(struct opd_accounting *accounting, struct opd_reply *reply)
{
	struct op_session_stats t;

	if (opd_accounting_totals(accounting, &t) == 0) {
		opd_reply_add(reply, "taken", "%llu",
			(unsigned long long)op_session_stats_sum(&t, OP_STAT_TAKEN));
		opd_reply_add(reply, "stored", "%llu",
			(unsigned long long)op_session_stats_sum(&t, OP_STAT_STORED));
		opd_reply_add(reply, "lost", "%llu",
			(unsigned long long)op_session_stats_sum(&t, OP_STAT_LOSS));
	}
	for (size_t i = 0; i < t.nr; i++) {
		const struct op_stat_value *v = &t.values[i];
		char key[64];

		if (!v->value || !v->desc || v->desc->kind != OP_STAT_LOSS)
			continue;
		snprintf(key, sizeof(key), "stat %s", v->name);
		opd_reply_add(reply, key, "%llu", (unsigned long long)v->value);
	}
	op_session_stats_release(&t);
}

static void report_source(const struct opd_sampling *s, struct opd_reply *reply)
{
	struct op_reason buffers = { "" };
	char backend[512], reason[512];

	opd_reply_add(reply, "source", "%s", s->ops->name);
	opd_reply_add(reply, "why", "%s", s->reason);
	if (s->ops->backend && s->ops->backend(s->source, backend, reason, sizeof(backend)) == 0) {
		opd_reply_add(reply, "backend", "%s", backend);
		opd_reply_add(reply, "backend-why", "%s", reason);
	}
	if (s->ops->buffers) {
		s->ops->buffers(s->source, &buffers);
		opd_reply_add(reply, "buffers", "%s", buffers.text);
	}
}

/* Add a line to the reply for each invalid setting in the file of --config. */
static void report_complaints(const char *lines, struct opd_reply *reply)
{
	while (lines && *lines) {
		size_t len = strcspn(lines, "\n");

		opd_reply_add(reply, "complaint", "%.*s", (int)len, lines);
		lines += len + (lines[len] == '\n');
	}
}

struct request {
	struct opd_requests *r;
	struct opd_parts *parts;
	const char *rest;		/* text after the verb */
	enum opd_peer peer;
	struct opd_reply *reply;
};

static const char *do_ping(const struct request *q)
{
	(void)q;
	return NULL;
}

/* maximum length of the texts "events" and "filters" in an answer */
#define MAX_EVENTS_TEXT	4096

static const char *do_status(const struct request *q)
{
	struct opd_parts *p = q->parts;
	char *events = opd_settings_events(p->cfg);

	if (!events)
		return "out of memory";
	opd_reply_add(q->reply, "state", "%s", p->sampling.running ? "running" : "paused");
	opd_reply_add(q->reply, "pid", "%d", (int)getpid());
	report_source(&p->sampling, q->reply);
	opd_reply_add(q->reply, "session-dir", "%s", p->session.paths.dir);
	if (p->cfg->plan.cpu.cpu)
		opd_reply_add(q->reply, "cpu", "%s", p->cfg->plan.cpu.cpu->name);
	/* Truncate the text of the events: the size of an answer is limited. */
	opd_reply_add(q->reply, "events", "%.*s%s", MAX_EVENTS_TEXT, events,
		      strlen(events) > MAX_EVENTS_TEXT ? "..." : "");
	free(events);
	opd_reply_add(q->reply, "intervals", "%lld %lld %llu",
		      (long long)p->cfg->intervals.interval, (long long)p->cfg->intervals.keep,
		      (unsigned long long)p->cfg->intervals.max_bytes);
	opd_reply_add(q->reply, "open-files", "%zu", opd_sample_cache_nr_open(p->storage.cache));
	report_accounting(&p->accounting, q->reply);
	/* Add the complaints last: their number has no limit, but the size of an answer has one. */
	report_complaints(p->cfg->complaints, q->reply);
	return NULL;
}

/* Handle the request "dump". A dump waits for the disk. So all clients that are not the owner may
 * together request only one dump per second. */
static const char *do_dump(const struct request *q)
{
	if (q->peer != OPD_PEER_OWNER) {
		if (op_now_ms() - q->r->member_dump_ms < MEMBER_DUMP_MS)
			return "there was a dump less than a second ago: try again";
		q->r->member_dump_ms = op_now_ms();
	}
	return written_result(q->r, opd_dump(q->parts));
}

/* Return true if @name contains no character that would be escaped in an answer. */
static bool is_plain(const char *name)
{
	size_t len = 0;

	while (name[len] >= ' ' && name[len] <= '~')
		len++;
	return !name[len] && len < PATH_MAX;
}

/* Add to the reply the names of the sample files that were created after file number @since, until
 * the reply is full. If a client gets fewer names than files were created, it must search the
 * session. */
static void report_new_names(const struct opd_new_names *names, uint64_t since,
			     struct opd_reply *reply)
{
	for (; since < names->next; since++) {
		const char *name = opd_new_names_get(names, since);

		if (!name || !is_plain(name) || !opd_reply_add(reply, "new", "%s", name))
			return;
	}
}

/*
 * Handle the request "refresh" or "refresh FILES" of a program that reads the current session:
 * store the newest samples in the mapped files. The value "files" in the answer is the number of
 * files created so far. The program sends it as FILES in the next request, and the answer then
 * contains the names of the files created between the two requests.
 */
static const char *do_refresh(const struct request *q)
{
	struct opd_parts *p = q->parts;
	uint64_t since = *q->rest ? strtoull(q->rest, NULL, 10) : UINT64_MAX;
	int err = 0;

	if (q->rest[strspn(q->rest, "0123456789")])
		return set_error(q->r, "refresh %s: must be a number of files", q->rest);

	if (op_now_ms() - q->r->refresh_ms >= REFRESH_MS) {
		err = opd_refresh(p);
		q->r->refresh_ms = op_now_ms();
	}
	opd_reply_add(q->reply, "state", "%s", p->sampling.running ? "running" : "paused");
	opd_reply_add(q->reply, "files", "%llu", (unsigned long long)p->new_names.next);
	report_accounting(&p->accounting, q->reply);
	report_new_names(&p->new_names, since, q->reply);
	opd_new_names_request(&p->new_names);
	return result(q->r, "cannot read the newest samples", err);
}

static const char *do_start(const struct request *q)
{
	return result(q->r, "cannot start sampling", opd_start(q->parts));
}

static const char *do_stop(const struct request *q)
{
	return result(q->r, "cannot stop sampling", opd_stop(q->parts));
}

static const char *do_reset(const struct request *q)
{
	return result(q->r, "cannot reset the session", opd_new_session(q->parts, NULL));
}

static const char *do_save(const struct request *q)
{
	const char *name = q->rest;
	int err;

	if (!op_session_name_ok(name))
		return set_error(q->r, "'%s' cannot be the name of a session (" OP_SESSION_NAME_RULE
				 ")", name);
	err = opd_new_session(q->parts, name);
	if (err == -EEXIST || err == -ENOTEMPTY)
		return set_error(q->r, "session %s already exists", name);
	if (err == -ENODATA)
		return set_error(q->r, "cannot save as %s: no samples are recorded yet", name);
	return result(q->r, "cannot save the session", err);
}

static const char *do_shutdown(const struct request *q)
{
	int err = opd_finish(q->parts);

	q->parts->quit = true;
	return written_result(q->r, err);
}

/* The requests with their handlers. If a verb ends with a blank, the request has an argument. */
static const struct verb {
	const char *name;
	/* minimum privilege that a client needs for the request */
	enum opd_peer least;
	const char *(*answer)(const struct request *q);
} verbs[] = {
	{ "ping", OPD_PEER_STRANGER, do_ping },
	{ "status", OPD_PEER_MEMBER, do_status },
	{ "refresh", OPD_PEER_MEMBER, do_refresh },
	{ "refresh ", OPD_PEER_MEMBER, do_refresh },
	{ "dump", OPD_PEER_MEMBER, do_dump },
	{ "start", OPD_PEER_OWNER, do_start },
	{ "stop", OPD_PEER_OWNER, do_stop },
	{ "reset", OPD_PEER_OWNER, do_reset },
	{ "save ", OPD_PEER_OWNER, do_save },
	{ "shutdown", OPD_PEER_OWNER, do_shutdown },
};

/* Return the entry for the request @line, or NULL. Set *@rest to the text after the verb. */
static const struct verb *find_verb(const char *line, const char **rest)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		const char *name = verbs[i].name;
		size_t len = strlen(name);

		*rest = line + len;
		if (!strncmp(line, name, len) && (name[len - 1] == ' ' || !**rest))
			return &verbs[i];
	}
	return NULL;
}

/* Return the name of the daemon's user, for messages. */
static const char *owner_name(void)
{
	const struct passwd *user = geteuid() ? getpwuid(geteuid()) : NULL;

	return user ? user->pw_name : geteuid() ? "the daemon's user" : "root";
}

static const char *refuse(struct opd_requests *r, enum opd_peer peer)
{
	gid_t gid = r->parts->cfg->group;
	const struct group *group;

	if (peer != OPD_PEER_STRANGER)
		return set_error(r, "permission denied: only %s may send this request; you "
				    "may send dump, refresh, status and ping",
				 owner_name());
	group = gid == (gid_t)-1 ? NULL : getgrgid(gid);
	if (!group)
		return set_error(
			r,
			"permission denied: only %s may send requests; to permit a group, start "
			"the daemon with --group=NAME",
			owner_name());
	return set_error(r,
			 "permission denied: only %s and the group %s may send requests; to add a "
			 "user, run usermod -aG %s USER and log in again",
			 owner_name(), group->gr_name, group->gr_name);
}

const char *opd_request(void *requests, char *line, enum opd_peer peer, struct opd_reply *reply)
{
	struct opd_requests *r = requests;
	struct request q = { .r = r, .parts = r->parts, .peer = peer, .reply = reply };
	const struct verb *verb = find_verb(line, &q.rest);

	opd_log(&r->parts->log, OPD_DEBUG, "request: %s", line);
	if (peer < (verb ? verb->least : OPD_PEER_OWNER))
		return refuse(r, peer);
	if (!verb)
		return "unknown request (start, stop, refresh, dump, reset, save NAME, status, shutdown, "
		       "ping)";
	return verb->answer(&q);
}
