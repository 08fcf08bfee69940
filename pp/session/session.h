/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the first stage of a report: which sample files are read, and the column of each.
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
 * The pairs of program and binary in the names of a session's sample files. They show which
 * binaries' samples are separated by program (--separate).
 */

/* The program and the binary in the name of a sample file. */
struct pp_apart_pair {
	size_t session;
	const char *app, *image;	/* titles of program and binary in reports */
};

/* The pairs of all sessions. A struct of zeros is empty. */
struct pp_apart {
	/* sorted by session, binary and program */
	struct pp_apart_pair *pairs;
	size_t nr;
};

/* Store the pairs of all sample files. Call this before files are filtered out. Return 0 or
 * -ENOMEM. */
int pp_apart_init(struct pp_apart *apart, const struct pp_files *files);

/* Return whether samples in @image are not separated by program. Then the sample files of @image
 * name @image as their program, so samples of @app are among them. */
bool pp_apart_merged(const struct pp_apart *apart, size_t session, const char *app,
		     const char *image);

struct pp_range;

/* Directory in an archive's session directory for profiles, files that programs wrote about
 * themselves. */
#define PP_ARCHIVE_PROFILES	"profiles"

/* The binaries in one session's call paths. */
struct pp_session_images {
	struct op_path_images list;
	char *path;		/* path of the list of images */
	/* titles[i] is the title of list.images[i] in reports; NULL: unknown, because its line in
	 * the list is invalid */
	const char **titles;
};

struct pp_session {
	char *dir;			/* path of the session directory */
	/* path of the archive, made by oparchive, that contains .dir and the binaries; NULL: no
	 * archive */
	char *archive;
	struct pp_scratch unpacked;	/* the unpacked archive, if the archive is a file */
	/* for each source: path of the samples directory or of the profile */
	char **samples_dirs;
	struct pp_source **sources;	/* for each samples_dirs[i]: its source */
	/* number of sources that are profiles (files that programs wrote about themselves) */
	size_t nr_profiles;
	/* data about each session, such as its command; zeroed if unknown */
	struct op_session_about *about;
	/* names of threads, by session; empty if threads were not separated */
	struct op_task_names *task_names;
	/* binaries in call paths, by session; NULL before pp_trees_find() */
	struct pp_session_images *path_images;
	size_t nr_samples_dirs;
	struct pp_range *range;	/* the chosen range of time; NULL: the whole session */
	struct pp_files files; /* the matching files: at least one sample file or call-graph file */
	/* pairs of program and binary of all sample files, before filtering */
	struct pp_apart apart;
	const struct pp_spec *spec;	/* the specification that the user gave */
	/* each samples directory is a run of one command (operf --repeat), or a period of time
	 * (.range->nr_runs) */
	bool is_repeated;
	bool exclude_dependent;
	bool libs_merged;		/* --merge=lib: each file has its image as its program */
	bool is_filtered;		/* some files did not match the specification */
	bool has_arcs; /* the session has call-graph files, whether they are read or not */
	bool has_trees;			/* the session has trees of call paths */
	struct pp_classes classes;
	/* statistics: sums over all profiles or, without profiles, over all sessions */
	struct op_session_stats stats;
	/* with profiles: sums of statistics over the sessions */
	struct op_session_stats beside;
	bool has_stats;
	/* some statistics are from OProfile 1.4's operf, which counts only its last run */
	bool has_operf_stats;
};

/* Add @source to the session. Return 0: the session now owns @source. Return -ENOMEM: the caller
 * still owns @source. */
int pp_session_add_source(struct pp_session *session, struct pp_source *source);
/* Return NAME of the path "DIR/samples/NAME/", malloc'd. Return NULL if out of memory, or if the
 * path has another form. */
char *pp_session_name(const char *samples_dir);

/* Return whether samples directory number @samples_dir has a tree of call paths. */
bool pp_session_has_trees(const struct pp_session *session, size_t samples_dir);

/* Free the session. @session may be NULL. */
void pp_session_close(struct pp_session *session);

#endif
