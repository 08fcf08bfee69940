/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h -- finds the split debug data of -gsplit-dwarf: a .dwo file for each unit, or one package (FILE.dwp) for all
 * units.
 *
 * The binary names the files, so they are trusted no more than the binary: a file must be regular, must have the
 * identity recorded in the binary, and must belong to root, to the calling user, or to the owner of the binary's debug
 * data. libdw keeps the views of all units in memory, so their size together has a limit.
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

/* A split unit, as the binary describes it. */
struct pp_split_unit {
	const char *name;	/* of the .dwo file; relative to ... */
	const char *dir;	/* ... this; NULL: not known */
	uint64_t id;
};

/* Return 0 or -ENOMEM. The log and the root must stay valid until pp_split_free(). */
int pp_split_create(struct pp_split **ret, const struct pp_split_places *places);
/* Takes NULL. */
void pp_split_free(struct pp_split *split);

/*
 * Return the descriptor of an unnamed file (memfd) with the sections of the unit, or a negative errno. The first
 * missing file is reported in a warning, with a way out.
 */
int pp_split_open(struct pp_split *split, const struct pp_split_unit *unit);

/* Report a file whose content cannot be used, as pp_split_open() does. */
void pp_split_refuse(struct pp_split *split, const struct pp_split_unit *unit);

/*
 * Return a descriptor of the file that has the unit, and its path in *@ret_path, malloc'd. The caller closes the first and frees the
 * second. Return a negative errno if no file has the unit: -ENOEXEC for a file without split debug data.
 */
int pp_split_find(struct pp_split *split, const struct pp_split_unit *unit, char **ret_path);

#endif
