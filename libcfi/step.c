// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * step.c -- the step of module/uapi/unwind_walk.h as a function.
 */
#include "libcfi/cfi.h"

int cfi_step(unsigned int machine, const struct oprofile_uw_rule *rule, struct oprofile_uw_frame *frame,
	     struct oprofile_uw_slots *slots, const struct oprofile_uw_ops *ops, void *data)
{
	return oprofile_uw_step(machine, rule, frame, slots, ops, data);
}
