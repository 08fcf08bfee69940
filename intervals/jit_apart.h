/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_apart.h -- keeps two processes with one number apart when intervals are added. Private to
 * intervals/.
 *
 * The files jit/PID.map and so on name the code that the process PID made. Process numbers are used
 * again, and a process makes new code at an address that it has used before. So the sum of two such
 * files may have names that are wrong for the samples of one interval.
 */
#ifndef ITV_JIT_APART_H
#define ITV_JIT_APART_H

#include "intervals/interval.h"

/*
 * Find the processes of @from whose files of made code contradict those of @to. If there are any,
 * store in the zeroed struct *@ret a sorted copy of @from in which each of these processes is
 * another program (anon_program of its images, N of jit/PID.N.map) than in @to, and return 1.
 * *@ret has no accounting. Return 0 if no file contradicts another one, or -ENOMEM.
 */
int itv_jit_apart(const struct itv *to, const struct itv *from, struct itv *ret);

#endif
