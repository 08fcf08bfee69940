/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h -- the third stage of a report: the sums of samples.
 *
 * Each array of counts has one element for each class (column) of the session. In a differential
 * profile the array has several such sections (pp/join/diff.h). If a class was counted only part of
 * the time, its counts are scaled up and rounded.
 *
 * The tables of a profile refer to each other by index, so that arrays may move when they grow:
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
	/* parsed name of the binary; owned by the session */
	const struct op_image_name *name;
	/* The members below are set only with pp_profile_options.symbols, which opens binaries.
	 * .state is PP_IMAGE_CHANGED if the binary changed after any of its samples. */
	struct pp_image_info info;
	struct pp_image_samples samples; /* identifies the build that .info describes */
	/* number of the build that .info describes; for functions in other builds, only the names
	 * are known */
	uint32_t build;
	/* for each build with samples: a number that identifies the build, made from the build-id,
	 * a hash or the file's time; 0: unknown */
	uint64_t *builds;
	uint32_t nr_builds;
};

enum pp_code_kind {
	PP_CODE_SYMBOL,
	PP_CODE_IMAGE,		/* stands for all code of a binary without symbols */
	PP_CODE_UNCOVERED,	/* the addresses of a binary that are not in a symbol */
	/* stands for a binary that changed or is missing, so that only addresses are known */
	PP_CODE_RAW,
	/* several kernel functions that form a subsystem (subsystems.h) */
	PP_CODE_SUBSYSTEM,
};

/* A function of a binary, or code without a symbol. All programs that ran the code share it. */
struct pp_code {
	const char *name;	/* name of the code in reports; never NULL */
	/* the linker's name, if it differs from .name and raw names were requested; else NULL */
	const char *raw;
	/* source file of the first line of the function; NULL: unknown or not requested */
	const char *file;
	uint64_t vma;		/* for PP_CODE_SYMBOL: start address of the function; else 0 */
	uint32_t size;
	uint32_t line;		/* first source line of the function; 0: unknown */
	uint32_t binary : 29;	/* index of the binary that contains this code */
	uint32_t kind : 3;	/* kind of the code, enum pp_code_kind */
	uint32_t build;		/* number of the binary's build that contains the code */
};

/* The samples of one program in one binary. */
struct pp_group {
	const char *image, *app;	/* titles of image and program; owned by the session */
	uint32_t binary;		/* index of the binary */
	uint64_t *counts;
};

/* One line of the symbol list: the samples of one program in one function. A profile may have
 * millions of entries. A function that occurs only in arcs has an entry without counts. */
struct pp_entry {
	uint64_t *counts;
	/* index of the code (function), and of the group (a program's samples in a binary) */
	uint32_t code, group;
	/* index into the profile's .details (sampled addresses), plus 1; 0: no details */
	uint32_t details;
};

struct pp_detail {
	uint64_t vma;
	uint64_t *counts;
};

/* The source position of an address: its function and, if that function is inlined there, the
 * functions into which it is inlined. */
struct pp_frames {
	const struct pp_frame *items; /* frames of the address, innermost inlined function first */
	size_t nr;			/* number of frames; 0: the source position is unknown */
};

struct pp_details { /* The sampled addresses of one line of the symbol list, in ascending order. */
	struct pp_detail *items;
	/* for each item: its source position; NULL: positions were not requested */
	struct pp_frames *frames;
	size_t nr;
};

/* One end of an arc: a function of a program. */
struct pp_end {
	/* index of the group (a program's samples in a binary), and of the code (function) */
	uint32_t group, code;
};

/* An arc of the call graph, from a caller to a callee. Its counts are the samples in the callee,
 * and in functions that the callee called, during calls by the caller. */
struct pp_arc {
	struct pp_end caller, callee;
	uint64_t *counts;
};

/* A binary with samples of a program: a line below the program in the summary by image. */
struct pp_dependent {
	const char *image;
	uint64_t *counts;
};

struct pp_app {
	const char *app;
	uint64_t *counts;
	/* the program's own file and other binaries with samples of the program, sorted by title */
	struct pp_dependent *dependents;
	size_t nr_dependents;
};

struct pp_diff_facts;

struct pp_profile {
	size_t nr_classes;
	/* index of the class of samples that counts the calls of arcs; equal to .nr_classes: calls
	 * are not counted */
	size_t calls;
	size_t nr_counts;	/* length of each array of counts in the profile */
	/* for each class of samples: the number of all samples that were read, including samples
	 * that filters exclude */
	uint64_t *totals;
	/* number of samples of all classes (events, for example), before scaling */
	uint64_t nr_samples;
	bool has_totals; /* functions have inclusive totals, which pp_entry_total() returns */
	bool units_differ;	/* the classes of samples may count in different units */
	uint32_t cpu_type;	/* CPU type in the sample files, enum op_cpu_type */
	double cpu_speed;	/* clock speed of the profiled CPU in MHz; 0: unknown */
	struct pp_binary *binaries;
	size_t nr_binaries;
	struct pp_group *groups;
	size_t nr_groups;
	struct pp_app *apps;
	size_t nr_apps;
	/* functions of all binaries; empty if symbols were not requested */
	struct pp_code *codes;
	size_t nr_codes;
	/* the symbol list: one entry for each function of a program; empty if symbols were not
	 * requested */
	struct pp_entry *entries;
	size_t nr_entries;
	/* .entries for listings of code, see pp_code_entries(); NULL: use .entries */
	struct pp_entry *code_entries;
	size_t nr_code_entries;
	/* sampled addresses of the functions in .entries; empty if details were not requested */
	struct pp_details *details;
	size_t nr_details;
	/* arcs of the call graph, sorted by caller, then callee; empty if arcs were not
	 * requested */
	struct pp_arc *arcs;
	size_t nr_arcs;
	/* indices into .arcs, sorted by callee, then caller */
	uint32_t *arcs_by_callee;
	struct pp_paths *paths; /* the tree of call paths; NULL: not requested, or not recorded */
	size_t nr_files;		/* number of the session's sample files that have samples */
	/* short forms of titles, sorted by title (short_titles.h) */
	struct pp_short_title *short_titles;
	size_t nr_short_titles;
	/* only in a differential profile (pp/join/diff.h): facts about the two profiles and about
	 * removed lines; allocated in .blocks */
	struct pp_diff_facts *diff;
	struct pp_block *blocks;	/* memory of the arrays of counts in the profile */
	struct pp_block *strings;	/* memory of the names in the profile */
};

