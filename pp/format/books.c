// SPDX-License-Identifier: GPL-2.0-or-later
/* books.c -- sums of taken, stored, lost and reported samples. */
#include "config.h"
#include "pp/format/books.h"

#include <stdbool.h>
#include <string.h>

#include "pp/profile/stored.h"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Return whether the samples were excluded by an option; such samples are not lost. */
static int is_excluded(const struct op_stat_value *v)
{
	return begins(v->name, "excluded_");
}

bool pp_is_loss(const struct op_stat_value *v)
{
	return v->value && v->desc && v->desc->kind == OP_STAT_LOSS && !is_excluded(v);
}

bool pp_is_event_time(const struct op_stat_value *v)
{
	return begins(v->name, "enabled_ns:") || begins(v->name, "running_ns:");
}

struct pp_books pp_books(const struct pp_session *session, const struct pp_profile *profile)
{
	const struct op_session_stats *stats = &session->stats;
	struct pp_books books = {
		.taken = op_session_stats_sum(stats, OP_STAT_TAKEN) -
			 op_session_stats_sum(stats, OP_STAT_CONVERTED),
		.stored = op_session_stats_sum(stats, OP_STAT_STORED),
		.pending = op_session_stats_get(stats, "pending"),
		.reported = profile->nr_samples,
		.is_part = session->is_filtered,
	};

	for (size_t i = 0; i < session->nr_samples_dirs; i++)
		books.behind += pp_stored_behind(session, i);
	books.is_live = books.behind > 0;

	for (size_t i = 0; i < stats->nr; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (pp_is_loss(v))
			books.lost += v->value;
		else if (v->desc && v->desc->kind == OP_STAT_LOSS)
			books.excluded += v->value;
	}
	/* Files that several runs of operf 1.4 added to hold more samples than the totals of the
	 * last run. */
	if (session->has_operf_stats && !session->is_filtered) {
		books.stored = books.reported;
		books.taken = books.stored + books.lost + books.excluded;
	}
	books.add_up = books.taken == books.stored + books.lost + books.excluded;
	return books;
}
