/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * books.h -- how far a report can be believed: what was taken, stored, lost, and reported.
 */
#ifndef PP_FORMAT_BOOKS_H
#define PP_FORMAT_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_books {
	uint64_t taken, stored;
	uint64_t lost;		/* without what the user asked to be left out: */
	uint64_t excluded;
	uint64_t pending;	/* on their way when the numbers were written */
	uint64_t reported;	/* in the profile, not scaled */
	int add_up;		/* taken is what became of them */
	bool is_live;		/* a daemon is adding samples to the session */
	uint64_t behind;	/* maximum of samples that it may have added after it wrote the totals */
	int is_part;		/* only part of the session is in the profile */
};

/* All zero when the session has no numbers. */
struct pp_books pp_books(const struct pp_session *session, const struct pp_profile *profile);

/* Is this a loss, and not none? */
bool pp_is_loss(const struct op_stat_value *v);
/* Is it how long an event was counted? That is in the classes. */
bool pp_is_event_time(const struct op_stat_value *v);

#endif
