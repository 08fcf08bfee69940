/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting.h -- the session's totals (numbers of samples taken, stored and lost): computes the
 * totals from all counters, writes them to the session directory, and corrects them if sample files
 * were damaged or a daemon was killed.
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

/* The totals of a session. .stats contains the counters, which other parts of the daemon increment.
 * All pointers are borrowed. */
struct opd_accounting {
	struct opd_stats stats;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_sample_cache *cache;	/* cache of sample files; set by opd_accounting_attach() */
	/* list of processes with JIT code, which has counters of its own; borrowed; NULL: JIT code
	 * is not recorded */
	struct opd_jit *jit;
	uint64_t written_ms;
	/* identity of this daemon process while it samples; otherwise zero */
	struct op_session_writer writer;
	/* a counter has changed since the totals were written to disk */
	bool is_stale;
	/* the last write of the totals to disk failed, and the failure was logged */
	bool failed;
	/* value of odb_lost_pages() when sample files were last checked for damage */
	unsigned long lost_pages;
	/* .taken, .lost: numbers of samples taken and lost. .now: in the current session, when the
	 * totals were last written; .closed: in all sessions that this daemon has closed */
	struct opd_accounting_sums {
		uint64_t taken, lost;
	} now, closed;
	/* number of samples lost to a full disk, at the last call of opd_accounting_newly_full() */
	uint64_t reported_full;
};

void opd_accounting_init(struct opd_accounting *a, struct opd_log *log, struct opd_session *session,
		    struct opd_sampling *sampling);
/* Release @a, which must be initialized but need not be open. */
void opd_accounting_release(struct opd_accounting *a);

/* Read the totals that earlier daemons wrote to the session. If the last daemon was killed, correct
 * the totals: add the samples that the sample files contain but the totals do not. Return 0 or a
 * negative errno. */
int opd_accounting_open(struct opd_accounting *a);

/* Set the objects whose counters the totals include. The objects are borrowed; @jit may be NULL. */
void opd_accounting_attach(struct opd_accounting *a, struct opd_sample_cache *cache,
			   struct opd_jit *jit);

/* Compute the session's totals. The caller releases @ret, also after an error. Return 0 or a
 * negative errno. */
int opd_accounting_totals(struct opd_accounting *a, struct op_session_stats *ret);

int opd_accounting_write(struct opd_accounting *a);

/* Call when sampling starts: write totals that name this process as the running daemon. After
 * opd_accounting_end(), the next write of the totals removes the name. */
void opd_accounting_begin(struct opd_accounting *a);
void opd_accounting_end(struct opd_accounting *a);

/* Report that samples were stored or lost. opd_accounting_turn() then writes the totals within a
 * second. */
void opd_accounting_touch(struct opd_accounting *a);
/* Return the time, in ms of op_now_ms(), at which opd_accounting_turn() must be called;
 * UINT64_MAX: no call is needed. */
uint64_t opd_accounting_due(const struct opd_accounting *a);
void opd_accounting_turn(struct opd_accounting *a);

/* If a sample file was truncated while it was mapped, close all sample files. When a sample file is
 * opened again, its contents are checked. */
void opd_accounting_check_files(struct opd_accounting *a);
/* Correct the counters after damage to sample files: the samples in the files count as stored, the
 * missing samples as lost. */
void opd_accounting_balance(struct opd_accounting *a);

/*
 * Prepare the accounting of a new session: write the new session's totals to the session's
 * directory @next_fd (-1: do not write), and set @base for opd_accounting_restart(). Return 0, or a
 * negative errno and leave the old session's accounting unchanged.
 */
int opd_accounting_prepare(struct opd_accounting *a, int next_fd, struct op_session_stats *base);
/* Start the accounting of the new session with all counters 0. Take ownership of the contents of
 * *@base, the totals from opd_accounting_prepare(). */
void opd_accounting_restart(struct opd_accounting *a, struct op_session_stats *base);

/* Set *@taken and *@lost to the numbers of samples in the current session and in the sessions that
 * this daemon has closed. The numbers are at most a second old. */
void opd_accounting_sums(const struct opd_accounting *a, uint64_t *taken, uint64_t *lost);

/* Return the number of samples lost to a full disk since the last call. */
uint64_t opd_accounting_newly_full(struct opd_accounting *a);

#endif
