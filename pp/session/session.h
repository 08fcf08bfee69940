/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the first stage of a report: which sample files it is made of, and in which columns
 * they belong.
 */
#ifndef PP_SESSION_SESSION_H
#define PP_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/session/about.h"
#include "libop/session/path_images.h"
#include "libop/session/stats.h"
#include "libop/session/task_names.h"
#include "pp/base/log.h"
#include "pp/session/classes.h"
#include "pp/session/files.h"
#include "pp/session/spec.h"

struct pp_session_options {
	const char *session_dir; /* NULL: ./oprofile_data when there is one, else the default */
	const struct pp_spec *spec;
	unsigned int merge;		/* enum pp_merge */
	int exclude_dependent;		/* only samples in the program's own file */
	int any_axes;			/* classes may differ in more than one axis */
	int anon_ranges;		/* memory without a file by process and range */
	int callgraph;			/* call-graph files count; else they are left out */
	int paths;			/* so do trees of call paths */
	int task_rows;			/* though .any_axes, processes and threads are rows (tasks.h) */
	int merge_tasks;		/* nor rows, but added up, where they are not chosen by number */
};

/* The images that frames of call paths of one session are in. */
struct pp_session_images {
	struct op_path_images list;
	char *path;		/* of the list */
	const char **titles;	/* beside list.images, as reports name them; NULL: nothing is known of it */
};

struct pp_session {
	char *dir;			/* the session directory */
	char *archive;			/* what oparchive made, which @dir is in; NULL: none. Its
					 * binaries are below it as below / */
	char **samples_dirs;		/* one for each session asked for */
	struct op_session_about *about;	/* of each; zeroed where nothing is known */
	struct op_task_names *task_names;	/* of each; empty where they were not told apart */
	struct pp_session_images *path_images;	/* of each, when there are trees; else NULL */
	size_t nr_samples_dirs;
	struct pp_files files;		/* never empty */
	const struct pp_spec *spec;	/* the options': what was asked for */
	int exclude_dependent;
	int libs_merged;		/* by --merge=lib: files' programs are their images */
	int is_filtered;		/* the specification left files out */
	int has_arcs;			/* there are call-graph files, used or left out */
	int has_trees;			/* ... trees of call paths */
	struct pp_classes classes;
	struct op_session_stats stats;	/* of all the sessions, added up */
	int has_stats;
	int has_operf_stats;		/* some are OProfile 1.4's, which are of its last run only */
};

/* Negative with the reason in the log; a session without samples is a failure, and the reason says
 * why there are none and what to do. */
int pp_session_open(struct pp_session **ret, const struct pp_session_options *options,
		    struct pp_log *log);
/* The last part of "DIR/samples/NAME/", malloc'd. NULL: out of memory, or there is no such directory. */
char *pp_session_name(const char *samples_dir);

/* Whether trees of call paths were found in that one of its directories. */
bool pp_session_has_trees(const struct pp_session *session, size_t samples_dir);

/* Takes NULL. */
void pp_session_close(struct pp_session *session);

#endif
