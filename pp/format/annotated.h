/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotated.h -- source and assembly with counts beside them, as opannotate writes them.
 *
 * A line is "COUNT PERCENT [COUNT PERCENT...] :TEXT", one pair for each class; percentages are of
 * everything in the profile, as in opreport --symbols. The numbers of all lines of a report and of
 * what its summary says has no line add up to the profile's entries.
 */
#ifndef PP_FORMAT_ANNOTATED_H
#define PP_FORMAT_ANNOTATED_H

#include "pp/annotate/source_cache.h"
#include "pp/annotate/sources.h"
#include "pp/annotate/tree.h"
#include "pp/format/format.h"

struct pp_annotated_options {
	int source;			/* with .assembly: source lines between instructions */
	int assembly;
	const struct pp_values *include_files, *exclude_files;	/* globs; NULL or empty: all */
	const struct pp_values *base_dirs;	/* taken off paths in an output tree */
	double threshold;		/* percent: of a file, or of a symbol with .assembly */
	const char *words;		/* for the disassembler, as objdump -M; NULL: none */
	int bytes;			/* show machine code too */
	int whole_files;		/* of sources, also what is far from any sample */
	int raw_names;			/* in instructions: as compilers make them */
	int color;
};

struct pp_annotated {
	const struct pp_report *report;	/* the profile with details and lines */
	const struct pp_annotated_options *options;
	struct pp_source_cache *cache;
	const struct pp_sources *sources;	/* NULL with .assembly */
	struct pp_log *progress;	/* told how far the work is; NULL: nobody looks */
	struct pp_tree *tree;		/* one file for each source goes there; NULL: all to .out */
};

/* Both: 0, or negative with the reason in the log; an empty report is an error. The caller
 * checks ferror(). */
int pp_annotated_source(const struct pp_annotated *a);
int pp_annotated_assembly(const struct pp_annotated *a);

#endif
