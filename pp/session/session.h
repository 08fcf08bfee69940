/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the first stage of a report: the sample files to read, and the column of each.
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

/*
 * Which binaries a session separates by program (--separate), from the names of its sample files.
 */

/* The program and the binary in the name of a sample file. */
struct pp_apart_pair {
	size_t session;
	const char *app, *image;	/* the files' titles */
};

/* A zeroed struct is empty. */
struct pp_apart {
	struct pp_apart_pair *pairs;	/* sorted */
	size_t nr;
};

/* Read the names of all files; call it before files are filtered. Return 0 or -ENOMEM. */
int pp_apart_init(struct pp_apart *apart, const struct pp_files *files);

/* Return whether the session keeps samples of @app in @image in a sample file with @image as its
 * program. */
bool pp_apart_merged(const struct pp_apart *apart, size_t session, const char *app,
		     const char *image);

/* Profiles (files of programs) in the session directory of an archive. */
#define PP_ARCHIVE_PROFILES	"profiles"

/* The images that frames of call paths of one session are in. */
struct pp_session_images {
	struct op_path_images list;
	char *path;		/* path of the list */
	const char **titles;	/* titles in reports, indexed as list.images; NULL: unknown */
};

struct pp_session {
	char *dir;			/* the session directory */
	/* directory that oparchive made, with @dir in it; NULL: not an archive. The binaries are
	 * below this directory. */
	char *archive;
	char **samples_dirs;		/* one for each session; for a profile, its file */
	struct pp_source **sources;	/* indexed as samples_dirs */
	/* number of sources that are files of programs, not samples directories */
	size_t nr_profiles;
	struct op_session_about *about;	/* of each session; zeroed if unknown */
	/* of each session; empty if threads were not separated */
	struct op_task_names *task_names;
	struct pp_session_images *path_images;	/* of each session, if there are trees; else NULL */
	size_t nr_samples_dirs;
	struct pp_files files;		/* never empty */
	struct pp_apart apart;		/* names of all files found, before filtering */
	const struct pp_spec *spec;	/* the specification of the options */
	bool exclude_dependent;
	bool libs_merged;		/* --merge=lib: the program of each file is its image */
	bool is_filtered;		/* the specification excluded files */
	bool has_arcs;			/* the session has call-graph files, used or skipped */
	bool has_trees;			/* the session has trees of call paths */
	struct pp_classes classes;
	struct op_session_stats stats;	/* sums over all sessions, or over all profiles */
	struct op_session_stats beside;	/* sums over the sessions, if there are profiles */
	bool has_stats;
	/* some are of OProfile 1.4, which counts only its last run */
	bool has_operf_stats;
};

/* Add a source to the session, which then owns it. Return 0, or -ENOMEM; then the caller still owns
 * it. */
int pp_session_add_source(struct pp_session *session, struct pp_source *source);
/* Return NAME of "DIR/samples/NAME/", malloc'd, or NULL if out of memory or the path has another
 * form. */
char *pp_session_name(const char *samples_dir);

/* Return whether trees of call paths were found in this directory. */
bool pp_session_has_trees(const struct pp_session *session, size_t samples_dir);

/* Takes NULL. */
void pp_session_close(struct pp_session *session);

#endif
