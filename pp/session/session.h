/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- the first stage of a report: finds the sample files to read, and the column of each
 * file.
 */
#ifndef PP_SESSION_SESSION_H
#define PP_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/event/any_cpu.h"
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
 * Pairs of program and binary from the names of a session's sample files. The pairs show for which
 * binaries samples are separated by program (--separate).
 */

/* The program and the binary in the name of a sample file. */
struct pp_apart_pair {
	size_t session;
	const char *app, *image;	/* titles of program and binary in reports */
};

/* The pairs of program and binary in all sessions of a report. A struct of zeros is empty. */
struct pp_apart {
	/* pairs, sorted by session, binary and program */
	struct pp_apart_pair *pairs;
	size_t nr;
};

/* Store the pairs of all sample files. Call this before the specification removes files. Return 0
 * or -ENOMEM. */
int pp_apart_init(struct pp_apart *apart, const struct pp_files *files);

/* Return whether the samples in @image are not separated by program. In this case the sample files
 * of @image have @image as their program, and also contain the samples of @app. */
bool pp_apart_merged(const struct pp_apart *apart, size_t session, const char *app,
		     const char *image);

struct pp_range;

/* Subdirectory of an archive's session directory with profiles, files that programs wrote about
 * themselves. */
#define PP_ARCHIVE_PROFILES	"profiles"

/* The binaries in the call paths of one session. */
struct pp_session_images {
	struct op_path_images list;
	char *path;		/* path of the session's list of images */
	/* titles[i] is the name of list.images[i] in reports; NULL if the line in the list is
	 * invalid */
	const char **titles;
};

struct pp_session {
	char *dir;			/* path of the session directory */
	/* path of the archive, made by oparchive, that contains .dir and the binaries; NULL: no
	 * archive */
	char *archive;
	/* temporary directory with the unpacked archive, if the archive is a file */
	struct pp_scratch unpacked;
	/* for each source: path of its samples directory, or of its profile */
	char **samples_dirs;
	/* for each element of .samples_dirs: the source that reads it */
	struct pp_source **sources;
	/* number of sources that are profiles (files that programs wrote about themselves), not
	 * samples directories */
	size_t nr_profiles;
	/* for each session: facts such as the profiled command; zeroed if unknown */
	struct op_session_about *about;
	/* for each session: names of its threads; empty if samples were not separated by thread */
	struct op_task_names *task_names;
	/* for each session: the binaries in its call paths; NULL before pp_trees_find() */
	struct pp_session_images *path_images;
	size_t nr_samples_dirs;
	/* for each samples directory: the title of its column, if a database is read by columns;
	 * the titles are borrowed; NULL: no columns */
	char **columns;
	struct pp_range *range;	/* the range of time that the user chose; NULL: the whole session */
	/* files that match the specification: at least one sample file or call-graph file */
	struct pp_files files;
	/* pairs of program and binary in the names of all sample files, also of files that do not
	 * match the specification */
	struct pp_apart apart;
	/* the profile specification (selection of samples) of the user */
	const struct pp_spec *spec;
	/* each samples directory is one run of a command (operf --repeat), or one period of time
	 * (.range->nr_runs) */
	bool is_repeated;
	bool exclude_dependent;
	/* --merge=lib: the program of each sample file is its image */
	bool libs_merged;
	/* some sample files of the session did not match the specification */
	bool is_filtered;
	/* numbers of samples that .spec->hides_idle leaves out, by enum op_idle_wait; the sum of
	 * all in [OP_NOT_IDLE] */
	uint64_t idle[OP_NR_IDLE_WAITS];
	bool has_arcs; /* the session has call-graph files, even if they are not read */
	bool has_trees;			/* the session has trees of call paths */
	struct pp_classes classes;
	/* statistics (such as lost samples): sums over all profiles or, if there are no profiles,
	 * over all sessions */
	struct op_session_stats stats;
	/* if there are profiles: sums of the statistics of the sessions */
	struct op_session_stats beside;
	bool has_stats;
	/* some statistics are from OProfile 1.4's operf, which counts only its last run */
	bool has_operf_stats;
};

/* Add @source to the session. Return 0: the session now owns @source. Return -ENOMEM: the caller
 * still owns @source. */
int pp_session_add_source(struct pp_session *session, struct pp_source *source);
/* Return NAME of the path "DIR/samples/NAME/", malloc'd. Return NULL if out of memory, or if the
 * path does not have this form. */
char *pp_session_name(const char *samples_dir);

/* Return whether the samples directory with the index @samples_dir contains a tree of call
 * paths. */
bool pp_session_has_trees(const struct pp_session *session, size_t samples_dir);

/* Free the session. @session may be NULL. */
void pp_session_close(struct pp_session *session);

#endif
