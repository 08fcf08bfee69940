/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.h -- finds the samples that were added to a session since the last read, while a daemon is
 * writing it.
 *
 * Sample files and trees stay mapped. libdb guarantees consistent sums to a reader beside the
 * writer, so the samples of a span of time are the difference of two sums. The daemon only has to
 * write its samples to the mapped files (the request "refresh").
 */
#ifndef PP_TOP_FOLLOW_H
#define PP_TOP_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdb/frames.h"
#include "libop/session/path_images.h"
#include "pp/base/log.h"
#include "pp/session/files.h"
#include "pp/top/live.h"

struct pp_top_file;
struct pp_top_tree;
struct pp_top_path_image;

struct pp_top_event {
	const char *name;
	uint64_t count; /* sampling period: events per sample; for TIMER, nanoseconds per sample */
};

/* New samples of a node of a tree, not yet in the live profile. Naming the functions on call paths
 * is expensive, and few views show them. */
struct pp_top_unnamed {
	struct pp_top_tree *tree;
	uint32_t node;
	uint64_t count;
};

struct pp_top_follow {
	struct pp_top_live *live;	/* borrowed */
	/* images of the session; borrowed; NULL: show no functions */
	struct pp_images *images;
	char *dir;			/* DIR/samples/current */
	ino_t session;			/* inode of .dir; 0: the session does not exist yet */
	/* events of the session, sorted by name; .event: index of the followed event */
	struct pp_top_event *events;
	size_t nr_events, event;
	struct pp_top_file **files;
	size_t nr_files;
	struct pp_top_tree **trees;
	size_t nr_trees;
	struct pp_top_unnamed *unnamed;	/* samples of trees from the last read */
	size_t nr_unnamed;
	struct pp_top_set inodes;	/* inodes of the followed files and trees */
	struct pp_top_set paths;	/* addresses of the paths of trees that were followed */
	bool again;			/* a new file was empty: the next read must find it again */
	/* Call paths. */
	struct frames *frames;		/* the session's file of frames; NULL: not open */
	/* for each frame: number of its function, plus 1; 0: not looked up yet */
	uint32_t *function_of;
	size_t nr_function_of;
	struct op_path_images list;
	off_t list_size;		/* size of the list's file when it was read */
	/* images of call paths, by number; NULL: not read yet */
	struct pp_top_path_image **path_images;
	size_t nr_path_images;
	struct pp_files titles;		/* makes titles of images */
	struct pp_log log;		/* discards messages */
};

/* Follow the samples directory @dir (DIR/samples/current). Return 0 or -ENOMEM. In both cases the
 * caller releases @f. */
int pp_top_follow_init(struct pp_top_follow *f, struct pp_top_live *live, struct pp_images *images,
		       const char *dir);
/* Free the contents of @f, which may be zeroed. */
void pp_top_follow_release(struct pp_top_follow *f);

enum pp_top_look {
	PP_TOP_BEGIN = 1,	/* record the current sums, but count no samples */
	PP_TOP_SEARCH = 2,	/* search for files that are new since the last search */
};

/* Paths, below the samples directory, of files that are new since the last read. Names of other
 * files are ignored. */
struct pp_top_names {
	const char **items;
	size_t nr;
};

/*
 * Add the samples since the last read to the live profile, except those of trees (see
 * pp_top_follow_paths()). @how: bits of enum pp_top_look. If the daemon has begun another session,
 * because an interval was closed, count the rest of the old session and all samples of the new one.
 * Return 0, -ENOENT if the session does not exist, or another negative errno.
 */
int pp_top_follow_look(struct pp_top_follow *f, unsigned int how, const struct pp_top_names *names);
/* Add the samples of trees from the last read to the live profile. Return 0 or -ENOMEM. */
int pp_top_follow_paths(struct pp_top_follow *f);

/* Follow another event of the session. The next read must have PP_TOP_BEGIN. */
void pp_top_follow_event(struct pp_top_follow *f, size_t event);

#endif
