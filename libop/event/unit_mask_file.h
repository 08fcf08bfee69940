/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_mask_file.h -- reads events/ARCH/CPU/unit_masks:
 *
 *	# comment
 *	include:ARCH/CPU
 *	name:NAME type:mandatory|bitmask|exclusive default:0xNN|VALUENAME
 *		0xNN description
 *		0xNN extra:[edge,inv,any,pebs,cmask=N] VALUENAME description
 *
 * "extra:" is what makes the next word a name. A mandatory mask has exactly one value, a bitmask's
 * default lies within its values, an exclusive mask's default is one of them.
 */
#ifndef OP_UNIT_MASK_FILE_H
#define OP_UNIT_MASK_FILE_H

#include "libop/base/reason.h"
#include "libop/event/event.h"

#define OP_UM_MAX_VALUES	64

/* Adds @cpu's unit masks, included ones first. 0, OP_ERR_EVENT_TABLE or negative errno, with @msg. */
int op_unit_mask_file_load(struct op_event_table *table, const char *root, const char *cpu,
			   unsigned int depth, struct op_reason *msg);

#endif
