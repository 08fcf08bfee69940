/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_proc.h -- reading of processes from /proc, for processes that no notice has described: at
 * most OPD_PROC_LINES lines a second, at most a tenth of them for one process.
 */
#ifndef OPD_PROCESS_PROC_H
#define OPD_PROCESS_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OPD_PROC_LINES	50000

struct opd_process;
struct opd_processes;

/* Read all processes, or only the process @tgid, regardless of the budget of reads. Processes that
 * were read before are read again. Return 0 or a negative errno. */
int opd_processes_scan_all(struct opd_processes *ps);
int opd_processes_scan(struct opd_processes *ps, pid_t tgid, uint64_t now);

/* Return whether the budget of reads allows to read the process now. opd_process_read() and
 * opd_process_read_map() charge the budget. */
bool opd_process_may_read(const struct opd_processes *ps, const struct opd_process *p,
			  uint64_t time);
/* Fill in the data of @p from /proc, as far as permitted. Return false if the process does not
 * exist any more. */
bool opd_process_read(struct opd_processes *ps, struct opd_process *p, uint64_t time);
/* Add the mapping at @address to the process if /proc shows one. */
void opd_process_read_map(struct opd_processes *ps, struct opd_process *p, uint64_t time,
			  uint64_t address);

#endif
