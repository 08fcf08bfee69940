/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gaps.h -- the file of times without samples in a session: "stats/gaps" of a samples directory,
 * with lines "FROM TO REASON". Times are nanoseconds since 1970.
 */
#ifndef ITV_GAPS_H
#define ITV_GAPS_H

#include "intervals/interval.h"

#define ITV_GAPS_FILE	"stats/gaps"

/* Append a gap to the file. @reason: text without a newline. Return 0 or a negative errno. */
int itv_gaps_append(int samples_dirfd, int64_t from_ns, int64_t to_ns, const char *reason);

/* Add the gaps of the file to @a, and sort them. Ignore invalid lines. Return 0 or -ENOMEM. */
int itv_gaps_read(struct itv_accounting *a, int samples_dirfd);

#endif
