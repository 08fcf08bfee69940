/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounting.h -- the totals of the session: computes them from all counters, writes them beside
 * the samples, and corrects them after damage to files or a killed daemon.
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

/* Owns the counters, which others increment; the rest is borrowed. */
struct opd_accounting {
	struct opd_stats stats;
	struct opd_log *log;
	struct opd_session *session;
	struct opd_sampling *sampling;
	struct opd_sample_cache *cache;	/* set by opd_accounting_attach() */
	struct opd_jit *jit;		/* may be NULL */
	uint64_t written_ms;
	/* this process while it takes samples, else zeroed */
	struct op_session_writer writer;
	bool is_stale;			/* counters have changed since written_ms */
	bool failed;			/* the last write failed, and the failure was logged */
	unsigned long lost_pages;	/* odb_lost_pages() at the last check */
	/* samples lost to a full disk that opd_accounting_newly_full() has returned */
	uint64_t reported_full;
};

void opd_accounting_init(struct opd_accounting *a, struct opd_log *log, struct opd_session *session,
		    struct opd_sampling *sampling);
/* Release @a, which may be initialized without being opened. */
void opd_accounting_release(struct opd_accounting *a);

/* Read the totals that earlier daemons wrote; if the last daemon was killed, add the additional
 * samples in its files. Return 0 or a negative errno. */
int opd_accounting_open(struct opd_accounting *a);

/* From now on include the counters of these two in the totals. */
void opd_accounting_attach(struct opd_accounting *a, struct opd_sample_cache *cache,
			   struct opd_jit *jit);

/* Compute the totals. @ret is set in all cases, and the caller releases it. Return 0 or a negative
 * errno. */
int opd_accounting_totals(struct opd_accounting *a, struct op_session_stats *ret);

int opd_accounting_write(struct opd_accounting *a);

/* Note that sampling has begun: mark the totals on the disk. The mark stays until
 * opd_accounting_end() and the write after it. */
void opd_accounting_begin(struct opd_accounting *a);
void opd_accounting_end(struct opd_accounting *a);

/* Note that samples were stored or lost: the totals on disk must be updated within a second. */
void opd_accounting_touch(struct opd_accounting *a);
/* Return the time of op_now_ms() at which opd_accounting_turn() must be called; UINT64_MAX: no
 * time. */
uint64_t opd_accounting_due(const struct opd_accounting *a);
void opd_accounting_turn(struct opd_accounting *a);

/* Close all sample files if one was truncated while it was mapped: they are checked when opened
 * again. */
void opd_accounting_check_files(struct opd_accounting *a);
/* Correct the counters after damage: samples that the files still contain count as stored, the
 * missing ones as lost. */
void opd_accounting_balance(struct opd_accounting *a);

/*
 * Prepare the accounting of a new session: write its totals into its samples directory @next_fd
 * (unless that is -1) and fill in @base. Return 0, or a negative errno, which leaves the old
 * session's accounting unchanged.
 */
int opd_accounting_prepare(struct opd_accounting *a, int next_fd, struct op_session_stats *base);
/* Begin the new session with all counters 0. Takes ownership of *@base. */
void opd_accounting_restart(struct opd_accounting *a, struct op_session_stats *base);

/* Return the number of samples lost to a full disk since the last call. */
uint64_t opd_accounting_newly_full(struct opd_accounting *a);

#endif
