/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top.h -- snapshots of a session directory. Asks the daemon to write its samples to the files, and
 * makes a snapshot of the samples since the last snapshot.
 */
#ifndef PP_TOP_TOP_H
#define PP_TOP_TOP_H

#include <stdbool.h>

#include "libop/session/paths.h"
#include "pp/top/follow.h"
#include "pp/top/snapshot.h"

struct pp_top_options {
	/* path of the session directory; NULL: ./oprofile_data if it exists, else the default
	 * directory */
	const char *session_dir;
	const char *image_path; /* other directories of binaries, as in struct pp_images_options */
	const char *event;		/* name of the event to show; NULL: the first event */
	enum pp_demangle demangle;
	bool no_cache;			/* do not use the cache of symbol tables */
};

struct pp_top {
	struct op_session_paths paths;
	struct pp_images *images;
	/* the samples directory, as an array with one element for .images */
	char *samples_dirs[1];
	struct pp_top_live live;
	struct pp_top_follow follow;
	/* name of the event that the user requested; NULL: any event */
	const char *event;
	/* time of the last snapshot, in ms since 1970; begin of the next snapshot's span */
	int64_t last_ms;
	/* number of samples that the daemon reported as lost at the last snapshot */
	uint64_t lost;
	bool has_lost;			/* .lost has been read from the daemon */
	/* number of files that the daemon had created at its last answer; 0: no answer yet */
	uint64_t files;
	/* .new_files: the daemon has created files whose names are unknown. .searched_ms,
	 * .search_ms: time of the last search and of the next search, in ms of the monotonic
	 * clock */
	bool new_files;
	uint64_t searched_ms, search_ms;
	bool has_begun;
	/* all snapshots need call paths; otherwise pp_top_add_paths() adds call paths to a
	 * snapshot */
	bool wants_paths;
	/* why the snapshot may lack new samples, such as "the daemon does not answer"; empty: no
	 * problem */
	struct op_reason trouble;
	bool gone;			/* no daemon runs for the session directory */
	bool paused;			/* the daemon answers, but sampling is stopped */
};

/* Open the session directory. Return 0, or a negative errno with the reason in the log. It is an
 * error if no daemon answers, or if the user may not read the samples. */
int pp_top_open(struct pp_top *top, const struct pp_top_options *options, struct pp_log *log);
/* Free the contents of @top, which may be zeroed. */
void pp_top_close(struct pp_top *top);

/* Exclude all samples that were taken until now from the next snapshot. Return 0 or a negative
 * errno. */
int pp_top_begin(struct pp_top *top);
/* Make a snapshot of the samples since pp_top_begin() or the last snapshot. If no daemon runs or no
 * session exists, the snapshot is empty and .trouble has the reason. Return 0 or -ENOMEM. */
int pp_top_next(struct pp_top *top, struct pp_top_snapshot *ret);
/* Add call paths to @snapshot, the last snapshot, unless it has them already. Return 0 or
 * -ENOMEM. */
int pp_top_add_paths(struct pp_top *top, struct pp_top_snapshot *snapshot);
/* Show the next event of the session from now on, if there are several events. Return 0 or
 * -ENOMEM. */
int pp_top_next_event(struct pp_top *top);

#endif
