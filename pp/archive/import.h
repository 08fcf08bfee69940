/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h -- conversion of other machines' sample files to this machine's layout.
 */
#ifndef PP_ARCHIVE_IMPORT_H
#define PP_ARCHIVE_IMPORT_H

#include <stdbool.h>

#include "libdb/odb.h"
#include "libop/session/sample_header.h"
#include "pp/archive/abi_read.h"
#include "pp/base/log.h"

/* Conversion of one sample file from another machine's layout to this machine's. */

/*
 * Add all counts of the sample file @fd to @to, a new file open for writing, and set the header of
 * @to. @name: file name for messages. @force: if the file's length disagrees with its header, warn
 * and convert the complete nodes. Return 0, or a negative errno with the cause in the log. Public
 * only for tests.
 */
int pp_foreign_convert(struct odb *to, int fd, const struct pp_abi *abi, bool force,
		       const char *name, struct pp_log *log);

struct pp_import {
	/* layout of the sample files on the machine that wrote them */
	const struct pp_abi *abi;
	bool force;	/* if a sample file is damaged, convert its complete records */
	struct pp_log *log;
	/* result: number of files that were converted, of files that were copied, and of files that
	 * failed */
	size_t nr_converted, nr_copied, nr_failed;
};

/*
 * Import @from, a sample file or a directory. In a directory, convert sample files at any depth and
 * copy other regular files. If @from is a file, replace an existing @to; if it is a directory, @to
 * must be new or empty. If some files fail, import the others and return a negative errno with the
 * causes in the log. Return 0 on success.
 */
int pp_import(struct pp_import *import, const char *from, const char *to);

#endif
