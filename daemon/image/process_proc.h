/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_proc.h -- what /proc tells of processes, where no notice did: at no more than OPD_PROC_LINES lines a
 * second, of one process at no more than a tenth of that.
 */
#ifndef OPD_PROCESS_PROC_H
#define OPD_PROCESS_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OPD_PROC_LINES	50000

struct opd_process;
struct opd_processes;

/* Reads all processes there are, or @tgid alone, whatever it costs. Those read already are read again. */
int opd_processes_scan_all(struct opd_processes *ps);
int opd_processes_scan(struct opd_processes *ps, pid_t tgid, uint64_t now);

/* May it be read now? Both functions below are paid for. */
bool opd_process_may_read(const struct opd_processes *ps, const struct opd_process *p, uint64_t time);
/* Fills @p, as far as we may. False: it is not there any more. */
bool opd_process_read(struct opd_processes *ps, struct opd_process *p, uint64_t time);
/* Takes the mapping at @address, if there is one. */
void opd_process_read_map(struct opd_processes *ps, struct opd_process *p, uint64_t time,
			  uint64_t address);

#endif
