/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.h -- sends one interval, exactly once.
 *
 * An interval has three INSERTs, in this order: its stacks, its samples, and its row of table
 * sessions, which marks the interval as complete. The server stores an INSERT as a whole or not at
 * all, because its rows are one block of one partition in a gzip stream. After an interruption, the
 * next attempt skips the INSERTs that the server has stored:
 *
 * If the server has the row of table sessions, the interval is complete.
 *
 * If the server has more samples with this host and time than its rows of table sessions account
 * for, it has the samples of the interval, and only the row of table sessions is sent.
 *
 * Otherwise all is sent. Table stacks merges equal rows.
 *
 * The id of an INSERT contains the interval's name, so that the server refuses a second attempt
 * while the first one runs. Servers with deduplication also ignore an INSERT that the network
 * repeats.
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
	/* the server may have stored an earlier INSERT of the next interval, whose answer was
	 * lost */
	bool is_unsure;
};

/* Result of a sent interval. */
struct export_sent {
	bool was_there;		/* the server had the interval already */
	uint64_t samples, bytes;	/* exact sum of the counts; bytes of the requests */
	size_t nr_rows, nr_thinned;
};

/*
 * Make s->host.name unique: if another machine has sent intervals under this name first, append
 * digits of s->host.machine, and log a warning. Return 0, or an error of a request, with a message.
 */
int export_sender_name_host(struct export_sender *s, struct pp_log *log);

/* Read the end of the latest interval of this host that the server has, and the names of the
 * intervals that begin at @since or later, in seconds since 1970. Return 0, or an error of a
 * request, with a message. */
int export_sender_progress(struct export_progress *ret, struct export_sender *s, int64_t since,
			   struct op_reason *error);

/* Send an interval, unless the server has it. @gaps: gaps of the export before the interval. Return
 * 0, or a negative error with a message. */
int export_send(struct export_sender *s, const struct export_interval *interval,
		const struct export_gap *gaps, size_t nr_gaps, struct export_sent *ret,
		struct op_reason *error);

#endif
