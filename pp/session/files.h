/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h -- the sample files in samples directories, and the data that their names encode.
 */
#ifndef PP_SESSION_FILES_H
#define PP_SESSION_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/session/mangle.h"
#include "pp/base/block.h"
#include "pp/base/log.h"
#include "pp/source/source.h"

struct pp_sample_file {
	char *path;			/* path with which the sample file is opened */
	const char *relative;		/* the part of .path that follows the samples directory */
	/* pp_files.strings owns the strings of the members below, because many files share the same
	 * strings. */
	struct op_sample_name name;
	/* titles of the program and of the binary, unique in a report: the path, the name of the
	 * kernel image, or a label (see pp_files.anon_ranges) */
	const char *app, *image;
	/* only in call-graph files: titles of the called binary and of its program; else NULL */
	const char *callee, *callee_app;
	/* index of the file's class (column) in the session */
	unsigned int class;
	unsigned int session;		/* index of the session that contains the file */
	/* identifies the samples of this file for the session's source (pp/source/source.h) */
	struct pp_source_part part;
	/* only in trees of call paths: number of the first node to ignore. This node and later
	 * nodes may refer to frames and images that the report has not read, because a daemon
	 * adds nodes. */
	uint32_t end;
};

struct pp_files {
	/* input: include the process and the address range in titles of anonymous memory */
	bool anon_ranges;
	/* input: read the files of wakers, and no others (wakers.h) */
	bool wakers;
	/* input: title of each session, if each session becomes a column; else NULL */
	char *const *sources;
	/* input: "host", "service", "version" or "time", if the sessions are columns of a database;
	 * else NULL */
	const char *column;
	struct pp_sample_file *items;	/* the sample files, sorted by image, program and path */
	size_t nr;
	struct pp_sample_file *arcs; /* the call-graph files, sorted by image, program and path */
	size_t nr_arcs;
	struct pp_sample_file *trees;	/* trees of call paths, whose .image is empty */
	size_t nr_trees;
	struct pp_block *strings;
	struct pp_intern intern;
	/* number of files below {root}/ or {kern}/ that do not have the name of a sample file */
	size_t nr_unknown;
	char *unknown_path;		/* path of one of the files that .nr_unknown counts */
};

/*
 * Add all sample files below @samples_dir, without following symbolic links. Return 0, -ENOENT if
 * the directory does not exist, or another negative errno if it cannot be read.
 */
int pp_files_add(struct pp_files *files, const char *samples_dir, struct pp_log *log);
/* Add all trees of call paths below @samples_dir, which are recognized by their names. Return 0
 * (also if there are no trees) or -ENOMEM. */
int pp_files_add_trees(struct pp_files *files, const char *samples_dir, struct pp_log *log);
/* Add the sample file or tree with the path @name relative to @samples_dir. Ignore a @name that
 * is neither. @item: number of the file or tree in a sum of intervals; 0 for a file on disk.
 * Return 0 or -ENOMEM. */
int pp_files_add_name(struct pp_files *files, const char *samples_dir, const char *name,
		      uint32_t item);
/* Add all sample files or, with @trees, all trees of call paths of @source, which is a sum of
 * intervals. Return 0 or a negative errno. */
int pp_files_add_interval(struct pp_files *files, const struct pp_source *source, bool trees);
/* Add @part of a source that is not a samples directory: its samples or, with @is_tree, its call
 * paths. Copy the strings of @name. Return 0 or -ENOMEM. */
int pp_files_add_part(struct pp_files *files, const struct op_sample_name *name, const char *path,
		      const struct pp_source_part *part, bool is_tree);
void pp_files_sort(struct pp_files *files);
/* Free the contents of @files, which may be zeroed. */
void pp_files_release(struct pp_files *files);
void pp_sample_file_release(struct pp_sample_file *file);

/* Return the title of an image in reports (see pp_files.anon_ranges), or NULL if out of memory. */
const char *pp_files_title(struct pp_files *files, const struct op_image_name *name);
/* Return a shared copy of @text that @files owns, or NULL if out of memory. */
const char *pp_files_string(struct pp_files *files, const char *text);

#endif
