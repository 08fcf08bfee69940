/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_lines.h -- removal of functions without samples from maps of JIT code, the files jit/PID.map.
 * Private to intervals/.
 */
#ifndef ITV_JIT_LINES_H
#define ITV_JIT_LINES_H

#include "intervals/interval.h"

/*
 * Remove from all jit/ files of @v the lines of functions without samples and frames. A process may
 * run code that its parent generated before fork(), so an address counts for the files of all
 * processes. Return 0 or -ENOMEM.
 */
int itv_jit_reduce(struct itv *v);

#endif
