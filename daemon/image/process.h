/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h -- address spaces of all processes, from the notices of perf_events.
 *
 * Notices and look-ups come in time order (perf_order.h), so each answer is correct for the time of
 * the look-up. State from before the first notice is read from /proc: for a process that was read
 * from /proc, .scanned_at is the time of the read, and older notices about the process are ignored,
 * because the read has included their effect. Times are CLOCK_MONOTONIC_RAW in nanoseconds; 0 is
 * "unknown".
 *
 * Memory is bounded: a process that exits is kept for a short time, for samples taken while it was
 * exiting; processes whose exit notice was lost are removed after a check of /proc. When names of
 * mapped files take more than OPD_NAMES_MAX bytes, the data of the processes with most names is
 * discarded, and read again when they have further samples. Reads of /proc are limited too
 * (process_proc.h); samples that would need more reads are counted as lost.
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

/* Create *@ret. @files is borrowed. @proc_dir: "/proc", or a copy for tests. Return 0 or a negative
 * errno. */
int opd_processes_create(struct opd_processes **ret, struct opd_mapped_files *files,
			 const char *proc_dir);
void opd_processes_destroy(struct opd_processes *ps);

/* From now on, ignore notices about all processes except those that are scanned and their children.
 * Call this function before the first scan. */
void opd_processes_only_family(struct opd_processes *ps);
bool opd_processes_know(struct opd_processes *ps, pid_t tgid);
/* List the known live processes; *@ret is malloc'd. Return 0 or -ENOMEM. */
int opd_processes_list(struct opd_processes *ps, pid_t **ret, size_t *nr);

/* Note that notices of any process may have been lost: each process is read from /proc again at its
 * next look-up, within the limit of reads. */
void opd_processes_doubt(struct opd_processes *ps);

/* Apply a notice of fork, exec, exit or mmap. @parent == @tgid: a new thread. */
void opd_processes_fork(struct opd_processes *ps, uint64_t time, pid_t tgid, pid_t parent);
void opd_processes_exec(struct opd_processes *ps, uint64_t time, pid_t tgid);
void opd_processes_exit(struct opd_processes *ps, uint64_t time, pid_t tgid);

void opd_processes_mmap(struct opd_processes *ps, uint64_t time, pid_t tgid,
			const struct opd_mapping *mapping);

/*
 * Return the process @tgid; read it from /proc if no notice has described it. Return NULL if the
 * process is unknown and has ended, or if memory is short. The pointer is valid until the next
 * notice or reap. If the daemon may not inspect the process (even root may not, in some
 * containers), .hidden is true, and .app and .maps are not set.
 */
struct opd_process *opd_processes_find(struct opd_processes *ps, uint64_t time, pid_t tgid);

/*
 * Return the mapping at @address, or NULL. The pointer is valid as long as the process. If no
 * notice has described the mapping, read /proc (at limited rate), because code can be mapped
 * without a notice.
 */
const struct opd_map *opd_process_map(struct opd_processes *ps, struct opd_process *process,
				      uint64_t time, uint64_t address);

/* Forget processes that ended well before @time. The caller has made all look-ups up to @time. */
void opd_processes_reap(struct opd_processes *ps, uint64_t time);

/* Return the number of known processes, for tests. */
size_t opd_processes_nr(const struct opd_processes *ps);

#endif
