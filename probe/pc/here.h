/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * here.h -- functions that start and stop the collector of address samples in this process.
 */
#ifndef PROBE_PC_HERE_H
#define PROBE_PC_HERE_H

#include "probe/pc/run.h"

struct pc_run *pc_here(void);

/* Start counting with the options of $PCT in @environment, which must stay valid. If a run exists
 * already, resume it. */
void pc_here_on(char **environment);

#endif
