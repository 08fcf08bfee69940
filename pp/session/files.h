/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h -- the sample files below samples directories, and the facts in their names.
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
	char *path;			/* path by which the file is opened */
	const char *relative;		/* the part of .path that follows the samples directory */
	/* The strings of the following members belong to pp_files.strings, because many files share
	 * them. */
	struct op_sample_name name;
	/* unique titles in reports of the program and the binary: the path, the kernel image's
	 * name, or a label (see pp_files.anon_ranges) */
	const char *app, *image;
	/* titles of the binary that @image called, and of its program; NULL except in call-graph
	 * files */
	const char *callee, *callee_app;
	/* index in the session of the class to which the file belongs */
	unsigned int class;
	unsigned int session;		/* index of the session that contains the file */
	/* the part of the session's source that has the file's samples */
	struct pp_source_part part;
	/* for trees: nodes with this number or a higher number are ignored, because they may have
	 * been written after the lists of frames and images were read */
	uint32_t end;
};

struct pp_files {
	/* input: title memory without a file by process and address range */
	bool anon_ranges;
	/* input: the title of each session if sessions are columns; else NULL */
	char *const *sources;
	struct pp_sample_file *items;	/* sample files, in order of image, program and path */
	size_t nr;
	struct pp_sample_file *arcs;	/* call-graph files, in order of image, program and path */
	size_t nr_arcs;
	struct pp_sample_file *trees;	/* trees of call paths; they have no .image */
	size_t nr_trees;
	struct pp_block *strings;
	struct pp_intern intern;
	/* Skipped files, for messages. */
	/* number of files below {root}/ or {kern}/ whose names are not names of sample files */
	size_t nr_unknown;
	char *unknown_path;		/* path of one of the files that .nr_unknown counts */
};

/*
 * Add all sample files below @samples_dir, without following symbolic links. Return 0, -ENOENT if
 * the directory does not exist, or another negative errno if it cannot be read.
 */
int pp_files_add(struct pp_files *files, const char *samples_dir, struct pp_log *log);
/* Add all trees of call paths below @samples_dir, which are recognised by name. Return 0 (also if
 * there are no trees) or -ENOMEM. */
int pp_files_add_trees(struct pp_files *files, const char *samples_dir, struct pp_log *log);
/* Add the sample file or tree @name, a path below @samples_dir. Skip the names of other files.
 * Return 0 or -ENOMEM. */
int pp_files_add_name(struct pp_files *files, const char *samples_dir, const char *name);
/* Add the samples (with @is_tree, the call paths) of @part, which belongs to a source that is not a
 * samples directory. The strings of @name are copied. Return 0 or -ENOMEM. */
int pp_files_add_part(struct pp_files *files, const struct op_sample_name *name, const char *path,
		      const struct pp_source_part *part, bool is_tree);
void pp_files_sort(struct pp_files *files);
/* @files may be zeroed. */
void pp_files_release(struct pp_files *files);
void pp_sample_file_release(struct pp_sample_file *file);

/* Return the title of an image in reports (see pp_files.anon_ranges), or NULL if out of memory. */
const char *pp_files_title(struct pp_files *files, const struct op_image_name *name);
/* Return the shared copy of @text, or NULL if out of memory. */
const char *pp_files_string(struct pp_files *files, const char *text);

#endif
