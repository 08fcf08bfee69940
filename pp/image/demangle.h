/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h -- C++ and Rust names as programmers write them.
 */
#ifndef PP_IMAGE_DEMANGLE_H
#define PP_IMAGE_DEMANGLE_H

enum pp_demangle {
	PP_DEMANGLE_NONE,
	PP_DEMANGLE_NORMAL,
	PP_DEMANGLE_SMART,	/* and what the standard library has by default left out: smart_name.h */
};

/* malloc'd; a copy of @name when it is not mangled. NULL: out of memory. */
char *pp_demangle(const char *name, enum pp_demangle how);

#endif
