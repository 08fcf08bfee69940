/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * same_names.h -- finds the function of an earlier build of a binary by its name, so that what two
 * builds did in one function adds up.
 */
#ifndef PP_PROFILE_SAME_NAMES_H
#define PP_PROFILE_SAME_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct pp_same_name;

struct pp_same_names {		/* zeroed: empty */
	struct pp_same_name *slots;
	size_t size, nr;	/* size: a power of two, or 0 */
};

#define PP_NO_SAME_NAME	UINT32_MAX

/* The symbol that has the name, or PP_NO_SAME_NAME. */
uint32_t pp_same_names_find(const struct pp_same_names *names, const char *name);
/* The first of a name stays. @name is borrowed. -ENOMEM. */
int pp_same_names_add(struct pp_same_names *names, const char *name, uint32_t symbol);
void pp_same_names_release(struct pp_same_names *names);

#endif
