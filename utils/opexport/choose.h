/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choose.h -- decides which interval of a store is sent next.
 *
 * The daemon merges old intervals into longer ones, and merges the parts of an interval that was
 * closed early. A merged interval must not be sent if its parts were sent. Let T be the end of the
 * latest sent interval. Older intervals are sent first.
 *
 * - An interval after all sent times is sent, the oldest first. - An original interval (not merged
 * from others) before that is sent if the server does not have its name: the clock was set back. -
 * A merged interval before the end of the sent times is complete there. If it only begins before,
 * its rest cannot be separated, and is a gap. - Intervals before the first one that the server has
 * are sent only if the user asks for old ones.
 *
 * An original interval, which was not merged from others, that begins before T is sent if the
 * server does not have its name. Such an interval exists after the clock was set back.
 *
 * A merged interval that ends at T or earlier is skipped, because all its parts were sent.
 *
 * A merged interval that begins before T and ends after T becomes a gap: some of its parts were
 * sent, and the samples of the other parts cannot be separated.
 *
 * The functions do not read the clock or files.
 */
#ifndef OPEXPORT_CHOOSE_H
#define OPEXPORT_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intervals/store.h"

/* seconds from the end of an interval until it is sent */
#define EXPORT_SETTLES	60
/* seconds from the end of a slot (plan.h) during which the daemon may still merge its parts */
#define EXPORT_MERGES	3600

struct export_progress {
	/* end of the latest sent interval, in seconds since 1970; INT64_MIN: nothing was sent */
	int64_t until;
	/* names, without suffix, of sent intervals that begin at .names_since or later, sorted;
	 * INT64_MAX: the server has none; INT64_MIN: all names are known, and old intervals are
	 * sent, too */
	char **names;
	size_t nr_names;
	int64_t names_since;	/* in seconds since 1970; INT64_MAX: the server has no names */
};

enum export_kind {
	EXPORT_NOTHING,		/* no interval can be sent now */
	EXPORT_SEND,		/* send the interval */
	EXPORT_GAP,		/* a part of the interval was sent: record the rest as a gap */
};

struct export_choice {
	enum export_kind kind;
	const struct itv_entry *entry;
};

/*
 * Choose the next interval of @list at the time @now, in seconds since 1970. @settles: seconds from
 * the end of an interval until it is sent. @is_merged returns 1 if the interval was merged from
 * others, 0 if not, or a negative errno. Return 0, or an error of @is_merged.
 */
int export_choose(struct export_choice *ret, const struct itv_list *list,
		  const struct export_progress *progress, int64_t now, int64_t settles,
		  int (*is_merged)(void *arg, const struct itv_entry *entry), void *arg);

/* Return the number of intervals that are older than those with known names, which are the first
 * ones that the server has. export_choose() does not choose them, because the server may have
 * deleted them. All names of the time of @list must be known. */
size_t export_count_older(const struct itv_list *list, const struct export_progress *progress);

/* Note that @entry was sent, or is a gap. Return 0 or -ENOMEM. */
int export_progress_add(struct export_progress *progress, const struct itv_entry *entry);
/* Add a name that the server has. Call export_progress_sort() after the last one. */
int export_progress_add_name(struct export_progress *progress, const char *name);
void export_progress_sort(struct export_progress *progress);
void export_progress_release(struct export_progress *progress);

#endif
