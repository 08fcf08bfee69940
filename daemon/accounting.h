/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting.h -- the session's totals: computes them from all counters, writes them beside the
 * samples, and corrects them if files were damaged or a daemon was killed.
 */
#ifndef OPD_ACCOUNTING_H
#define OPD_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/stats.h"

struct opd_jit;
struct opd_log;
struct opd_sample_cache;
struct opd_sampling;
struct opd_session;

/* The struct owns the counters in .stats, which other parts of the daemon increment. All pointers
 * are borrowed. */
struct opd_accounting {
	struct opd_stats stats;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_sample_cache *cache;	/* cache of sample files; set by opd_accounting_attach() */
	/* processes with JIT code; borrowed; NULL: not recorded */
	struct opd_jit *jit;
	uint64_t written_ms;
	/* identity of this process while it samples; otherwise zero */
	struct op_session_writer writer;
	/* counters have changed since the totals were written */
	bool is_stale;
	/* the last write of the totals failed, and this was logged */
	bool failed;
	unsigned long lost_pages;	/* value of odb_lost_pages() at the last check for damage */
	/* numbers of taken and of lost samples: .now: in the current session, at the last write of
	 * the totals; .closed: in the sessions that this daemon has closed */
	struct opd_accounting_sums {
		uint64_t taken, lost;
	} now, closed;
	/* number of samples lost to a full disk at the last opd_accounting_newly_full() */
	uint64_t reported_full;
};

void opd_accounting_init(struct opd_accounting *a, struct opd_log *log, struct opd_session *session,
		    struct opd_sampling *sampling);
/* Release @a, which must be initialized but need not be open. */
void opd_accounting_release(struct opd_accounting *a);

/* Read the totals of earlier daemons. If the last daemon was killed, add the samples that its
 * files contain but its totals do not. Return 0 or a negative errno. */
int opd_accounting_open(struct opd_accounting *a);

/* Set the objects whose counters the totals include. The objects are borrowed; @jit may be NULL. */
void opd_accounting_attach(struct opd_accounting *a, struct opd_sample_cache *cache,
			   struct opd_jit *jit);

/* Compute the session's totals. The caller releases @ret, also after an error. Return 0 or a
 * negative errno. */
int opd_accounting_totals(struct opd_accounting *a, struct op_session_stats *ret);

int opd_accounting_write(struct opd_accounting *a);

/* Sampling has started: write totals that name this process as the running daemon. The first write
 * after opd_accounting_end() removes the name. */
void opd_accounting_begin(struct opd_accounting *a);
void opd_accounting_end(struct opd_accounting *a);

/* Report that samples were stored or lost: the totals are written within a second. */
void opd_accounting_touch(struct opd_accounting *a);
/* Return the time, in ms of op_now_ms(), at which opd_accounting_turn() must be called;
 * UINT64_MAX: no call is needed. */
uint64_t opd_accounting_due(const struct opd_accounting *a);
void opd_accounting_turn(struct opd_accounting *a);

/* If a sample file was truncated while it was mapped, close all sample files. Opening them again
 * checks them. */
void opd_accounting_check_files(struct opd_accounting *a);
/* Correct the counters after damage to sample files: the samples in the files count as stored, the
 * missing samples as lost. */
void opd_accounting_balance(struct opd_accounting *a);

/*
 * Prepare the accounting of a new session: write its totals to its samples directory @next_fd (-1:
 * do not write), and set @base for opd_accounting_restart(). Return 0, or a negative errno and
 * leave the old session's accounting unchanged.
 */
int opd_accounting_prepare(struct opd_accounting *a, int next_fd, struct op_session_stats *base);
/* Start the accounting of the new session with all counters 0. Takes ownership of the contents of
 * *@base. */
void opd_accounting_restart(struct opd_accounting *a, struct op_session_stats *base);

/* Set *@taken and *@lost to the numbers of samples in the current session and in the sessions that
 * this daemon has closed. The numbers are at most a second old. */
void opd_accounting_sums(const struct opd_accounting *a, uint64_t *taken, uint64_t *lost);

/* Return the number of samples lost to a full disk since the last call. */
uint64_t opd_accounting_newly_full(struct opd_accounting *a);

#endif
