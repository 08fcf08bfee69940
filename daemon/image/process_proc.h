/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_proc.h -- reads, from /proc, processes that no record of perf_events has described.
 * Limits: at most OPD_PROC_LINES lines per second, and at most a tenth of these lines for one
 * process.
 */
#ifndef OPD_PROCESS_PROC_H
#define OPD_PROCESS_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OPD_PROC_LINES	50000

struct opd_process;
struct opd_processes;

/* Read all processes from /proc, or only process @tgid, even if the budget for reading /proc is
 * used up. Processes with an entry are read again. Return 0 or a negative errno. */
int opd_processes_scan_all(struct opd_processes *ps);
int opd_processes_scan(struct opd_processes *ps, pid_t tgid, uint64_t now);

/* Return true if the budget for reading /proc allows reading the process now. opd_process_read()
 * and opd_process_read_map() charge their reads to the budget. */
bool opd_process_may_read(const struct opd_processes *ps, const struct opd_process *p,
			  uint64_t time);
/* Read the data of process @p from /proc, as far as permitted, and store it in @p. Return false if
 * the process no longer exists. */
bool opd_process_read(struct opd_processes *ps, struct opd_process *p, uint64_t time);
/* Add the mapping at @address to the process if /proc lists it. */
void opd_process_read_map(struct opd_processes *ps, struct opd_process *p, uint64_t time,
			  uint64_t address);

#endif
