/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_names.h -- names of the sample files and trees that the daemon created recently. Programs
 * that follow the session (the request "refresh") get these names, so they need not search the
 * session.
 *
 * Names are numbered in the order of creation. The daemon keeps names only while a program asks
 * for them; otherwise it only increments the number. It keeps at most OPD_NEW_NAMES names.
 */
#ifndef OPD_NEW_NAMES_H
#define OPD_NEW_NAMES_H

#include <stdint.h>

/* maximum number of names that the daemon keeps */
#define OPD_NEW_NAMES	256

/* Initialize this struct with zeros: then the first name has number 0. */
struct opd_new_names {
	uint64_t next;		/* number that the next new file gets */
	uint64_t first;		/* all names from this number on are still kept */
	/* number of names that the daemon still keeps if no further program requests names */
	unsigned int wanted;
	char *names[OPD_NEW_NAMES];	/* ring: name number N is at index N % OPD_NEW_NAMES */
};

/* Free all names. */
void opd_new_names_release(struct opd_new_names *n);

/* Record that the file @name was created; @name is a path below the session's samples directory.
 * If memory is short, earlier names are lost. @n may be NULL. */
void opd_new_names_add(struct opd_new_names *n, const char *name);

/* A program has requested names: keep the names of the next OPD_NEW_NAMES new files. */
void opd_new_names_request(struct opd_new_names *n);

/* Return name number @number, or NULL if it is not kept. The string is valid until the next
 * opd_new_names_add(). */
const char *opd_new_names_get(const struct opd_new_names *n, uint64_t number);

#endif
