/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * programs.h -- the nodes of programs in a calling context tree, found by title.
 */
#ifndef PP_PATHS_PROGRAMS_H
#define PP_PATHS_PROGRAMS_H

#include "pp/paths/nodes.h"
#include "pp/profile/profile.h"
#include "pp/session/session.h"

struct pp_path_programs {
	const char **titles;	/* titles of all trees and groups, sorted */
	uint32_t *nodes;	/* the node of each title; 0: not made yet */
	size_t nr;
};

/* -ENOMEM. */
int pp_path_programs_init(struct pp_path_programs *programs, const struct pp_profile *profile,
			  const struct pp_session *session);
/* Takes a zeroed struct. */
void pp_path_programs_release(struct pp_path_programs *programs);
/* Return the index of a title, which must exist. */
size_t pp_path_program_index(const struct pp_path_programs *programs, const char *title);
/* Find or make the node of a program. Return 0 or -ENOMEM. */
int pp_path_program(struct pp_path_programs *programs, struct pp_path_nodes *nodes,
		    const char *title, uint32_t *ret);

#endif
