/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_dumps.h -- archiving of the files that programs wrote about code made at run time
 * (pp/image/jit.h).
 */
#ifndef PP_ARCHIVE_ARCHIVE_DUMPS_H
#define PP_ARCHIVE_ARCHIVE_DUMPS_H

#include <sys/types.h>

#include "pp/base/log.h"

/* Copy the files about the code of @process, which are next to its file @path, to the directory
 * @dir of the archive @out. Return 0, or a negative errno with the cause in the log. */
int pp_archive_dumps(const char *path, pid_t process, int out, const char *dir, struct pp_log *log);

#endif
