/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worst.h -- the functions whose share of the samples differs most between columns. */
#ifndef PP_JOIN_WORST_H
#define PP_JOIN_WORST_H

#include <stddef.h>

#include "pp/profile/profile.h"
#include "pp/session/classes.h"

/*
 * Keep only the @nr entries of @profile whose share differs most between two columns of the same
 * event, the largest difference first. Three standard errors are subtracted from a difference, so
 * that a column with few samples does not decide by chance. Return 0, -ENOMEM, or -ENODATA if the
 * profile has no two such columns.
 */
int pp_worst_select(struct pp_profile *profile, const struct pp_classes *classes, size_t nr);

#endif
