/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h -- search for the split debug data of -gsplit-dwarf: a .dwo file for each unit, or one
 * package (FILE.dwp) for all units.
 *
 * The binary contains the paths, so a path is trusted no more than the binary. A file must be
 * regular and must have the identity that the binary records. It must belong to root, to the
 * calling user, or to the owner of the binary's debug data. libdw keeps the views of all units in
 * memory, so their total size is limited.
 */
#ifndef PP_IMAGE_SPLIT_H
#define PP_IMAGE_SPLIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pp/base/log.h"

struct pp_split;

struct pp_split_places {
	const char *binary;	/* path of the binary; FILE.dwp is searched in its directory */
	/* path of the file that contains the other debug data; FILE.dwp is also searched in its
	 * directory */
	const char *debug;
	uid_t owner;		/* user id of the owner of the file .debug */
	const char *root;	/* prefix of all paths at which files are searched, or "" */
	struct pp_log *log;
};

/* A unit of split debug data, as its skeleton in the binary describes it. */
struct pp_split_unit {
	const char *name;	/* path of the .dwo file, relative to .dir unless absolute */
	const char *dir;	/* directory in which the unit was compiled; NULL: unknown */
	uint64_t id;
};

/* Create *@ret. The log and the root in @places must stay valid until pp_split_free(). Return 0 or
 * -ENOMEM. */
int pp_split_create(struct pp_split **ret, const struct pp_split_places *places);
/* Free @split, which may be NULL. */
void pp_split_free(struct pp_split *split);

/*
 * Return a memfd with the unit's sections, or a negative errno. Warn only about the first missing
 * file, and describe how to provide the file.
 */
int pp_split_open(struct pp_split *split, const struct pp_split_unit *unit);

/* Warn that the contents of the unit's file cannot be used. Only the first warning of this function
 * and of pp_split_open() is printed. */
void pp_split_refuse(struct pp_split *split, const struct pp_split_unit *unit);

/*
 * Find the file that contains the split unit. Return a descriptor, which the caller closes, and set
 * *@ret_path, which the caller frees. Return a negative errno if no file contains the unit:
 * -ENOEXEC for a file without split debug data.
 */
int pp_split_find(struct pp_split *split, const struct pp_split_unit *unit, char **ret_path);

#endif
