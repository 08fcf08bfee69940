// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * error.c -- libdb's return values in words.
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
		return "sample file in which nothing has been logged yet";
	case ODB_ERR_GENERATION:
		return "tree of paths whose frames are not these";
	default:
		return strerror(-err);
	}
}
