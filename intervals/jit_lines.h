/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_lines.h -- removes functions without samples from the files jit/PID.map, which describe JIT
 * code. Private to intervals/.
 */
#ifndef ITV_JIT_LINES_H
#define ITV_JIT_LINES_H

#include "intervals/interval.h"

/*
 * From all files jit/PID.map of @v, remove the lines of functions that have neither samples nor
 * frames. A process may run code that its parent generated before fork(), so an address counts for
 * the files of all processes. Return 0 or -ENOMEM.
 */
int itv_jit_reduce(struct itv *v);

#endif
