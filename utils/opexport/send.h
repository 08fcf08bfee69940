/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.h -- sends one interval, exactly once.
 *
 * The order is: stacks, samples, session. Each INSERT is stored whole or not at all, because its
 * rows are one block of one partition in a gzip stream. The row of table sessions is the mark that
 * the interval is complete. After a cut at any point:
 *
 * - The stacks may be sent again, because their table merges equal rows. - The samples are not sent
 * again if the server has more samples of this host and time than its sessions account for. Then
 * only the session is missing. - If the session is there, all is done.
 *
 * A query has the interval's name as its id, so that a slow first try and a second one cannot run
 * at the same time. Servers with deduplication also ignore an INSERT that a network repeats.
 */
#ifndef OPEXPORT_SEND_H
#define OPEXPORT_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "utils/opexport/batch.h"
#include "utils/opexport/choose.h"
#include "utils/opexport/features.h"
#include "utils/opexport/http.h"

/* Results besides those of requests. */
enum export_send_error {
	/* error: the interval ends more than an hour after the time of the server's clock */
	EXPORT_ERR_CLOCK = -6400,
	/* error: another machine has sent intervals under the name of this host */
	EXPORT_ERR_HOST,
	EXPORT_ERR_BUSY,	/* error: the server still runs an earlier INSERT of the interval */
};

/* seconds by which the end of an interval may be later than the server's clock */
#define EXPORT_MAX_AHEAD	3600

struct export_sender {
	struct export_http *http;
	const char *database;
	struct export_features features;
	struct export_host host;
	size_t max_rows;	/* --rows; 0: all */
	struct export_sent_stacks known;
	/* an earlier INSERT of the next interval may have been stored without an answer */
	bool is_unsure;
};

/* Result of a sent interval. */
struct export_sent {
	bool was_there;		/* the server had the interval already */
	uint64_t samples, bytes;	/* exact sum of the counts; bytes of the requests */
	size_t nr_rows, nr_thinned;
};

/*
 * Choose the unique name of this host: its own, unless another machine has sent intervals under it
 * before; then a suffix from the machine's id is added, with a warning. Return 0, or an error of a
 * request, with a message.
 */
int export_sender_name_host(struct export_sender *s, struct pp_log *log);

/* Read the names and the end of the intervals that the server has of this host. @since: earliest
 * begin of the names, in seconds since 1970. Return 0, or an error of a request, with a message. */
int export_sender_progress(struct export_progress *ret, struct export_sender *s, int64_t since,
			   struct op_reason *error);

/* Send an interval. Return 0, or a negative error with a message. */
int export_send(struct export_sender *s, const struct export_interval *interval,
		const struct export_gap *gaps, size_t nr_gaps, struct export_sent *ret,
		struct op_reason *error);

#endif
