/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_dumps.h -- what programs told of code that they made, of those that wrote files of themselves (pp/image/jit.h).
 */
#ifndef PP_ARCHIVE_ARCHIVE_DUMPS_H
#define PP_ARCHIVE_ARCHIVE_DUMPS_H

#include <sys/types.h>

#include "pp/base/log.h"

/* Copies what @process has told, beside its file at @path, into the archive @out, there into @dir. 0 or negative errno with the reason in
 * the log. */
int pp_archive_dumps(const char *path, pid_t process, int out, const char *dir, struct pp_log *log);

#endif
