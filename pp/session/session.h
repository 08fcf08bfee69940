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
#include "pp/session/scratch.h"
#include "pp/session/spec.h"

/*
 * The pairs of program and binary in the names of a session's sample files. The pairs show which
 * binaries the session separates by program (--separate).
 */

/* The program and the binary in the name of a sample file. */
struct pp_apart_pair {
	size_t session;
	const char *app, *image;	/* titles of program and image in reports */
};

/* A struct of zeros has no values. */
struct pp_apart {
	/* pairs of program and binary, in order of session, binary and program */
	struct pp_apart_pair *pairs;
	size_t nr;
};

/* Store the pairs of all sample files. Call this before files are filtered. Return 0 or -ENOMEM. */
int pp_apart_init(struct pp_apart *apart, const struct pp_files *files);

/* Return whether the session does not separate @image by program: then samples of the program @app
 * in @image are in a sample file that names @image as its program. */
bool pp_apart_merged(const struct pp_apart *apart, size_t session, const char *app,
		     const char *image);

struct pp_range;

/* Directory of the profiles (files that programs wrote about themselves) in the session directory
 * of an archive. */
#define PP_ARCHIVE_PROFILES	"profiles"

/* The binaries that have the frames of one session's call paths. */
struct pp_session_images {
	struct op_path_images list;
	char *path;		/* path of the file that contains the list of images */
	/* titles[i] is the title of list.images[i] in reports; NULL: the image is unknown, because
	 * its line in the list is invalid */
	const char **titles;
};

struct pp_session {
	char *dir;			/* path of the session directory */
	/* the archive that oparchive made, in which are .dir and the binaries; NULL: the session is
	 * not in an archive */
	char *archive;
	struct pp_scratch unpacked;	/* the contents of the archive, if it is a file */
	/* the samples directory of each session, or the file of a profile */
	char **samples_dirs;
	struct pp_source **sources;	/* source of samples_dirs[i] */
	/* number of profiles: sources that are files of programs, not samples directories */
	size_t nr_profiles;
	/* facts about each session, such as its command; zeroed if unknown */
	struct op_session_about *about;
	/* names of threads, by session; empty if threads were not separated */
	struct op_task_names *task_names;
	/* binaries in call paths, by session; NULL before pp_trees_find() */
	struct pp_session_images *path_images;
	size_t nr_samples_dirs;
	struct pp_range *range;	/* the chosen time; NULL: all samples of the session */
	struct pp_files files;		/* at least one sample file or call-graph file */
	/* names of all sample files that were found, before filtering */
	struct pp_apart apart;
	const struct pp_spec *spec;	/* specification that was made from the options */
	/* the samples are of several runs of one command (operf --repeat), one in each samples
	 * directory, or of several periods of time (.range->nr_runs) */
	bool is_repeated;
	bool exclude_dependent;
	bool libs_merged;		/* --merge=lib: the program of each file is its image */
	bool is_filtered;		/* the specification has excluded files */
	bool has_arcs;			/* the session has call-graph files, used or skipped */
	bool has_trees;			/* the session has trees of call paths */
	struct pp_classes classes;
	/* statistics: sums over all sessions, or over all profiles if there are profiles */
	struct op_session_stats stats;
	/* if there are profiles: sums of statistics over the sessions */
	struct op_session_stats beside;
	bool has_stats;
	/* some statistics are of operf of OProfile 1.4, which counts only its last run */
	bool has_operf_stats;
};

/* Add @source to the session. Return 0: then the session owns @source. Return -ENOMEM: then the
 * caller still owns @source. */
int pp_session_add_source(struct pp_session *session, struct pp_source *source);
/* Return NAME of "DIR/samples/NAME/", malloc'd, or NULL if out of memory or the path has another
 * form. */
char *pp_session_name(const char *samples_dir);

/* Return whether the session has a tree of call paths from its samples directory number
 * @samples_dir. */
bool pp_session_has_trees(const struct pp_session *session, size_t samples_dir);

/* @session may be NULL. */
void pp_session_close(struct pp_session *session);

#endif
