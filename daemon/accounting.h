/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting.h -- the session's totals: computes them from all counters, writes them beside the
 * samples, and corrects them after damage to files or after a daemon was killed.
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

/* The struct owns the counters, which other parts of the daemon increment; all other members are
 * borrowed. */
struct opd_accounting {
	struct opd_stats stats;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_sample_cache *cache;	/* opd_accounting_attach() sets this member */
	/* index of JIT code; borrowed; NULL: JIT code is not tracked */
	struct opd_jit *jit;
	uint64_t written_ms;
	/* identity of this process while it takes samples; otherwise all zeros */
	struct op_session_writer writer;
	/* counters have changed since the last write of the totals */
	bool is_stale;
	/* the last write of the totals failed, and the failure was logged */
	bool failed;
	unsigned long lost_pages;	/* value of odb_lost_pages() at the last check for damage */
	/* samples taken and lost: in the current session, at the last write of the totals; and in
	 * the sessions that this daemon has closed */
	struct opd_accounting_sums {
		uint64_t taken, lost;
	} now, closed;
	/* number of samples lost to a full disk, as opd_accounting_newly_full() last reported it */
	uint64_t reported_full;
};

void opd_accounting_init(struct opd_accounting *a, struct opd_log *log, struct opd_session *session,
		    struct opd_sampling *sampling);
/* Release @a, which must be initialized; opd_accounting_open() need not have been called. */
void opd_accounting_release(struct opd_accounting *a);

/* Read the totals that earlier daemons wrote. If the last daemon was killed, add the samples in its
 * files that its totals lack. Return 0 or a negative errno. */
int opd_accounting_open(struct opd_accounting *a);

/* Set the objects whose counters the totals must include. The objects are borrowed; @jit may be
 * NULL. */
void opd_accounting_attach(struct opd_accounting *a, struct opd_sample_cache *cache,
			   struct opd_jit *jit);

/* Compute the session's totals. @ret is set in all cases, and the caller releases it. Return 0 or a
 * negative errno. */
int opd_accounting_totals(struct opd_accounting *a, struct op_session_stats *ret);

int opd_accounting_write(struct opd_accounting *a);

/* Note that sampling has begun: write totals that name this process as the running daemon. The
 * first write of totals after opd_accounting_end() removes the name. */
void opd_accounting_begin(struct opd_accounting *a);
void opd_accounting_end(struct opd_accounting *a);

/* Note that samples were stored or lost, so that the totals on disk are updated within a second. */
void opd_accounting_touch(struct opd_accounting *a);
/* Return the time, in ms of op_now_ms(), at which opd_accounting_turn() must be called, or
 * UINT64_MAX if no call is needed. */
uint64_t opd_accounting_due(const struct opd_accounting *a);
void opd_accounting_turn(struct opd_accounting *a);

/* Close all sample files if one of them was truncated while it was mapped. Files are checked when
 * they are opened again. */
void opd_accounting_check_files(struct opd_accounting *a);
/* Correct the counters after damage to sample files: samples that the files still contain count as
 * stored, missing samples as lost. */
void opd_accounting_balance(struct opd_accounting *a);

/*
 * Prepare the accounting of a new session: write its totals into its samples directory @next_fd
 * (unless @next_fd is -1) and fill in @base for opd_accounting_restart(). Return 0, or a negative
 * errno, which leaves the old session's accounting unchanged.
 */
int opd_accounting_prepare(struct opd_accounting *a, int next_fd, struct op_session_stats *base);
/* Begin the accounting of the new session with all counters 0. Takes ownership of *@base. */
void opd_accounting_restart(struct opd_accounting *a, struct op_session_stats *base);

/* Set *@taken and *@lost to the numbers of samples of the current session and of the sessions that
 * this daemon has closed. They are a second old at most. */
void opd_accounting_sums(const struct opd_accounting *a, uint64_t *taken, uint64_t *lost);

/* Return the number of samples lost to a full disk since the last call. */
uint64_t opd_accounting_newly_full(struct opd_accounting *a);

#endif
