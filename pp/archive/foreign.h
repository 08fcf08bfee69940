/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreign.h -- reads a sample file that another machine laid out.
 */
#ifndef PP_ARCHIVE_FOREIGN_H
#define PP_ARCHIVE_FOREIGN_H

#include "libdb/odb.h"
#include "libop/session/sample_header.h"
#include "pp/archive/abi_read.h"

/*
 * Does the file begin as sample files do, whatever their version and byte order? 1, 0 or negative
 * errno. Neither moves the file's offset.
 */
int pp_foreign_is(int fd);

/*
 * Adds all counts in @fd to @to, which is open for writing and new, and fills in its header.
 * @name: for messages. Negative with the reason in the log. @force: take what is there, with a warning, where the file's
 * length and its own numbers disagree.
 */
int pp_foreign_convert(struct odb *to, int fd, const struct pp_abi *abi, int force,
		       const char *name, struct pp_log *log);

#endif
