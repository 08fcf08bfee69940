/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h -- the rows of one interval: the count of each stack of each service and event.
 *
 * A stack begins with the program and ends with the function that was sampled. Its id is a hash of
 * its frames, so that all hosts have the same id for the same stack. A frame is the text
 * "NAME\tBINARY\tBUILD-ID"; names have no tabs.
 */
#ifndef OPEXPORT_ROWS_H
#define OPEXPORT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "pp/base/block.h"
#include "pp/profile/profile.h"

/* Maximum length of a name in a frame, in bytes. The end of a longer name is replaced by a hash of
 * the name. */
#define EXPORT_MAX_NAME	1000

struct export_row {
	/* in .strings of struct export_rows; equal texts have equal addresses */
	const char *event, *service, *version;
	/* id of the program's container, 64 hexadecimal digits; "": no container, or a container
	 * with another kind of id */
	const char *container;
	uint64_t stack;
	uint64_t count;
	uint32_t frame;	/* number of the last frame in .frames of struct export_rows */
	uint32_t class;	/* number of the event in the classes of the session */
};

/* A frame of a stack. Frames form a tree. */
struct export_frame {
	const char *text;	/* in .strings of struct export_rows */
	uint32_t parent;	/* number of the caller's frame; UINT32_MAX: this is the program */
	uint64_t hash;		/* id of the stack that ends with this frame */
};

/* The exact sum of the samples of a service and event. */
struct export_total {
	const char *event, *service;
	uint64_t count;
};

struct export_rows {
	/* rows, sorted by event, service, version and stack, without duplicates and without counts
	 * of 0 */
	struct export_row *rows;
	size_t nr;
	struct export_frame *frames;
	size_t nr_frames;
	struct export_total *totals;	/* sorted by event and service */
	size_t nr_totals;
	uint64_t samples;		/* sum of all counts */
	struct pp_block *strings;
	struct pp_intern intern;
};

/* Make the rows of a profile with symbols. Return 0 or -ENOMEM. */
int export_rows_make(struct export_rows *ret, const struct pp_profile *profile,
		     const struct pp_session *session);
void export_rows_release(struct export_rows *rows);

/* Write the text of a frame to @ret, an allocated string. @name: name of the function. @binary and
 * @build_id may be NULL. Return 0 or -ENOMEM. Declared for tests. */
int export_frame_text(char **ret, const char *name, const char *binary, const char *build_id);

#endif
