/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * books.h -- accounting of samples: taken, stored, lost, and reported.
 */
#ifndef PP_FORMAT_BOOKS_H
#define PP_FORMAT_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_books {
	uint64_t taken, stored;
	uint64_t lost;		/* without samples that the user excluded: */
	uint64_t excluded;
	uint64_t pending;	/* not stored yet when the totals were written */
	uint64_t reported;	/* samples in the profile, not scaled */
	int add_up;		/* the other numbers add up to the samples taken */
	bool is_live;		/* a daemon is adding samples to the session */
	/* maximum of samples that it may have added after it wrote the totals */
	uint64_t behind;
	int is_part;		/* the profile has only a part of the session */
};

/* Return the accounting; all zero if the session has no totals. */
struct pp_books pp_books(const struct pp_session *session, const struct pp_profile *profile);

/* Return whether the counter is of losses and is not 0. */
bool pp_is_loss(const struct op_stat_value *v);
/* Return whether the counter is the time of an event, which the classes have. */
bool pp_is_event_time(const struct op_stat_value *v);

#endif
