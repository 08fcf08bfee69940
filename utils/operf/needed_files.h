/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * needed_files.h -- finds the files that a program maps before its main() starts: the program
 * itself, its interpreter, and its libraries.
 */
#ifndef UTILS_OPERF_NEEDED_FILES_H
#define UTILS_OPERF_NEEDED_FILES_H

#include <stddef.h>

struct needed_files {
	void **maps;
	size_t nr;
};

/*
 * Map one page of each file that the program @path will map as code, so that /proc/PID/maps of this
 * process and of its children lists these files. For a script, map the files of its interpreter.
 * The dynamic loader of the program lists its libraries; wait at most a second for the list. Skip
 * files that cannot be found.
 */
void needed_files_map(struct needed_files *ret, const char *path);
/* Unmap the files of @n, which may be zeroed. */
void needed_files_unmap(struct needed_files *n);

#endif
