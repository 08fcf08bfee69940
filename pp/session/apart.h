/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apart.h -- which binaries a session separates by program (--separate), from the names of its
 * sample files.
 */
#ifndef PP_SESSION_APART_H
#define PP_SESSION_APART_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/session/files.h"

/* The program and the binary in the name of a sample file. */
struct pp_apart_pair {
	size_t session;
	const char *app, *image;	/* the files' titles */
};

/* A zeroed struct is empty. */
struct pp_apart {
	struct pp_apart_pair *pairs;	/* sorted */
	size_t nr;
};

/* Read the names of all files; call it before files are filtered. Return 0 or -ENOMEM. */
int pp_apart_init(struct pp_apart *apart, const struct pp_files *files);
void pp_apart_release(struct pp_apart *apart);

/* Return whether the session keeps samples of @app in @image in a sample file with @image as its
 * program. */
bool pp_apart_merged(const struct pp_apart *apart, size_t session, const char *app,
		     const char *image);

#endif
