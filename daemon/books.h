/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * books.h -- the totals of the session: put together from all who count, written beside the samples, and put
 * in order where files or a daemon came to harm.
 */
#ifndef OPD_BOOKS_H
#define OPD_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/stats.h"

struct opd_jit;
struct opd_log;
struct opd_sample_cache;
struct opd_sampling;
struct opd_session;

/* Owns the counters, which others increment; the rest is borrowed. */
struct opd_books {
	struct opd_stats stats;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_sample_cache *cache;	/* from opd_books_attach() on */
	struct opd_jit *jit;		/* may be NULL */
	uint64_t written_ms;
	bool behind;			/* something has happened since */
	bool failed;			/* and said so */
	unsigned long lost_pages;	/* of sample files, as far as seen to */
	uint64_t told_full;		/* samples lost to a full disk, as requests were told */
};

void opd_books_init(struct opd_books *b, struct opd_log *log, struct opd_session *session,
		    struct opd_sampling *sampling);
/* Takes what was only initialized. */
void opd_books_release(struct opd_books *b);

/* What earlier daemons wrote; of one that was killed, what its sample files hold. 0 or negative errno. */
int opd_books_open(struct opd_books *b);

/* Who else counts. */
void opd_books_attach(struct opd_books *b, struct opd_sample_cache *cache, struct opd_jit *jit);

/* As they stand now; @ret is set in any case, and op_session_stats_release()'d by the caller. */
int opd_books_totals(struct opd_books *b, struct op_session_stats *ret);

int opd_books_write(struct opd_books *b);

/* Samples have come, or were lost: the totals on disk are to follow within a second. */
void opd_books_touch(struct opd_books *b);
/* When opd_books_turn() has something to do: op_now_ms(), UINT64_MAX: nothing. */
uint64_t opd_books_due(const struct opd_books *b);
void opd_books_turn(struct opd_books *b);

/* Was a sample file shortened under our hands? What is open is opened anew then. */
void opd_books_look_at_files(struct opd_books *b);
/* Tells what the files hold, and the rest as lost, when any was damaged. */
void opd_books_balance(struct opd_books *b);

/* A new session begins. Negative errno: it has some of the old one's. */
int opd_books_restart(struct opd_books *b);

/* Samples lost to a full disk since this was last asked. */
uint64_t opd_books_newly_full(struct opd_books *b);

#endif
