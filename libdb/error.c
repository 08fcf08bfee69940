// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * error.c -- messages for libdb's return values.
 */
#include "config.h"
#include "libdb/odb.h"

#include <string.h>

const char *odb_strerror(int err)
{
	switch (err) {
	case ODB_ERR_FORMAT:
		return "not a sample file, or damaged beyond repair";
	case ODB_ERR_TRUNCATED:
		return "sample file cut short";
	case ODB_ERR_EMPTY:
		return "sample file without samples yet";
	case ODB_ERR_GENERATION:
		return "tree of call paths that belongs to another file of frames";
	default:
		return strerror(-err);
	}
}
