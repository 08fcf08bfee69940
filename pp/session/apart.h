/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart.h -- which binaries a session keeps apart by program (--separate), as the names of its sample files show it.
 */
#ifndef PP_SESSION_APART_H
#define PP_SESSION_APART_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/session/files.h"

/* A program and a binary that one sample file names. */
struct pp_apart_pair {
	size_t session;
	const char *app, *image;	/* the files' titles */
};

/* Zeroed is empty. */
struct pp_apart {
	struct pp_apart_pair *pairs;	/* sorted */
	size_t nr;
};

/* Read all names, before any file is left out. -ENOMEM. */
int pp_apart_init(struct pp_apart *apart, const struct pp_files *files);
void pp_apart_release(struct pp_apart *apart);

/* Return whether samples of @app in @image are in a sample file that names @image as their program. */
bool pp_apart_merged(const struct pp_apart *apart, size_t session, const char *app, const char *image);

#endif
