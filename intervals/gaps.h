/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gaps.h -- reads and writes the file that lists a session's times without samples (gaps):
 * "stats/gaps" of a samples directory, with lines "FROM TO REASON". Times are nanoseconds since
 * 1970.
 */
#ifndef ITV_GAPS_H
#define ITV_GAPS_H

#include "intervals/interval.h"

#define ITV_GAPS_FILE	"stats/gaps"

/* Append a gap to the session's file. @reason: text without a newline. Return 0 or a negative
 * errno. */
int itv_gaps_append(int samples_dirfd, int64_t from_ns, int64_t to_ns, const char *reason);

/* Add to @a the gaps that the session's file lists, and sort all gaps of @a. Ignore invalid lines.
 * Return 0 or -ENOMEM. */
int itv_gaps_read(struct itv_accounting *a, int samples_dirfd);

#endif
