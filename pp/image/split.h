/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h -- the files into which compilers put debug data with -gsplit-dwarf: a .dwo file for each unit, or one
 * package (FILE.dwp) for all of them.
 *
 * The binary names the files, so they get no more trust than the binary: a file is regular, has the identity that
 * the binary says, and belongs to root, to the user who asks, or to the owner of the binary's debug data.
 */
#ifndef PP_IMAGE_SPLIT_H
#define PP_IMAGE_SPLIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pp/base/log.h"

struct pp_split;

struct pp_split_places {
	const char *binary;	/* its path; FILE.dwp is beside it, */
	const char *debug;	/* or beside this file, which has the rest of the debug data */
	uid_t owner;		/* of that */
	const char *root;	/* "" or what precedes every path here */
	struct pp_log *log;
};

/* As the binary has it. */
struct pp_split_unit {
	const char *name;	/* of the .dwo file; relative to ... */
	const char *dir;	/* ... this; NULL: not known */
	uint64_t id;
};

/* -ENOMEM. The log and the root are used until the end. */
int pp_split_create(struct pp_split **ret, const struct pp_split_places *places);
/* Takes NULL. */
void pp_split_free(struct pp_split *split);

/*
 * Return a descriptor of a file without a name that has the sections of the unit, or a negative errno. The
 * first file that is missing is named in a warning, and the way out.
 */
int pp_split_open(struct pp_split *split, const struct pp_split_unit *unit);

/* Report a file whose content is of no use, as pp_split_open() does it. */
void pp_split_refuse(struct pp_split *split, const struct pp_split_unit *unit);

/* Return the path of the file that has the unit, malloc'd; NULL when there is none. */
char *pp_split_path(struct pp_split *split, const struct pp_split_unit *unit);

#endif
