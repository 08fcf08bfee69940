/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreign.h -- reading of sample files with another machine's layout.
 */
#ifndef PP_ARCHIVE_FOREIGN_H
#define PP_ARCHIVE_FOREIGN_H

#include "libdb/odb.h"
#include "libop/session/sample_header.h"
#include "pp/archive/abi_read.h"

/*
 * Return 1 if the file begins like a sample file of any version and byte order, else 0 or a
 * negative errno. Does not move the file's offset.
 */
int pp_foreign_is(int fd);

/*
 * Add all counts in @fd to @to, which is new and open for writing, and set its header. @name: for
 * messages. @force: if the file's length and its header disagree, warn and convert the complete
 * nodes. Return 0, or a negative errno with the cause in the log.
 */
int pp_foreign_convert(struct odb *to, int fd, const struct pp_abi *abi, int force,
		       const char *name, struct pp_log *log);

#endif
