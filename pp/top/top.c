// SPDX-License-Identifier: GPL-2.0-or-later
/* top.c -- makes snapshots of the new samples in a session directory. */
#include "config.h"
#include "pp/top/top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/cache_dir.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/session/client.h"
#include "pp/session/where.h"
#include "pp/session/why_empty.h"

/* timeout for an answer of the daemon, in seconds. The daemon answers at once, unless it is stopped
 * or the disk is slow */
#define ANSWER_S	2
/* Maximum time between two searches for new files, in ms. The daemon reports new files, but may
 * miss some when the disk is full or when it is restarted. */
#define SEARCH_MS	60000
/* After a search, wait this many times the duration of the search, because walking thousands of
 * directories is expensive. If a file is found late, its samples are counted when it is found. */
#define SEARCH_REST	100
#define MAX_REST_MS	5000

static int open_images(struct pp_top *top, const struct pp_top_options *options,
		       struct pp_log *log)
{
	char *cache_dir = options->no_cache ? NULL : op_cache_dir();
	const struct pp_images_options images = {
		.image_path = options->image_path,
		.cache_dir = cache_dir,
		.samples_dirs = top->samples_dirs,
		.nr_samples_dirs = 1,
	};
	int err;

	top->samples_dirs[0] = top->paths.current;
	err = pp_images_create(&top->images, &images, log);
	free(cache_dir);
	return err;
}

