/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_apart.h -- separates different processes with the same process id when intervals are added.
 * Private to intervals/.
 *
 * The files jit/PID.map and so on describe JIT code of the process PID. The kernel reuses process
 * ids, and a process may generate new code at an address that it used before. If two such files
 * were joined, samples of one interval would get wrong function names.
 */
#ifndef ITV_JIT_APART_H
#define ITV_JIT_APART_H

#include "intervals/interval.h"

/*
 * Find the processes of the interval @from whose JIT files contradict the files of a process with
 * the same id in the interval @to. If there are any, store a sorted copy of @from in the zeroed
 * struct *@ret, without accounting, and return 1. In the copy, these processes have program numbers
 * (anon_program of their images, N of jit/PID.N.map) that @to does not use. Return 0 if the files
 * do not contradict each other, or -ENOMEM.
 */
int itv_jit_apart(const struct itv *to, const struct itv *from, struct itv *ret);

#endif
