/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h -- the third stage: the sums. Every array of counts has one element for each class of
 * the session.
 */
#ifndef PP_PROFILE_PROFILE_H
#define PP_PROFILE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "pp/image/demangle.h"
#include "pp/image/image.h"
#include "pp/log.h"
#include "pp/session/session.h"

enum pp_entry_kind {
	PP_ENTRY_SYMBOL,
	PP_ENTRY_IMAGE,		/* the image has no symbols: it stands for itself */
	PP_ENTRY_UNCOVERED,	/* between the symbols of an image */
	PP_ENTRY_ADDRESS,	/* binary changed or missing: an address, in vma */
};

/* One program's part of one image. */
struct pp_group {
	const char *image, *app;	/* titles; the session's */
	uint64_t *counts;
};

/* One line of a symbol list. There can be millions, so it is small. */
struct pp_entry {
	const char *name;	/* demangled; PP_ENTRY_SYMBOL only */
	uint64_t vma;		/* 0 when not known */
	uint64_t *counts;
	uint32_t group;		/* index into the profile's groups */
	uint32_t details : 30;	/* one more than an index into its lists of details; 0: none */
	uint32_t kind : 2;	/* enum pp_entry_kind */
};

struct pp_detail {
	uint64_t vma;
	uint64_t *counts;
};

struct pp_details {		/* of one entry, by vma, ascending */
	struct pp_detail *items;
	size_t nr;
};

/* One line below a program in the image summary. */
struct pp_dependent {
	const char *image;
	uint64_t *counts;
};

struct pp_app {
	const char *app;
	uint64_t *counts;
	struct pp_dependent *dependents;	/* the program's own file too; sorted by title */
	size_t nr_dependents;
};

struct pp_profile {
	size_t nr_classes;
	uint64_t *totals;	/* everything read, also what is filtered out below */
	uint32_t cpu_type;	/* of the sample files */
	double cpu_speed;	/* MHz, 0 unknown */
	struct pp_group *groups;
	size_t nr_groups;
	struct pp_app *apps;
	size_t nr_apps;
	struct pp_entry *entries;	/* when asked for */
	size_t nr_entries;
	struct pp_details *details;	/* when asked for */
	size_t nr_details;
	size_t nr_files;		/* sample files with samples */
	struct pp_block *blocks;	/* own the arrays of counts */
	struct pp_strings *strings;	/* own the names of symbols */
};

struct pp_profile_options {
	int symbols;		/* make entries; needs images */
	int details;		/* and their addresses */
	enum pp_demangle demangle;
	const struct pp_values
		*include_symbols; /* globs over names, mangled or not; NULL or empty: all */
	const struct pp_values *exclude_symbols;
};

/*
 * Reads all sample files of @session, which must outlive the profile; @images may be NULL without
 * .symbols. A file that cannot be read is left out with a warning. PP_ERR_TOLD, also when not one
 * sample was found.
 */
int pp_profile_make(struct pp_profile **ret, const struct pp_session *session,
		    struct pp_images *images, const struct pp_profile_options *options,
		    struct pp_log *log);
/* The name a report shows; @buf is for those made up here. */
const char *pp_entry_name(const struct pp_profile *profile, const struct pp_entry *entry, char *buf,
			  size_t size);

/* Takes NULL. */
void pp_profile_destroy(struct pp_profile *profile);

#endif
