/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * closed.h -- snapshots of closed intervals: samples of the past that a daemon with --interval has
 * stored.
 */
#ifndef PP_TOP_CLOSED_H
#define PP_TOP_CLOSED_H

#include <stdint.h>

#include "pp/profile/profile.h"
#include "pp/session/session.h"
#include "pp/top/snapshot.h"
#include "pp/top/top.h"


/* The snapshot of a closed interval. The session, images and profile from which it was made own its
 * strings. A zeroed struct is empty. */
struct pp_top_closed {
	/* begin and end of the interval, in seconds since 1970, UTC */
	int64_t begin, end;
	struct pp_top_snapshot snapshot;
	struct pp_spec spec;
	struct pp_session *session;
	struct pp_images *images;
	struct pp_profile *profile;
	struct pp_block *strings;
};

/*
 * Find the newest interval that begins before @time or, with @later, the oldest interval that
 * begins after @time. Set *@begin and *@end in seconds since 1970, UTC. Return 0, -ENOENT if no
 * such interval exists, or another negative errno.
 */
int pp_top_closed_find(int64_t *begin, int64_t *end, const struct op_session_paths *paths,
		       int64_t time, bool later);

/* Make the snapshot of the interval from @begin to @end. @event: name of an event, or NULL for all
 * events. Return 0, or a negative errno with the reason in the log. */
int pp_top_closed_open(struct pp_top_closed *ret, const struct op_session_paths *paths,
		       int64_t begin, int64_t end, const char *event,
		       const struct pp_top_options *options, struct pp_log *log);
void pp_top_closed_release(struct pp_top_closed *closed);

#endif
