/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * same_names.h -- functions of earlier builds of a binary, found by name, so that the samples of
 * all builds in one function are summed.
 */
#ifndef PP_PROFILE_SAME_NAMES_H
#define PP_PROFILE_SAME_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct pp_same_name;

struct pp_same_names {		/* all zero: empty */
	struct pp_same_name *slots;
	size_t size, nr;	/* size: a power of two, or 0 */
};

#define PP_NO_SAME_NAME	UINT32_MAX

/* Return the symbol with the name, or PP_NO_SAME_NAME. */
uint32_t pp_same_names_find(const struct pp_same_names *names, const char *name);
/* Add a symbol, unless one with the name exists. @name is borrowed. Return 0 or -ENOMEM. */
int pp_same_names_add(struct pp_same_names *names, const char *name, uint32_t symbol);
void pp_same_names_release(struct pp_same_names *names);

#endif
