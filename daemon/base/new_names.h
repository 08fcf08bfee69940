/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_names.h -- names of the sample files and trees that the daemon made recently, for programs
 * that follow the session (the request "refresh"), so that these programs need not search it.
 *
 * Each name has a number, and numbers increase by one. Names are kept only while a program asks for
 * them, so a daemon without readers only counts. Memory is bounded by OPD_NEW_NAMES names.
 */
#ifndef OPD_NEW_NAMES_H
#define OPD_NEW_NAMES_H

#include <stdint.h>

/* maximum number of names that are kept */
#define OPD_NEW_NAMES	256

/* Zeroed, the first name gets the number 0. */
struct opd_new_names {
	uint64_t next;		/* number of the next name */
	uint64_t first;		/* lowest number whose name, and all later names, are kept */
	/* number of names that are kept before a program asks again */
	unsigned int wanted;
	char *names[OPD_NEW_NAMES];	/* the name of number N is at N % OPD_NEW_NAMES */
};

/* Forget all names. */
void opd_new_names_release(struct opd_new_names *n);

/* Note that the file @name was made; @name is a path below the session's samples directory.
 * Without memory for the name, earlier names are forgotten. @n may be NULL. */
void opd_new_names_add(struct opd_new_names *n, const char *name);

/* Keep the next OPD_NEW_NAMES names. */
void opd_new_names_ask(struct opd_new_names *n);

/* Return the name with this number, or NULL if it is not kept. It is valid until the next call of
 * opd_new_names_add(). */
const char *opd_new_names_get(const struct opd_new_names *n, uint64_t number);

#endif
