/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_mask_file.h -- reading of events/ARCH/CPU/unit_masks:
 *
 * 	# comment
 * 	include:ARCH/CPU
 * 	name:NAME type:mandatory|bitmask|exclusive default:0xNN|VALUENAME
 * 		0xNN description
 * 		0xNN extra:[edge,inv,any,pebs,cmask=N] VALUENAME description
 *
 * If a line contains "extra:", the word after this tag is the name of the value. A mandatory mask
 * has exactly one value. The default of a bitmask is a combination of its values; the default of an
 * exclusive mask is one of its values.
 */
#ifndef OP_UNIT_MASK_FILE_H
#define OP_UNIT_MASK_FILE_H

#include "libop/base/reason.h"
#include "libop/event/event.h"

#define OP_UM_MAX_VALUES	64

/* Add the unit masks of @cpu to the table. First add the unit masks from included files. Return 0;
 * OP_ERR_EVENT_TABLE or a negative errno with a message. */
int op_unit_mask_file_load(struct op_event_table *table, const char *root, const char *cpu,
			   unsigned int depth, struct op_reason *error);

#endif
