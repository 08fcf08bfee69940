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

/* One line of a symbol list. */
struct pp_entry {
	const char *image, *app;	/* titles; the session's */
	char *name;			/* demangled; PP_ENTRY_SYMBOL only */
	uint64_t vma, size;		/* 0 when not known */
	uint64_t *counts;
	struct pp_detail *details;	/* by vma, ascending; when asked for */
	size_t nr_details;
	enum pp_entry_kind kind;
};

struct pp_detail {
	uint64_t vma;
	uint64_t *counts;
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
	struct pp_app *apps;
	size_t nr_apps;
	struct pp_entry *entries;	/* when asked for */
	size_t nr_entries;
	size_t nr_files;	/* sample files with samples */
	struct pp_block *blocks;	/* own the arrays of counts */
};

struct pp_profile_options {
	int symbols;		/* make entries; needs images */
	int details;		/* and their addresses */
	enum pp_demangle demangle;
	const struct pp_values *include_symbols;	/* globs over names, mangled or not; may be empty */
	const struct pp_values *exclude_symbols;
};

/*
 * Reads all sample files of @session, which must outlive the profile; @images may be NULL without
 * .symbols. A file that cannot be read is left out with a warning. PP_ERR_TOLD, also when not one
 * sample was found.
 */
int pp_profile_make(struct pp_profile **ret, const struct pp_session *session, struct pp_images *images,
		    const struct pp_profile_options *options, struct pp_log *log);
/* Takes NULL. */
void pp_profile_destroy(struct pp_profile *profile);

#endif