struct pp_tree_arcs;

struct pp_profile_options {
	/* make codes and entries, the symbol list; the caller must provide the images (binaries) */
	bool symbols;
	bool details;		/* record the samples of each function by address */
	/* look up the source lines of functions and, with .details, of sampled addresses */
	bool lines;
	/* make arcs of the call graph; needs a session opened with .callgraph or .paths */
	bool arcs;
	bool paths; /* make the tree of call paths; needs a session opened with .paths */
	/* with .lines: functions on call paths are distinguished by the source line of their next
	 * call */
	bool call_lines;
	/* in call paths, distinguish frames in code without a symbol by their address */
	bool addresses;
	/* in call paths, count samples of recursive calls at the outermost call of the function */
	bool fold_recursion;
	/* With .paths, compute inclusive totals of entries (inclusive.h). --include-symbols and
	 * --exclude-symbols then exclude only entries, not samples of paths. */
	bool inclusive;
	/* output: the arcs of each tree of call paths; needs .paths; may be NULL */
	struct pp_tree_arcs *tree_arcs;
	enum pp_demangle demangle;
	/* Globs of additional allocators. If not NULL, make .code_entries, functions for listings
	 * of code, in which counts of allocations are at the callers of allocators (call_sites.h).
	 * Needs .details and .paths. */
	const struct pp_values *allocators;
	bool raw_names;		/* set .raw, the linker's name, of functions */
	/* globs, compared with all forms of a symbol's name; NULL or empty: all names */
	const struct pp_values *include_symbols;
	const struct pp_values *exclude_symbols;
	/* output, for each glob: the glob matched the name of a symbol with samples or on a path.
	 * Several threads set elements. May be NULL. */
	bool *include_met, *exclude_met;
	/* smallest percentage of samples for which a binary gets warnings; reports do not show
	 * smaller binaries */
	double threshold;
	unsigned int jobs;	/* maximum number of threads; 0: one for each CPU */
};

/* Free the profile. @profile may be NULL. */
void pp_profile_destroy(struct pp_profile *profile);

/* Return whether the address of the function @code is known. It is unknown if another host has
 * named the function (pp/source/names.h). */
static inline bool pp_code_has_address(const struct pp_profile *profile, const struct pp_code *code)
{
	return code->kind == PP_CODE_SYMBOL && !profile->binaries[code->binary].info.is_named;
}

/* Return the number of counts that a graph shows for each function: one for each class of samples
 * and, in a differential profile, also the scaled counts of the first profile. These counts are the
 * first elements of each array of counts. */
static inline size_t pp_shown_counts(const struct pp_profile *profile)
{
	return profile->diff ? 2 * profile->nr_classes : profile->nr_counts;
}

/* Return whether at least one count is not 0. */
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

/* Return the inclusive total of an entry, a line of the symbol list: the samples of its function
 * and of all functions that it called, directly or indirectly. Return NULL if totals were not
 * requested. */
static inline const uint64_t *pp_entry_total(const struct pp_profile *profile,
					     const struct pp_entry *entry)
{
	return profile->has_totals ? entry->counts + profile->nr_counts : NULL;
}

/* Return the counts by which @entry, a line of the symbol list, is ranked: the inclusive total, or
 * the samples of the function itself if totals were not requested. */
static inline const uint64_t *pp_entry_rank(const struct pp_profile *profile,
					    const struct pp_entry *entry)
{
	return profile->has_totals ? pp_entry_total(profile, entry) : entry->counts;
}

/* Return the entries of functions for listings of code, and store their number in *@nr. Each
 * function has one entry. The counts of a heap profile are not in the entry of malloc(), but in the
 * entry of the nearest caller that is not an allocator (call_sites.h). If the profile has no such
 * entries, return the symbol list. */
static inline const struct pp_entry *pp_code_entries(const struct pp_profile *profile, size_t *nr)
{
	*nr = profile->code_entries ? profile->nr_code_entries : profile->nr_entries;
	return profile->code_entries ? profile->code_entries : profile->entries;
}

/* Return the sampled addresses of @entry, a line of the symbol list, with their counts. Return NULL
 * if sampled addresses were not requested. */
static inline const struct pp_details *pp_entry_details(const struct pp_profile *profile,
							const struct pp_entry *entry)
{
	return entry->details ? &profile->details[entry->details - 1] : NULL;
}

/* Make .apps, the summary by program, from .groups (each program's samples in a binary), which own
 * the counts. Omit groups without samples, unless functions have inclusive totals. Return 0 or
 * -ENOMEM. */
int pp_apps_make(struct pp_profile *profile);

#endif
