/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h -- sums of samples by line, symbol, file or image.
 */
#ifndef PP_PCT_PLACES_H
#define PP_PCT_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "pp/pct/options.h"
#include "pp/source/pct.h"

struct pct_place {
	char *name;
	uint64_t count;
};

struct pct_places {
	/* after pct_places_sort(): unique names, sorted by samples, largest first */
	struct pct_place *items;
	size_t nr;
};

/* Add the samples of @pct to @places. Return 0, or a negative errno with the cause in @error. */
int pct_places_add(struct pct_places *places, const struct pct_options *o, const struct pp_pct *pct,
		   struct op_reason *error);
void pct_places_sort(struct pct_places *places);
/* Free the contents of @places, which may be zeroed. */
void pct_places_release(struct pct_places *places);

#endif
