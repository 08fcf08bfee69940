/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h -- the address spaces of all processes, as perf_events' notices tell of them.
 *
 * Notices and questions come in time order (perf_order.h), so the answers are those of the moment
 * the question is about. What was there before the first notice comes from /proc: a process that
 * was read there knows when (scanned_at), and older notices about it are ignored, for the
 * reading has seen their effect. Times are CLOCK_MONOTONIC_RAW in nanoseconds; 0 is "unknown".
 *
 * Bounded: a process that exits is kept for a moment, for samples taken while it was leaving;
 * whatever a lost notice leaves behind is swept out by asking /proc. When names of mapped files take
 * more than OPD_NAMES_MAX bytes, what is known of the processes with most of them is forgotten, and
 * asked for anew where samples fall. What is read of /proc has a limit too (process_proc.h); samples that
 * would need more are lost by name.
 */
#ifndef OPD_PROCESS_H
#define OPD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/process_entry.h"

struct opd_mapped_files;
struct opd_processes;

/* @proc_dir: "/proc", or a copy for tests. */
int opd_processes_create(struct opd_processes **ret, struct opd_mapped_files *files,
			 const char *proc_dir);
void opd_processes_destroy(struct opd_processes *ps);

/*
 * From now on only those that are scanned, and what they start: of all others notices are passed over, and nothing is
 * known. To be called before the first.
 */
void opd_processes_only_family(struct opd_processes *ps);
bool opd_processes_know(struct opd_processes *ps, pid_t tgid);
/* Those that are known and live; malloc'd. 0 or -ENOMEM. */
int opd_processes_list(struct opd_processes *ps, pid_t **ret, size_t *nr);

/*
 * Note that notices of any process may have been lost: each process is read from /proc again at its next look-up,
 * within the time that reading is allowed.
 */
void opd_processes_doubt(struct opd_processes *ps);

/* Notices. @parent == @tgid: a new thread. */
void opd_processes_fork(struct opd_processes *ps, uint64_t time, pid_t tgid, pid_t parent);
void opd_processes_exec(struct opd_processes *ps, uint64_t time, pid_t tgid);
void opd_processes_exit(struct opd_processes *ps, uint64_t time, pid_t tgid);

void opd_processes_mmap(struct opd_processes *ps, uint64_t time, pid_t tgid,
			const struct opd_mapping *mapping);

/*
 * The process @tgid, read from /proc when no notice told of it. NULL: it is not known and gone, or
 * out of memory. Valid until the next notice or reap. A process that is there but not to be looked
 * into (even root may not, in some containers) has `hidden` set and neither app nor maps.
 */
struct opd_process *opd_processes_find(struct opd_processes *ps, uint64_t time, pid_t tgid);

/*
 * What was mapped at @address; /proc is asked (now and then) where no notice told, because some
 * ways to map code come without notice. NULL: nothing. Valid as the process is.
 */
const struct opd_map *opd_process_map(struct opd_processes *ps, struct opd_process *process,
				      uint64_t time, uint64_t address);

/* Everything up to @time has been asked: forgets who died well before. */
void opd_processes_reap(struct opd_processes *ps, uint64_t time);

size_t opd_processes_nr(const struct opd_processes *ps);

#endif
