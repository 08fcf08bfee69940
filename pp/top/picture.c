// SPDX-License-Identifier: GPL-2.0-or-later
/* picture.c -- snapshots: the samples of a span of time. */
#include "config.h"
#include "pp/top/picture.h"

#include <stdlib.h>

void pp_top_picture_sum(struct pp_top_picture *picture)
{
	for (size_t i = 0; i < picture->nr_nodes; i++)
		picture->nodes[i].total = picture->nodes[i].self;
	for (size_t i = picture->nr_nodes; i-- > 1;)
		picture->nodes[picture->nodes[i].parent].total += picture->nodes[i].total;
}

void pp_top_picture_release(struct pp_top_picture *picture)
{
	free(picture->entries);
	free(picture->nodes);
	*picture = (struct pp_top_picture){ 0 };
}
