/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_lines.h -- the names of functions that programs made at run time, in jit/PID.map files:
 * reduction to the functions of an interval's samples, and the sum of two intervals' names.
 * Private to intervals/.
 */
#ifndef ITV_JIT_LINES_H
#define ITV_JIT_LINES_H

#include "intervals/interval.h"

/*
 * Remove from all jit/ files of @v the lines of functions without samples and without frames. The
 * samples of a process may be in code that an ancestor made, so an address counts in the files of
 * all processes. Return 0 or -ENOMEM.
 */
int itv_jit_reduce(struct itv *v);

#endif
