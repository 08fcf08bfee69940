// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pfm_none.c -- substitute for pfm.c in builds without libpfm4.
 */
#include "config.h"
#include "libop/event/pfm.h"

int op_event_pfm_add(struct op_event_table *table, struct op_reason *error)
{
	(void)table;
	(void)error;
	return 0;
}
