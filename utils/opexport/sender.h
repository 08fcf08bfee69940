/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sender.h -- the interface of a kind of server to which intervals are sent: ClickHouse (send.h) or
 * a collector of OpenTelemetry (otlp_send.h).
 */
#ifndef OPEXPORT_SENDER_H
#define OPEXPORT_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/http.h"
#include "pp/base/log.h"
#include "utils/opexport/batch.h"
#include "utils/opexport/choose.h"
#include "utils/opexport/features.h"

#define EXPORT_REASON_SIZE	300	/* size of a reason in an answer of a server */

/* Results besides those of requests. */
enum export_send_error {
	/* error: the interval ends more than an hour after the time of the server's clock */
	EXPORT_ERR_CLOCK = -6400,
	/* error: another machine has sent intervals under the name of this host */
	EXPORT_ERR_HOST,
	EXPORT_ERR_BUSY,	/* error: the server still runs an earlier INSERT of the interval */
	/* error: the server cannot take the request now; .retry_after is the time until the next
	 * attempt */
	EXPORT_ERR_LATER,
	EXPORT_ERR_REJECTED,	/* error: the collector did not store some profiles */
};

/* seconds by which the end of an interval may be later than the server's clock */
#define EXPORT_MAX_AHEAD	3600

struct export_sender;
struct export_sent;

/* The operations of a kind of server. They return 0, or a negative error with a message. */
struct export_sender_ops {
	/* Check the server, and make s->host.name unique on the server. Called before the first
	 * interval, and again after each failure. */
	int (*connect)(struct export_sender *s, struct pp_log *log);
	/*
	 * Read the end of the latest interval of this host that the server has, and the names of
	 * the intervals that begin at @since or later, in seconds since 1970. NULL: the server
	 * cannot be asked, so only the cursor has the end of the latest interval.
	 */
	int (*progress)(struct export_progress *ret, struct export_sender *s, int64_t since,
			struct op_reason *error);
	/* Send an interval, unless the server has it. @gaps: gaps of the export before the
	 * interval. */
	int (*send)(struct export_sender *s, const struct export_interval *interval,
		    const struct export_gap *gaps, size_t nr_gaps, struct export_sent *ret,
		    struct op_reason *error);
};

/* Requests of one interval that a collector has accepted or refused, so that an attempt after a
 * failure does not repeat them. */
struct export_answered {
	char name[ITV_NAME_SIZE];	/* name of the interval's file; "": no interval */
	uint64_t *hashes;		/* hash of the body of each request */
	size_t nr;
	/* number of profiles that the collector did not store, and its last reason */
	uint64_t nr_rejected;
	char reason[EXPORT_REASON_SIZE];
};

struct export_sender {
	const struct export_sender_ops *ops;
	struct fleet_http *http;
	const char *database;
	struct export_features features;
	struct export_host host;
	char own_name[sizeof(((struct export_host *)0)->name)];	/* .host.name without digits */
	size_t max_rows;	/* --rows; 0: all */
	struct export_sent_stacks known;
	/* name and begin of the interval that was sent last by this process; "": none */
	char last[ITV_NAME_SIZE];
	int64_t last_begin;
	/* Intervals that end by this time may have been sent in part by an earlier process: ask the
	 * server. In seconds since 1970. */
	int64_t unsure_until;
	/* intervals of which this process has sent an INSERT, and which are not complete */
	struct export_tried {
		char name[ITV_NAME_SIZE];
		int64_t begin;
	} *tried;
	size_t nr_tried;
	/* with EXPORT_ERR_LATER: seconds until the next attempt, as the server requested; 0: it
	 * did not name a time */
	long retry_after;
	struct export_answered answered;
};

/* Result of a sent interval. */
struct export_sent {
	bool was_there;		/* the server had the interval already */
	uint64_t samples, bytes;	/* exact sum of the counts; bytes of the requests */
	size_t nr_rows, nr_thinned;
	/* number of profiles that the collector did not store, and the reason of the last ones */
	uint64_t nr_rejected;
	char reason[EXPORT_REASON_SIZE];
};

#endif
