/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h -- search for the split debug data of -gsplit-dwarf: a .dwo file for each unit, or one
 * package (FILE.dwp) for all units.
 *
 * The binary contains the paths of the files, so the paths are trusted no more than the binary: a
 * file must be regular, must have the identity recorded in the binary, and must belong to root, to
 * the calling user, or to the owner of the binary's debug data. libdw keeps the views of all units
 * in memory, so their total size is limited.
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
	/* path of the file with the other debug data; FILE.dwp is searched in its directory, too */
	const char *debug;
	uid_t owner;		/* owner of the file .debug */
	const char *root;	/* prefix of each path, or "" */
	struct pp_log *log;
};

/* A unit of split debug data, as the binary describes it. */
struct pp_split_unit {
	const char *name;	/* path of the .dwo file, relative to .dir */
	const char *dir;	/* directory of the compilation; NULL: unknown */
	uint64_t id;
};

/* Create *@ret. The log and the root must stay valid until pp_split_free(). Return 0 or -ENOMEM. */
int pp_split_create(struct pp_split **ret, const struct pp_split_places *places);
/* Free @split. Accepts NULL. */
void pp_split_free(struct pp_split *split);

/*
 * Return the descriptor of an unnamed file (memfd) with the sections of the unit, or a negative
 * errno. Warn of the first missing file, and describe how to provide it.
 */
int pp_split_open(struct pp_split *split, const struct pp_split_unit *unit);

/* Warn that the content of the unit's file cannot be used. Only the first problem is reported, as
 * by pp_split_open(). */
void pp_split_refuse(struct pp_split *split, const struct pp_split_unit *unit);

/*
 * Return a descriptor of the file with the unit, which the caller closes, and its path in
 * *@ret_path, which the caller frees. Return a negative errno if no file has the unit: -ENOEXEC for
 * a file without split debug data.
 */
int pp_split_find(struct pp_split *split, const struct pp_split_unit *unit, char **ret_path);

#endif
