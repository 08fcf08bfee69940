/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing.h -- samples of the flat profile that no tree has, because they were taken without
 * call paths.
 */
#ifndef PP_PATHS_MISSING_H
#define PP_PATHS_MISSING_H

#include "pp/paths/programs.h"

/* Add these samples as paths with only the last function. @libs_merged: samples of a library are
 * not separated by program. Return 0 or -ENOMEM. */
int pp_paths_add_missing(struct pp_profile *profile, struct pp_path_programs *programs,
			 struct pp_path_nodes *nodes, int libs_merged);

/* Warn if the samples of @paths differ from those of the flat profile in any class. Call it
 * before counts are scaled. */
void pp_paths_check(const struct pp_profile *profile, const struct pp_paths *paths,
		    struct pp_log *log);

#endif
