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

/* Conversion of sample files that a machine with another layout wrote. */

/*
 * Add all counts of the sample file @fd to @to, a new file that is open for writing, and set the
 * header of @to. @name: name of the file, for messages. @force: if the file's length does not agree
 * with its header, warn and convert the complete nodes. Return 0, or a negative errno with the
 * cause in the log. Declared for tests.
 */
int pp_foreign_convert(struct odb *to, int fd, const struct pp_abi *abi, bool force,
		       const char *name, struct pp_log *log);

struct pp_import {
	const struct pp_abi *abi;	/* layout of the machine that wrote the files */
	bool force;	/* convert the complete parts of damaged files, too */
	struct pp_log *log;
	size_t nr_converted, nr_copied, nr_failed;	/* results: numbers of converted files */
};

/*
 * Import @from, a sample file or a directory. In a directory, sample files at any depth are
 * converted and other regular files are copied. If @from is a file, an existing file @to is
 * replaced. If @from is a directory, @to must be a new or empty directory. Return 0, or a negative
 * errno with the causes in the log if a file could not be imported; the other files of a directory
 * are imported.
 */
int pp_import(struct pp_import *import, const char *from, const char *to);

#endif