static uint64_t number(const struct op_reply *reply, const char *key)
{
	const char *text = op_reply_get(reply, key);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* The daemon's answer to "refresh", and the names of new files in the answer. */
struct answer {
	struct op_reply reply;
	struct pp_top_names names;
	uint64_t files;
	uint64_t lost; /* number of samples that the daemon has lost since the last read */
};

static void answer_release(struct answer *a)
{
	free(a->names.items);
	op_reply_release(&a->reply);
}

/* Parse the names of new files in the answer. If the answer does not list all new files (too many,
 * or the daemon was restarted), request a search. */
static int parse_names(struct pp_top *top, struct answer *a)
{
	const struct op_reply *reply = &a->reply;

	a->files = number(reply, "files");
	a->names.items = calloc(reply->nr + 1, sizeof(*a->names.items));
	if (!a->names.items)
		return -ENOMEM;
	for (size_t i = 0; i < reply->nr; i++)
		if (!strcmp(reply->lines[i].key, "new"))
			a->names.items[a->names.nr++] = reply->lines[i].value;
	top->new_files |= !top->files || a->files - top->files != a->names.nr;
	return 0;
}

static void parse_totals(struct pp_top *top, struct answer *a)
{
	const char *state = op_reply_get(&a->reply, "state");
	uint64_t all = number(&a->reply, "lost");

	/* A sum lower than the last one belongs to a new session, whose losses are counted from
	 * 0. */
	a->lost = !top->has_lost ? 0 : all >= top->lost ? all - top->lost : all;
	top->lost = all;
	top->has_lost = true;
	top->paused = state && !strcmp(state, "paused");
}

/* Ask the daemon to write its buffered samples to the files. @a: zeroed memory for the answer. On
 * failure, store the cause in .trouble. */
static int refresh(struct pp_top *top, struct answer *a)
{
	char option[OP_SESSION_OPTION_SIZE], request[40] = "refresh";
	struct op_client client;
	struct op_reason *error = &top->trouble;
	int err;

	*error = (struct op_reason){ "" };
	err = op_client_connect(&client, top->paths.dir, ANSWER_S, error);
	top->gone = err == -ENOENT || err == -ECONNREFUSED;
	if (top->gone)
		return op_fail(error, err, "no daemon runs in %s; start it with opcontrol%s --start",
			       top->paths.dir, op_session_option(option, top->paths.dir));
	if (err)
		return err;
	if (top->files)
		snprintf(request, sizeof(request), "refresh %" PRIu64, top->files);
	err = op_client_request(&client, request, &a->reply, error);
	op_client_close(&client);
	if (!err)
		err = parse_names(top, a);
	if (!err)
		parse_totals(top, a);
	return err;
}

int pp_top_open(struct pp_top *top, const struct pp_top_options *options, struct pp_log *log)
{
	struct answer answer = { 0 };
	int err;

	*top = (struct pp_top){ .event = options->event };
	err = pp_find_session_dir(&top->paths, options->session_dir, true, log);
	if (!err) {
		err = refresh(top, &answer);
		answer_release(&answer);
		/* a busy daemon will answer the next request, so ignore the timeout */
		if (err == -ETIMEDOUT)
			err = 0;
		if (err)
			op_fail(&log->error, err, "%s", op_reason_text(&top->trouble, err));
	}
	if (!err && access(top->paths.current, R_OK | X_OK) && errno == EACCES)
		err = pp_report_no_access(&top->paths, top->paths.current, &log->error);
	if (!err)
		err = open_images(top, options, log);
	if (!err)
		err = pp_top_live_init(&top->live, top->images, options->demangle);
	if (!err)
		err = pp_top_follow_init(&top->follow, &top->live, top->images, top->paths.current);
	if (err)
		pp_top_close(top);
	return err;
}

void pp_top_close(struct pp_top *top)
{
	pp_top_follow_release(&top->follow);
	pp_top_live_release(&top->live);
	pp_images_destroy(top->images);
	op_session_paths_release(&top->paths);
	*top = (struct pp_top){ 0 };
}

/* If the session now has samples of the event that the user requested, follow this event. Return
 * whether the followed event has changed. */
static bool choose_event(struct pp_top *top)
{
	struct pp_top_follow *f = &top->follow;

	for (size_t i = 0; top->event && i < f->nr_events; i++)
		if (!strcmp(f->events[i].name, top->event)) {
			top->event = NULL;
			if (i == f->event)
				return false;
			pp_top_follow_event(f, i);
			return true;
		}
	return false;
}

/* Read the new samples in all files. Search for new files if a search is due. */
static int read_files(struct pp_top *top, unsigned int how, const struct answer *a)
{
	uint64_t now = op_now_ms(), rest;
	int err;

	if (now >= top->search_ms && (top->new_files || now - top->searched_ms >= SEARCH_MS)) {
		how |= PP_TOP_SEARCH;
		top->new_files = false;
	}
	top->follow.again = false;
	err = pp_top_follow_read(&top->follow, how, &a->names);
	if (how & PP_TOP_SEARCH) {
		top->new_files = top->follow.again;
		top->searched_ms = op_now_ms();
		rest = SEARCH_REST * (top->searched_ms - now);
		top->search_ms = top->searched_ms + (rest < MAX_REST_MS ? rest : MAX_REST_MS);
	}
	/* If a new file could not be read yet, keep the old number of files. The daemon then
	 * reports the names of new files again. */
	if (a->files && !err && !(top->follow.again && a->names.nr))
		top->files = a->files;
	if (!err && choose_event(top)) {
		/* discard the samples that belong to the previous event */
		pp_top_live_clear(&top->live);
		err = pp_top_follow_read(&top->follow, how | PP_TOP_BEGIN, &a->names);
	}
	return err;
}

static int read_samples(struct pp_top *top, unsigned int how, uint64_t *lost)
{
	struct answer answer = { 0 };
	int err;

	refresh(top, &answer);
	/* The daemon wrote the sums at this time, even if a search delays reading them. */
	top->last_ms = op_clock_ms(CLOCK_REALTIME);
	*lost = answer.lost;
	err = read_files(top, how, &answer);
	answer_release(&answer);
	if (!err && top->event && top->follow.nr_events && !*top->trouble.text)
		op_fail(&top->trouble, -ENOENT,
			"no samples were found for the event %s: these are samples of %s", top->event,
			top->follow.events[top->follow.event].name);
	if (err == -ENOMEM)
		return err;
	if (err && !*top->trouble.text)
		op_fail(&top->trouble, err, "cannot read %s: %s", top->paths.current,
			op_strerror(err));
	return 0;
}

int pp_top_begin(struct pp_top *top)
{
	uint64_t lost;

	top->has_begun = true;
	return read_samples(top, PP_TOP_BEGIN, &lost);
}

int pp_top_next(struct pp_top *top, struct pp_top_snapshot *ret)
{
	struct pp_top_snapshot snapshot = { .begin_ms = top->last_ms, .unit = "samples" };
	const struct pp_top_follow *f = &top->follow;
	int err = read_samples(top, 0, &snapshot.lost);

	/* If the session has ended (.nodes has samples), pp_top_follow_read() has already added its
	 * call paths. */
	if (!err && (top->wants_paths || top->live.nodes.nr_touched))
		err = pp_top_follow_paths(&top->follow);
	if (!err)
		err = pp_top_live_drain(&top->live, &snapshot);
	if (err) {
		pp_top_snapshot_release(&snapshot);
		return err;
	}
	snapshot.end_ms = top->last_ms;
	snapshot.has_paths = f->nr_trees != 0;
	if (f->nr_events) {
		snapshot.event = f->events[f->event].name;
		snapshot.period = f->events[f->event].count;
	}
	*ret = snapshot;
	return 0;
}

int pp_top_add_paths(struct pp_top *top, struct pp_top_snapshot *snapshot)
{
	int err;

	if (snapshot->nodes || !top->follow.nr_unnamed)
		return 0;
	err = pp_top_follow_paths(&top->follow);
	return err ? err : pp_top_live_drain_nodes(&top->live, snapshot);
}

int pp_top_next_event(struct pp_top *top)
{
	struct pp_top_follow *f = &top->follow;

	if (f->nr_events < 2)
		return 0;
	pp_top_follow_event(f, (f->event + 1) % f->nr_events);
	return pp_top_begin(top);
}
