/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * needed_files.h -- the files that a program has mapped before its main() begins: the program, its interpreter, its
 * libraries.
 */
#ifndef UTILS_NEEDED_FILES_H
#define UTILS_NEEDED_FILES_H

#include <stddef.h>

struct needed_files {
	void **maps;
	size_t nr;
};

/*
 * Map a page of each file that the program @path needs, as code, so that /proc/PID/maps of this process, and of one that it
 * forks, names them. The files of a script are those of its interpreter. Libraries are those that the program's dynamic
 * loader lists within a second. What cannot be found is left out.
 */
void needed_files_map(struct needed_files *ret, const char *path);
/* Takes what is zeroed. */
void needed_files_unmap(struct needed_files *n);

#endif
