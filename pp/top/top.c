// SPDX-License-Identifier: GPL-2.0-or-later
/* top.c -- the live profile of a session directory. */
#include "config.h"
#include "pp/top/top.h"

#include <errno.h>
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

/* The daemon answers at once, unless it is stopped or the disk is slow. */
#define ANSWER_S	2
/* Search for new files at this interval, in ms, even if the daemon reports no new file: the daemon
 * may have replaced a tree. */
#define SEARCH_MS	10000
/* After a search, wait this many times as long as it took, because a walk through thousands of
 * directories would cost more than all else. The samples of a file that is found late are counted
 * then. */
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

/* Ask the daemon to bring its files up to date. Note whether there are new files, and store in
 * *@lost the number of samples lost since the last look. A failure is stored in .trouble. */
static int refresh(struct pp_top *top, uint64_t *lost)
{
	char option[OP_SESSION_OPTION_SIZE];
	struct op_client client;
	struct op_reply reply = { 0 };
	struct op_reason *why = &top->trouble;
	int err;

	*why = (struct op_reason){ "" };
	err = op_client_connect(&client, top->paths.dir, ANSWER_S, why);
	top->gone = err == -ENOENT || err == -ECONNREFUSED;
	if (top->gone)
		return op_fail(why, err, "no daemon runs in %s; start it with opcontrol%s --start",
			       top->paths.dir, op_session_option(option, top->paths.dir));
	if (err)
		return err;
	err = op_client_request(&client, "refresh", &reply, why);
	op_client_close(&client);
	if (!err) {
		unsigned long files = number(&reply, "files");
		uint64_t all = number(&reply, "lost");
		const char *state = op_reply_get(&reply, "state");

		top->new_files |= files != top->files;
		top->files = files;
		/* If the sum is lower, a new session has begun without lost samples. */
		*lost = !top->has_lost ? 0 : all >= top->lost ? all - top->lost : all;
		top->lost = all;
		top->has_lost = true;
		top->paused = state && !strcmp(state, "paused");
	}
	op_reply_release(&reply);
	return err;
}

int pp_top_open(struct pp_top *top, const struct pp_top_options *options, struct pp_log *log)
{
	uint64_t lost;
	int err;

	*top = (struct pp_top){ .event = options->event };
	err = pp_find_session_dir(&top->paths, options->session_dir, true, log);
	if (!err) {
		err = refresh(top, &lost);
		/* A busy daemon answers the next request. */
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

/* Choose the wanted event as soon as the session has it. Return whether another event was
 * followed. */
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

static int look(struct pp_top *top, unsigned int how, uint64_t *lost)
{
	uint64_t now, rest;
	int err;

	*lost = 0;
	refresh(top, lost);
	now = op_now_ms();
	if (now >= top->search_ms && (top->new_files || now - top->searched_ms >= SEARCH_MS)) {
		how |= PP_TOP_SEARCH;
		top->new_files = false;
	}
	err = pp_top_follow_look(&top->follow, how);
	if (how & PP_TOP_SEARCH) {
		top->new_files = top->follow.again;
		top->searched_ms = op_now_ms();
		rest = SEARCH_REST * (top->searched_ms - now);
		top->search_ms = top->searched_ms + (rest < MAX_REST_MS ? rest : MAX_REST_MS);
	}
	if (!err && choose_event(top))
		err = pp_top_follow_look(&top->follow, how | PP_TOP_BEGIN);
	if (!err && top->event && top->follow.nr_events && !*top->trouble.text)
		op_fail(&top->trouble, -ENOENT,
			"there are no samples of the event %s: these are samples of %s", top->event,
			top->follow.events[top->follow.event].name);
	top->last_ms = op_clock_ms(CLOCK_REALTIME);
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
	return look(top, PP_TOP_BEGIN, &lost);
}

int pp_top_next(struct pp_top *top, struct pp_top_picture *ret)
{
	struct pp_top_picture picture = { .begin_ms = top->last_ms, .unit = "samples" };
	const struct pp_top_follow *f = &top->follow;
	int err = look(top, 0, &picture.lost);

	if (!err)
		err = pp_top_live_take(&top->live, &picture);
	if (err) {
		pp_top_picture_release(&picture);
		return err;
	}
	picture.end_ms = top->last_ms;
	picture.has_paths = f->nr_trees != 0;
	if (f->nr_events) {
		picture.event = f->events[f->event].name;
		picture.period = f->events[f->event].count;
	}
	*ret = picture;
	return 0;
}

int pp_top_next_event(struct pp_top *top)
{
	struct pp_top_follow *f = &top->follow;

	if (f->nr_events < 2)
		return 0;
	pp_top_follow_event(f, (f->event + 1) % f->nr_events);
	return pp_top_begin(top);
}
