/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h -- sample files of other machines become sample files of this one.
 */
#ifndef PP_ARCHIVE_IMPORT_H
#define PP_ARCHIVE_IMPORT_H

#include "pp/archive/abi_read.h"
#include "pp/base/log.h"

struct pp_import {
	const struct pp_abi *abi;	/* of the machine that wrote the files */
	int force;	/* take what is there of damaged files */
	struct pp_log *log;
	size_t nr_converted, nr_copied, nr_failed;	/* counted here */
};

/*
 * @from: a sample file, or a directory whose sample files, at any depth, are converted and whose
 * other regular files are copied. @to is replaced when it is a file that exists; a directory must
 * not exist or be empty. Negative when not everything could be imported, with the reasons in
 * the log; a directory's other files are there nevertheless.
 */
int pp_import(struct pp_import *import, const char *from, const char *to);

#endif
