// SPDX-License-Identifier: GPL-2.0-or-later
/* snapshot.c -- snapshots: the samples of a span of time. */
#include "config.h"
#include "pp/top/snapshot.h"

#include <stdlib.h>

void pp_top_snapshot_sum(struct pp_top_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_nodes; i++)
		snapshot->nodes[i].total = snapshot->nodes[i].self;
	for (size_t i = snapshot->nr_nodes; i-- > 1;)
		snapshot->nodes[snapshot->nodes[i].parent].total += snapshot->nodes[i].total;
}

void pp_top_snapshot_release(struct pp_top_snapshot *snapshot)
{
	free(snapshot->entries);
	free(snapshot->nodes);
	*snapshot = (struct pp_top_snapshot){ 0 };
}
