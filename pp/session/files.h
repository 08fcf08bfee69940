/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h -- finds the sample files below samples directories and says what each one holds.
 */
#ifndef PP_SESSION_FILES_H
#define PP_SESSION_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/session/mangle.h"
#include "pp/base/log.h"
#include "pp/base/strings.h"
#include "pp/source/source.h"

struct pp_sample_file {
	char *path;			/* to open */
	const char *relative;		/* part of path: below its samples directory */
	/* All strings from here on are in pp_files.strings: the same few for many files. */
	struct op_sample_name name;
	const char *app, *image;	/* as reports name them, unique: the path, the kernel
					 * image's name, or a label, see anon_ranges */
	const char *callee, *callee_app; /* of call-graph files: what @image called; else NULL */
	unsigned int class;		/* index into the session's classes */
	unsigned int session;		/* which of the sessions asked for */
	struct pp_source_part part;	/* of that session's source */
	uint32_t end;			/* of a tree: nodes from this number on may have frames that are younger than the lists
					 * of frames and images, and are left out */
};

struct pp_files {
	int anon_ranges;		/* to be set: memory without a file by process and range */
	char *const *sources;		/* ... what each .session is called, where they are columns; else NULL */
	struct pp_sample_file *items;	/* sorted by image, app, path */
	size_t nr;
	struct pp_sample_file *arcs;	/* call-graph files; sorted likewise */
	size_t nr_arcs;
	struct pp_sample_file *trees;	/* of call paths; they have no .image */
	size_t nr_trees;
	struct pp_block *strings;
	struct pp_intern intern;
	/* What was seen and left out, for messages. */
	size_t nr_strange;		/* below {root}/ or {kern}/, but no sample file's name */
	char *a_strange;		/* one of those */
};

/*
 * Adds every sample file below @samples_dir; symbolic links are not followed. -ENOENT when there is
 * no such directory, another negative errno when it cannot be read.
 */
int pp_files_add(struct pp_files *files, const char *samples_dir, struct pp_log *log);
/* Adds every tree of call paths there, by name. 0, also when there are none, or -ENOMEM. */
int pp_files_add_trees(struct pp_files *files, const char *samples_dir, struct pp_log *log);
/* Adds samples, or with @is_tree call paths, that a source other than a samples directory has: @name's strings are
 * copied. -ENOMEM. */
int pp_files_add_part(struct pp_files *files, const struct op_sample_name *name, const char *path,
		      const struct pp_source_part *part, bool is_tree);
void pp_files_sort(struct pp_files *files);
/* Takes a zeroed struct. */
void pp_files_release(struct pp_files *files);
void pp_sample_file_release(struct pp_sample_file *file);

/* As reports name an image: see .anon_ranges. NULL: out of memory. */
const char *pp_files_title(struct pp_files *files, const struct op_image_name *name);
/* The one copy of @text; NULL: out of memory. */
const char *pp_files_string(struct pp_files *files, const char *text);

#endif
