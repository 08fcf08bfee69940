/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * here.h -- the collector's run in this process.
 */
#ifndef PROBE_PC_HERE_H
#define PROBE_PC_HERE_H

#include "probe/pc/run.h"

struct pc_run *pc_here(void);

/* Begin to count by $PCT in @environment, which must stay valid. If a run exists, continue to
 * count. */
void pc_here_on(char **environment);

#endif
