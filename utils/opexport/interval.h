/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval.h -- reads one closed interval, with the names of its functions. */
#ifndef OPEXPORT_INTERVAL_H
#define OPEXPORT_INTERVAL_H

#include <stdbool.h>

#include "intervals/interval.h"
#include "intervals/store.h"
#include "libop/session/paths.h"
#include "pp/base/log.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct export_interval {
	struct itv_entry entry;
	struct itv_accounting accounting;	/* times, losses, gaps and parts */
	struct pp_spec spec;
	struct pp_session *session;
	struct pp_images *images;
	struct pp_profile *profile;	/* NULL: the interval has no samples */
};

/* List the store of the session directory @paths. Return 0, -ENOENT if it has no store, or another
 * negative errno. */
int export_list_store(struct itv_list *ret, const struct op_session_paths *paths);

/* Read only the accounting of an interval. Release it by itv_release() of *@ret. Return 0, or a
 * negative errno or enum itv_file_error. */
int export_interval_accounting(struct itv *ret, const struct op_session_paths *paths,
			       const struct itv_entry *entry);

/* Return whether the interval with this accounting was merged from others. */
bool export_interval_is_merged(const struct itv_accounting *accounting);

/*
 * Read the interval @entry and name its functions. Return 0; -ESTALE if the daemon has merged or
 * deleted the interval since the store was listed; -EEXIST if other intervals cover its whole time,
 * because the clock was set back; or another negative error with the cause in the log.
 */
int export_interval_open(struct export_interval *ret, const struct op_session_paths *paths,
			 const struct itv_list *list, const struct itv_entry *entry,
			 struct pp_log *log);
void export_interval_release(struct export_interval *interval);

/* Return a time that only @entry contains, of all entries of @list, or INT64_MIN if other entries
 * cover its whole time. Declared for tests. */
int64_t export_interval_own_time(const struct itv_list *list, const struct itv_entry *entry);

#endif
