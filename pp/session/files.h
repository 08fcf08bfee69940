/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h -- sample files below samples directories, and the contents that their names describe.
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
	char *path;			/* path to open */
	const char *relative;		/* the part of path below its samples directory */
	/* All strings from here on belong to pp_files.strings, because many files share them. */
	struct op_sample_name name;
	/* titles in reports, unique: the path, the kernel image's name, or a label (see
	 * anon_ranges) */
	const char *app, *image;
	/* only call-graph files: the image that @image called; else NULL */
	const char *callee, *callee_app;
	unsigned int class;		/* index into the session's classes */
	unsigned int session;		/* index of its session */
	struct pp_source_part part;	/* its part of the session's source */
	/* only trees: number of the first node to ignore, because its frame may be newer than the
	 * lists of frames and images */
	uint32_t end;
};

struct pp_files {
	bool anon_ranges;		/* input: name memory without a file by process and range */
	/* input: the title of each session if sessions are columns; else NULL */
	char *const *sources;
	struct pp_sample_file *items;	/* sorted by image, app, path */
	size_t nr;
	struct pp_sample_file *arcs;	/* call-graph files; sorted likewise */
	size_t nr_arcs;
	struct pp_sample_file *trees;	/* trees of call paths; they have no .image */
	size_t nr_trees;
	struct pp_block *strings;
	struct pp_intern intern;
	/* Files that were skipped, for messages. */
	/* files below {root}/ or {kern}/ without the name of a sample file */
	size_t nr_strange;
	char *a_strange;		/* the path of one of these files */
};

/*
 * Add all sample files below @samples_dir, without following symbolic links. Return 0, -ENOENT if
 * the directory does not exist, or another negative errno if it cannot be read.
 */
int pp_files_add(struct pp_files *files, const char *samples_dir, struct pp_log *log);
/* Add all trees of call paths there, by name. Return 0 (also without trees) or -ENOMEM. */
int pp_files_add_trees(struct pp_files *files, const char *samples_dir, struct pp_log *log);
/* Add samples (with @is_tree, call paths) of a source other than a samples directory. Copies the
 * strings of @name. Return 0 or -ENOMEM. */
int pp_files_add_part(struct pp_files *files, const struct op_sample_name *name, const char *path,
		      const struct pp_source_part *part, bool is_tree);
void pp_files_sort(struct pp_files *files);
/* Takes a zeroed struct. */
void pp_files_release(struct pp_files *files);
void pp_sample_file_release(struct pp_sample_file *file);

/* Return the title of an image in reports (see .anon_ranges), or NULL if out of memory. */
const char *pp_files_title(struct pp_files *files, const struct op_image_name *name);
/* Return the shared copy of @text, or NULL if out of memory. */
const char *pp_files_string(struct pp_files *files, const char *text);

#endif
