/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * here.h -- access to the run of the pc sample collector in this process.
 */
#ifndef PROBE_PC_HERE_H
#define PROBE_PC_HERE_H

#include "probe/pc/run.h"

struct pc_run *pc_here(void);

/* Start counting with the options of $PCT in @environment, which must stay valid. Resume an
 * existing run. */
void pc_here_on(char **environment);

#endif
