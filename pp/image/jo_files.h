/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jo_files.h -- the ELF files that the JIT agents of OProfile 1.x store in a session, after
 * conversion: {root}/PROGRAM/{dep}/{anon:NAME}/TGID.jo. Their addresses are those of the process.
 */
#ifndef PP_IMAGE_JO_FILES_H
#define PP_IMAGE_JO_FILES_H

#include <stddef.h>
#include <sys/types.h>

struct pp_jo_file {
	pid_t tgid;
	char *path;
};

struct pp_jo_files {	/* a zeroed struct is empty */
	struct pp_jo_file *items;	/* sorted by tgid */
	size_t nr;
};

/* Search the samples directories, without following links. Return 0 or -ENOMEM. */
int pp_jo_files_find(struct pp_jo_files *ret, char *const *samples_dirs, size_t nr_dirs);
void pp_jo_files_release(struct pp_jo_files *files);

/* Return the file's path, or NULL. */
const char *pp_jo_files_of(const struct pp_jo_files *files, pid_t tgid);

#endif
