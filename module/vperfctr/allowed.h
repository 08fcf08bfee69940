/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vperfctr/allowed.h -- checks of controls, and of the caller's right to count.
 */
#ifndef VPERFCTR_ALLOWED_H
#define VPERFCTR_ALLOWED_H

#include <linux/types.h>

#include "uapi/vperfctr.h"

static inline bool vperfctr_counts_anything(const struct vperfctr_control *c)
{
	return c->tsc_on || c->nrctrs;
}

/* Check that the settings @c are valid, and that the caller, who may be a tracer, may count
 * their events. Return 0, -EINVAL or -EACCES. */
int vperfctr_check_control(const struct vperfctr_control *c);

/* Return whether the caller may count events of the CPU's PMU, at least in user mode. */
bool vperfctr_may_count_hardware(void);

int vperfctr_allowed_init(void);
void vperfctr_allowed_exit(void);

#endif
