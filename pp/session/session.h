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
#include "pp/session/apart.h"
#include "pp/session/classes.h"
#include "pp/session/files.h"
#include "pp/session/spec.h"

/* Files that programs wrote of themselves, in the session directory of an archive. */
#define PP_ARCHIVE_PROFILES	"profiles"

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
	char **samples_dirs;		/* one for each session asked for; of a profile its file */
	struct pp_source **sources;	/* beside these */
	size_t nr_profiles;		/* how many of them are files of programs, not samples directories */
	struct op_session_about *about;	/* of each; zeroed where nothing is known */
	struct op_task_names *task_names;	/* of each; empty where they were not told apart */
	struct pp_session_images *path_images;	/* of each, when there are trees; else NULL */
	size_t nr_samples_dirs;
	struct pp_files files;		/* never empty */
	struct pp_apart apart;		/* names of all files found, before filtering */
	const struct pp_spec *spec;	/* the options': what was asked for */
	int exclude_dependent;
	int libs_merged;		/* by --merge=lib: files' programs are their images */
	int is_filtered;		/* the specification left files out */
	int has_arcs;			/* there are call-graph files, used or left out */
	int has_trees;			/* ... trees of call paths */
	struct pp_classes classes;
	struct op_session_stats stats;	/* of all the sessions, or all the profiles, added up */
	struct op_session_stats beside;	/* of the sessions, where there are profiles */
	int has_stats;
	int has_operf_stats;		/* some are OProfile 1.4's, which are of its last run only */
};

/* For who fills a session: the source becomes one of its. -ENOMEM, and it is the caller's still. */
int pp_session_add_source(struct pp_session *session, struct pp_source *source);
/* The last part of "DIR/samples/NAME/", malloc'd. NULL: out of memory, or there is no such directory. */
char *pp_session_name(const char *samples_dir);

/* Whether trees of call paths were found in that one of its directories. */
bool pp_session_has_trees(const struct pp_session *session, size_t samples_dir);

/* Takes NULL. */
void pp_session_close(struct pp_session *session);

#endif
