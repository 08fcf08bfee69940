/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.h -- finds the samples that were added to a session since the last read, while a daemon is
 * writing the session.
 *
 * Sample files and trees of call paths stay mapped. libdb guarantees that a reader sees consistent
 * sums while the daemon writes. So the samples of a span of time are the difference of two sums.
 * The daemon only has to write its buffered samples to the mapped files (the request "refresh").
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

/* New samples of a node of a tree of call paths, which are not in the live profile yet. Looking up
 * the functions of a path is expensive and is postponed, because few views show call paths. */
struct pp_top_unnamed {
	struct pp_top_tree *tree;
	uint32_t node;
	uint64_t count;
};

struct pp_top_follow {
	struct pp_top_live *live;	/* the live profile to which samples are added; borrowed */
	/* images (binaries) of the session; borrowed; NULL: do not look up functions */
	struct pp_images *images;
	char *dir;			/* path of the samples directory, DIR/samples/current */
	ino_t session; /* inode of the directory .dir; 0: the session does not exist yet */
	/* .events: events of the session, sorted by name; .event: index of the event whose samples
	 * are read */
	struct pp_top_event *events;
	size_t nr_events, event;
	struct pp_top_file **files;
	size_t nr_files;
	struct pp_top_tree **trees;
	size_t nr_trees;
	/* samples that the last read has found in trees of call paths */
	struct pp_top_unnamed *unnamed;
	size_t nr_unnamed;
	struct pp_top_set inodes;	/* inode numbers of the files and trees that are read */
	/* addresses of the path strings of all trees that were read in this session */
	struct pp_top_set paths;
	/* a new file was still empty, so the next read must search for it again */
	bool again;
	/* The following members belong to call paths. */
	struct frames *frames;		/* the session's list of frames; NULL: not open */
	/* for each frame: number of its function in the live profile, plus 1; 0: not looked up
	 * yet */
	uint32_t *function_of;
	size_t nr_function_of;
	struct op_path_images list;
	/* size of the file with the list of images when this file was last read */
	off_t list_size;
	/* for each number in the list of images: the image; NULL: not used yet */
	struct pp_top_path_image **path_images;
	size_t nr_path_images;
	struct pp_files titles;		/* makes the titles of images, and owns them */
	struct pp_log log;		/* log that discards all messages */
};

/* Initialize @f for the samples directory @dir (DIR/samples/current). Return 0 or -ENOMEM. In both
 * cases the caller releases @f. */
int pp_top_follow_init(struct pp_top_follow *f, struct pp_top_live *live, struct pp_images *images,
		       const char *dir);
/* Free the contents of @f, which may be zeroed. */
void pp_top_follow_release(struct pp_top_follow *f);

enum pp_top_look {
	/* only record the current sums, so that earlier samples are not counted */
	PP_TOP_BEGIN = 1,
	PP_TOP_SEARCH = 2,	/* search the samples directory for files that are not read yet */
};

/* Names of files that the daemon has created since the last read, as paths below the samples
 * directory. Names that are not of sample files or trees are ignored. */
struct pp_top_names {
	const char **items;
	size_t nr;
};

/*
 * Add the samples since the last read to the live profile, except samples of trees of call paths
 * (see pp_top_follow_paths()). @how: bits of enum pp_top_look. The daemon begins another session
 * when it closes an interval. In this case, count the remaining samples of the old session and all
 * samples of the new session. Return 0, -ENOENT if the session does not exist, or another negative
 * errno.
 */
int pp_top_follow_read(struct pp_top_follow *f, unsigned int how, const struct pp_top_names *names);
/* Add the call paths that the last read has found to the live profile. Return 0 or -ENOMEM. */
int pp_top_follow_paths(struct pp_top_follow *f);

/* Read the samples of another event of the session from now on. @event: index into .events. The
 * next call of pp_top_follow_read() must have PP_TOP_BEGIN. */
void pp_top_follow_event(struct pp_top_follow *f, size_t event);

#endif
