/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h -- accounting for every interrupt: TAKEN == STORED + all losses + all converted records
 * (libop/session/stats.h lists the names).
 *
 * The totals of a session are the sum of three parts: the counters of earlier daemons, which are
 * read from stats/totals at the start; this daemon's own counters; and the increase of the
 * source's counters since the session's start. While the daemon samples, some samples are always
 * in transit from the source to the daemon. They are reported as "pending" and are not in TAKEN
 * yet.
 */
#ifndef OPD_STATS_H
#define OPD_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/session/stats.h"
#include "module/uapi/unwind.h"

enum opd_stat {
	OPD_STAT_STORED,
	OPD_STAT_DISK_FULL,
	OPD_STAT_SAMPLE_FILE,
	OPD_STAT_TOO_MANY_FILES,
	OPD_STAT_IMAGE_TABLE,
	OPD_STAT_NO_DOMAIN,
	OPD_STAT_NO_FILE,
	OPD_STAT_NO_APP,
	OPD_STAT_EVENT,
	OPD_STAT_TORN_RECORD,
	OPD_STAT_EXCLUDED_IMAGE,
	OPD_STAT_EXCLUDED_DOMAIN,
	OPD_STAT_IBS_RECORDS,
	OPD_STAT_IBS_DERIVED,
	OPD_STAT_WAKERS,
	OPD_STAT_UNKNOWN_CODE,
	OPD_STAT_BAD_RECORD,
	OPD_STAT_OVER_BUDGET,
	OPD_STAT_SET_ASIDE,
	OPD_STAT_VERSIONS,
	OPD_STAT_REPAIRED,
	OPD_STAT_PATHS,
	OPD_STAT_PATHS_LOST,
	OPD_STAT_FOLDINGS,
	/* Counters of call paths by the result of unwinding. OPD_STAT_PATH_END() returns the
	 * counter for a value of enum oprofile_uw_end. */
	OPD_STAT_PATHS_WHOLE,
	OPD_STAT_LAST_PATH_END = OPD_STAT_PATHS_WHOLE + OPROFILE_UW_NR_ENDS - OPROFILE_UW_WHOLE - 1,
	OPD_NR_STATS,
};

#define OPD_STAT_PATH_END(end)	(OPD_STAT_PATHS_WHOLE + (end) - OPROFILE_UW_WHOLE)

struct opd_stats {
	uint64_t v[OPD_NR_STATS];
	/* counters of a source that are not in enum opd_stat */
	struct op_session_stats extra;
	/* the session's counters when this daemon started */
	struct op_session_stats earlier;
	/* the source's counters when the session started */
	struct op_session_stats source_base;
	/* a damaged sample file was found, and the samples in it are lost */
	bool file_lost;
	bool page_lost;		/* a sample file was truncated or damaged while it was open */
};

void opd_stats_init(struct opd_stats *s);
void opd_stats_release(struct opd_stats *s);

const char *opd_stat_name(enum opd_stat stat);

/* Add @nr to the counter @name that a source reported. Return true if the counter was 0 before. */
bool opd_stats_count(struct opd_stats *s, const char *name, uint64_t nr);

/*
 * Store the session's totals in @ret, which must be zeroed. @source: current counters of the
 * source. @settled: sampling is stopped and all samples were read, so no samples are in transit.
 * Then TAKEN is the source's own count. If it differs from the sum of the other counters, samples
 * were miscounted. Return 0 or a negative errno.
 */
int opd_stats_totals(const struct opd_stats *s, const struct op_session_stats *source, bool settled,
		     struct op_session_stats *ret);

/*
 * Store the source's counters in *@base, for a session that starts now. Samples that are in transit
 * now will belong to the new session. The caller must zero @base; after an error @base is still
 * zeroed. Return 0 or -ENOMEM.
 */
int opd_stats_base(const struct opd_stats *s, const struct op_session_stats *source, bool settled,
		   struct op_session_stats *base);
/* Start a session with all counters 0. Take ownership of the contents of *@base, the source's
 * counters from opd_stats_base(). */
void opd_stats_restart(struct opd_stats *s, struct op_session_stats *base);

#endif
