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
	struct op_session_writer writer;	/* this process while it takes samples, else zeroed */
	bool behind;			/* something was counted since written_ms */
	bool failed;			/* the last write failed, which is in the log */
	unsigned long lost_pages;	/* odb_lost_pages() when it was last looked at */
	uint64_t told_full;		/* samples lost to a full disk that opd_books_newly_full() has told of */
};

void opd_books_init(struct opd_books *b, struct opd_log *log, struct opd_session *session,
		    struct opd_sampling *sampling);
/* Takes books that were initialized and never opened. */
void opd_books_release(struct opd_books *b);

/* Reads what earlier daemons wrote; when the last one was killed, adds what its sample files hold beyond that. 0 or
 * negative errno. */
int opd_books_open(struct opd_books *b);

/* From now on what these two count is part of the totals. */
void opd_books_attach(struct opd_books *b, struct opd_sample_cache *cache, struct opd_jit *jit);

/* Puts the totals together. @ret is set whatever is returned; the caller releases it. */
int opd_books_totals(struct opd_books *b, struct op_session_stats *ret);

int opd_books_write(struct opd_books *b);

/* Note that sampling has begun: mark the totals on the disk. The mark stays until opd_books_end() and the write after it. */
void opd_books_begin(struct opd_books *b);
void opd_books_end(struct opd_books *b);

/* Samples have come, or were lost: the totals on disk are to follow within a second. */
void opd_books_touch(struct opd_books *b);
/* When opd_books_turn() has something to do: op_now_ms(), UINT64_MAX: nothing. */
uint64_t opd_books_due(const struct opd_books *b);
void opd_books_turn(struct opd_books *b);

/* Closes all sample files when one of them was shortened while it was mapped: they are checked when opened again. */
void opd_books_look_at_files(struct opd_books *b);
/* After damage: counts as stored what the files still hold, and the rest as lost. */
void opd_books_balance(struct opd_books *b);

/*
 * Prepare the accounting of a new session: write its totals into its samples directory @next_fd (unless that is -1) and
 * fill in @base. Return 0, or a negative errno, which leaves the old session's accounting unchanged.
 */
int opd_books_prepare(struct opd_books *b, int next_fd, struct op_session_stats *base);
/* Begin the new session with all counters 0. Takes ownership of *@base. */
void opd_books_restart(struct opd_books *b, struct op_session_stats *base);

/* Samples lost to a full disk since this was last asked. */
uint64_t opd_books_newly_full(struct opd_books *b);

#endif
