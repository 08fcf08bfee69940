/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jo_files.h -- the ELF files that OProfile's classic JIT agents leave in a session, after
 * conversion: {root}/PROGRAM/{dep}/{anon:NAME}/TGID.jo, with the addresses of the process.
 */
#ifndef PP_IMAGE_JO_FILES_H
#define PP_IMAGE_JO_FILES_H

#include <stddef.h>
#include <sys/types.h>

struct pp_jo_file {
	pid_t tgid;
	char *path;
};

struct pp_jo_files {	/* zeroed: none */
	struct pp_jo_file *items;	/* by tgid */
	size_t nr;
};

/* Looks through the samples directories; links are not followed. 0 or -ENOMEM. */
int pp_jo_files_find(struct pp_jo_files *ret, char *const *samples_dirs, size_t nr_dirs);
void pp_jo_files_release(struct pp_jo_files *files);

/* NULL: there is none. */
const char *pp_jo_files_of(const struct pp_jo_files *files, pid_t tgid);

#endif
