/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_code.h -- rules of frames in made code without unwinding information, from its instructions.
 *
 * Short pieces of made code that call a C function, as CPython's and many interpreters', keep no frame pointer. Where the
 * instructions from a pc on only take values from the stack up to a `ret`, they show where the return address lies. x86_64 only.
 *
 * The code is read from the process some time after the sample, and kept for a while. One thread.
 */
#ifndef OPD_PERF_CODE_H
#define OPD_PERF_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/source/perf_stacks.h"
#include "module/uapi/unwind.h"

struct opd_perf_code;

/* @arg is passed to @read and must outlive *@ret. Return 0 or -ENOMEM. */
int opd_perf_code_create(struct opd_perf_code **ret, opd_perf_stacks_read_fn read, void *arg);
void opd_perf_code_destroy(struct opd_perf_code *c);	/* takes NULL */

/*
 * Find the rule at @pc in thread @tid of process @pid, for a sample of the time @time, in ns. The stack pointer has to be that at @pc. Return
 * false if the code does not show it or cannot be read now.
 */
bool opd_perf_code_rule(struct opd_perf_code *c, pid_t pid, pid_t tid, uint64_t pc, uint64_t time, struct oprofile_uw_rule *rule);

/* The same from @size bytes of code. */
bool opd_perf_code_decode(const unsigned char *code, size_t size, struct oprofile_uw_rule *rule);

#endif
