/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * here.h -- the run of the process that a collector is in.
 */
#ifndef PROBE_PC_HERE_H
#define PROBE_PC_HERE_H

#include "probe/pc/run.h"

struct pc_run *pc_here(void);

/* Begin to count as $PCT of @environment says, which stays where it is, or go on. */
void pc_here_on(char **environment);

#endif
