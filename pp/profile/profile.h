/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h -- the third stage of a report: the sums of samples. Each array of counts has one
 * element for each class of the session, and in a differential profile (diff.h) twice as many.
 * Counts of a class that was counted only part of the time are scaled up; each count is rounded.
 * Parts of a profile refer to each other by index, so that arrays may move while they grow:
 *
 *   entry (a line of the symbol list) -> code (a function of a binary) -> binary
 *                                     -> group (a program's part of a binary) -> binary
 *   arc -> two (group, code) pairs; sorting and filtering entries does not change these
 */
#ifndef PP_PROFILE_PROFILE_H
#define PP_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "pp/image/demangle.h"
#include "pp/image/image.h"
#include "pp/profile/paths.h"
#include "pp/session/session.h"

/* A file (or the kernel, a module, a region of anonymous memory) with samples. */
struct pp_binary {
	const char *title;	/* unique name of the binary in reports; owned by the session */
	/* name of the binary's image; owned by the session */
	const struct op_image_name *name;
	/* The following members need opened images (pp_profile_options.symbols). .state is
	 * PP_IMAGE_CHANGED if the binary changed for any of its samples. */
	struct pp_image_info info;
	struct pp_image_samples samples; /* the samples in the build that .info describes */
	/* number of the build that .info describes; codes of other builds have only names */
	uint32_t build;
	/* for each build a word that identifies it: from the build-id, or a hash or the time of the
	 * file; 0: unknown */
	uint64_t *builds;
	uint32_t nr_builds;
};

enum pp_code_kind {
	PP_CODE_SYMBOL,
	PP_CODE_IMAGE,		/* kind of code: the whole binary, which has no symbols */
	PP_CODE_UNCOVERED,	/* kind of code: the addresses between the symbols of a binary */
	/* kind of code: a binary that was changed or is missing, so only addresses are known */
	PP_CODE_RAW,
	/* kind of code: several functions, as one subsystem of the kernel (subsystems.h) */
	PP_CODE_SUBSYSTEM,
};

/* A function of a binary, or code without a symbol, for all programs that ran it. */
struct pp_code {
	const char *name;	/* name of the code in reports; never NULL */
	/* the linker's name, if it differs and raw names are wanted; or NULL */
	const char *raw;
	const char *file;	/* file of its first line; NULL: unknown or not requested */
	uint64_t vma;		/* start address of a PP_CODE_SYMBOL; 0 for other kinds */
	uint32_t size;
	uint32_t line;		/* source line; 0: unknown */
	uint32_t binary : 29;	/* index of the binary that contains the code */
	uint32_t kind : 3;	/* kind of the code, enum pp_code_kind */
	uint32_t build;		/* number of the build of the binary that has the code */
};

/* The samples of one program in one binary. */
struct pp_group {
	const char *image, *app;	/* titles of image and program; owned by the session */
	uint32_t binary;		/* index of the group's binary */
	uint64_t *counts;
};

/* One line of the symbol list: the samples of a program in a function. There can be millions of
 * entries. A function that only occurs in arcs has an entry without counts. */
struct pp_entry {
	uint64_t *counts;
	uint32_t code, group;	/* index of the code, and of the group, in the profile */
	uint32_t details;	/* index into the profile's details + 1; 0: no details */
};

struct pp_detail {
	uint64_t vma;
	uint64_t *counts;
};

/* The source position of an address: its function and, if that function is inlined there, the
 * functions around it. */
struct pp_frames {
	const struct pp_frame *items;	/* frames of the address; the innermost frame is first */
	size_t nr;			/* number of frames; 0: unknown */
};

struct pp_details {		/* The sampled addresses of one entry, in ascending order. */
	struct pp_detail *items;
	struct pp_frames *frames;	/* frames of each item; NULL: lines were not requested */
	size_t nr;
};

/* A function of a program, as an end of an arc. */
struct pp_end {
	uint32_t group, code;	/* index of the group, and of the code, in the profile */
};

/* The samples in a callee, or in functions that it called, while a caller called it. */
struct pp_arc {
	struct pp_end caller, callee;
	uint64_t *counts;
};

/* A binary with samples of a program: a line below the program in the image summary. */
struct pp_dependent {
	const char *image;
	uint64_t *counts;
};

struct pp_app {
	const char *app;
	uint64_t *counts;
	/* binaries with samples, including the program's own file, in order of title */
	struct pp_dependent *dependents;
	size_t nr_dependents;
};

struct pp_diff_facts;

struct pp_profile {
	size_t nr_classes;
	/* index of the class that counts calls of arcs; nr_classes if there is no such class */
	size_t calls;
	size_t nr_counts;	/* number of elements of each array of counts */
	/* for each class, the number of samples read, including samples that filters exclude */
	uint64_t *totals;
	uint64_t nr_samples;	/* sum of the samples of all classes, before scaling */
	bool has_totals;	/* entries have inclusive totals: see pp_entry_total() */
	bool units_differ;	/* the counts of different classes may have different units */
	uint32_t cpu_type;	/* CPU type of the sample files */
	double cpu_speed;	/* speed of the CPU in MHz; 0: unknown */
	struct pp_binary *binaries;
	size_t nr_binaries;
	struct pp_group *groups;
	size_t nr_groups;
	struct pp_app *apps;
	size_t nr_apps;
	/* the functions of all binaries; empty unless symbols were requested */
	struct pp_code *codes;
	size_t nr_codes;
	/* the lines of the symbol list; empty unless symbols were requested */
	struct pp_entry *entries;
	size_t nr_entries;
	/* the entries that pp_code_entries() returns; NULL: they are equal to .entries */
	struct pp_entry *code_entries;
	size_t nr_code_entries;
	/* the sampled addresses of the entries; empty unless details were requested */
	struct pp_details *details;
	size_t nr_details;
	/* arcs, in order of caller, then of callee; only if requested */
	struct pp_arc *arcs;
	size_t nr_arcs;
	/* indexes of the arcs, in order of callee, then of caller */
	uint32_t *arcs_by_callee;
	struct pp_paths *paths;		/* call paths; NULL: not requested, or not recorded */
	size_t nr_files;		/* number of sample files with samples */
	/* short titles, in order of title (short_titles.h) */
	struct pp_short_title *short_titles;
	size_t nr_short_titles;
	/* only in a differential profile (pp/join/diff.h): the origin of its counts, and its lines
	 * that were removed; in .blocks */
	struct pp_diff_facts *diff;
	struct pp_block *blocks;	/* memory of the arrays of counts */
	struct pp_block *strings;	/* memory of the names */
};

struct pp_tree_arcs;

struct pp_profile_options {
	bool symbols;		/* make codes and entries; requires images */
	bool details;		/* make details of entries */
	bool lines;		/* find source lines of codes and, with .details, of addresses */
	/* make arcs; the session must have been opened with .callgraph or .paths */
	bool arcs;
	bool paths;		/* make the tree of call paths; the session needs .paths */
	/* only with .lines: make two places for a function that calls from two lines */
	bool call_lines;
	/* in call paths, count samples of a recursive call at the outermost call */
	bool fold_recursion;
	/* compute totals of entries (inclusive.h) if there are paths. A choice of functions then
	 * leaves out entries, but no samples of paths */
	bool inclusive;
	struct pp_tree_arcs *tree_arcs;	/* gets the arcs of each tree; needs .paths; or NULL */
	enum pp_demangle demangle;
	/* globs of additional allocators. If not NULL, make .code_entries: entries for listings of
	 * code, in which counts of calls are moved to the callers of allocators (call_sites.h).
	 * Needs .details and .paths */
	const struct pp_values *allocators;
	bool raw_names;		/* set the linker's names (.raw) of codes and places */
	const struct pp_values
		*include_symbols; /* globs that names in any form may match; NULL or empty: all */
	const struct pp_values *exclude_symbols;
	/* One element for each glob, or NULL. An element is set if the glob matches the name of a
	 * symbol with samples or on a path. Several threads write to it. */
	bool *include_met, *exclude_met;
	/* minimum share of a binary, in percent, for a warning about it; the report does not show
	 * binaries with smaller shares */
	double threshold;
	unsigned int jobs;	/* maximum number of threads; 0: one for each CPU */
};

/* @profile may be NULL. */
void pp_profile_destroy(struct pp_profile *profile);

/* Return the number of counts that a graph shows: a count for each class and, in a differential
 * profile, the scaled count before. These are the first elements of each array of counts. */
static inline size_t pp_shown_counts(const struct pp_profile *profile)
{
	return profile->diff ? 2 * profile->nr_classes : profile->nr_counts;
}

/* Return whether one of the counts is not 0. */
static inline bool pp_has_counts(const uint64_t *counts, size_t nr)
{
	while (nr && !counts[nr - 1])
		nr--;
	return nr != 0;
}

static inline const struct pp_code *pp_entry_code(const struct pp_profile *profile,
						  const struct pp_entry *entry)
{
	return &profile->codes[entry->code];
}

static inline const struct pp_group *pp_entry_group(const struct pp_profile *profile,
						    const struct pp_entry *entry)
{
	return &profile->groups[entry->group];
}

/* Return the total of an entry: the samples of its function and of all functions that it called,
 * directly or indirectly; or NULL if totals were not requested. */
static inline const uint64_t *pp_entry_total(const struct pp_profile *profile,
					     const struct pp_entry *entry)
{
	return profile->has_totals ? entry->counts + profile->nr_counts : NULL;
}

/* Return the counts by which an entry is ranked: its total, or its own samples if totals were not
 * requested. */
static inline const uint64_t *pp_entry_rank(const struct pp_profile *profile,
					    const struct pp_entry *entry)
{
	return profile->has_totals ? pp_entry_total(profile, entry) : entry->counts;
}

/* Return the entries for listings of code, and their number in *@nr. There is one entry for each
 * function, with counts of calls at the instructions that needed the memory (call_sites.h). If such
 * entries were not requested, return the entries of the symbol list. */
static inline const struct pp_entry *pp_code_entries(const struct pp_profile *profile, size_t *nr)
{
	*nr = profile->code_entries ? profile->nr_code_entries : profile->nr_entries;
	return profile->code_entries ? profile->code_entries : profile->entries;
}

/* Return the details of @entry, or NULL if details were not requested. */
static inline const struct pp_details *pp_entry_details(const struct pp_profile *profile,
							const struct pp_entry *entry)
{
	return entry->details ? &profile->details[entry->details - 1] : NULL;
}

/* Fill in .apps from .groups, which own the counts. Leave out groups without samples, unless
 * entries have totals. Return 0 or -ENOMEM. */
int pp_apps_make(struct pp_profile *profile);

#endif
