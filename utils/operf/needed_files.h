/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * needed_files.h -- files that a program maps before its main() starts: the program, its
 * interpreter, its libraries.
 */
#ifndef UTILS_OPERF_NEEDED_FILES_H
#define UTILS_OPERF_NEEDED_FILES_H

#include <stddef.h>

struct needed_files {
	void **maps;
	size_t nr;
};

/*
 * Map a page of each file that the program @path needs as code, so that /proc/PID/maps of this
 * process and of its children lists the files. For a script, map the files of its interpreter. The
 * program's dynamic loader lists the libraries; wait for it at most a second. Skip files that
 * cannot be found.
 */
void needed_files_map(struct needed_files *ret, const char *path);
/* Unmap the files. Accepts a zeroed struct. */
void needed_files_unmap(struct needed_files *n);

#endif
