// SPDX-License-Identifier: GPL-2.0-or-later
/* part.c -- release of a part. */
#include "config.h"
#include "pp/profile/part.h"

#include <stdlib.h>

#include "pp/base/block.h"

void pp_part_release(struct pp_part *part)
{
	free(part->read);
	pp_log_queue_release(&part->log);
	pp_log_queue_release(&part->bad_files);
	free(part->paths.chain);
	free(part->paths.places);
	free(part->builds);
	free(part->codes);
	free(part->entries);
	free(part->details);
	pp_block_free(part->blocks);
	pp_block_free(part->strings);
	*part = (struct pp_part){ 0 };
}
