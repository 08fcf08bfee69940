/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h -- the address spaces of all processes, from records of perf_events (fork, exec, mmap,
 * exit).
 *
 * Records and lookups arrive in time order (perf_order.h), so a lookup's result is correct for its
 * time. The state before the first record is read from /proc. Then .scanned_at is the time of the
 * read, and older records about the process are ignored, because the read includes their effect.
 * Times are CLOCK_MONOTONIC_RAW in ns; 0 means "unknown".
 *
 * Memory is bounded. An ended process is kept only for a short time, for samples that were taken
 * during its exit. If an exit record was lost, a check of /proc finds the ended process. If the
 * paths of mapped files take more than OPD_NAMES_MAX bytes, the mappings of the processes with
 * most paths are dropped, and read again at their next sample. Reads of /proc are limited
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

/* Create *@ret. @files is borrowed. @proc_dir: "/proc", or a test's directory. Return 0 or a
 * negative errno. */
int opd_processes_create(struct opd_processes **ret, struct opd_mapped_files *files,
			 const char *proc_dir);
void opd_processes_destroy(struct opd_processes *ps);

/* From now on, ignore the records of all processes except scanned processes and their descendants.
 * Call this before the first scan. */
void opd_processes_only_family(struct opd_processes *ps);
bool opd_processes_know(struct opd_processes *ps, pid_t tgid);
/* Return the ids of the known live processes as an array, which the caller frees. Return 0 or
 * -ENOMEM. */
int opd_processes_list(struct opd_processes *ps, pid_t **ret, size_t *nr);

/* Report that records of any process may have been lost. Then each process is read from /proc again
 * at its next lookup, if the budget for reading /proc allows it. */
void opd_processes_doubt(struct opd_processes *ps);

/* Apply a fork record: @parent has created process @tgid or, if @parent == @tgid, a thread. */
void opd_processes_fork(struct opd_processes *ps, uint64_t time, pid_t tgid, pid_t parent);
/* Apply the record of an exec by process @tgid. */
void opd_processes_exec(struct opd_processes *ps, uint64_t time, pid_t tgid);
/* Apply the record of the exit of a thread of process @tgid. */
void opd_processes_exit(struct opd_processes *ps, uint64_t time, pid_t tgid);

/* Apply an mmap record: process @tgid has created the mapping @mapping. */
void opd_processes_mmap(struct opd_processes *ps, uint64_t time, pid_t tgid,
			const struct opd_mapping *mapping);

/*
 * Return the process @tgid; read it from /proc if no record has described it. Return NULL if the
 * process is unknown and has ended, or if memory is short. The pointer is valid until the next
 * record or opd_processes_reap(). If the daemon may not inspect the process (in some containers
 * even root may not), .hidden is set, and .app and .maps are not. If the process could not be read
 * for another reason, .unread is set, and .app and .maps have only the data of later records.
 */
struct opd_process *opd_processes_find(struct opd_processes *ps, uint64_t time, pid_t tgid);

/*
 * Return the mapping at @address, or NULL. The pointer is valid as long as the process. If no
 * record has described a mapping there, read /proc, because the kernel maps some code without a
 * record. These reads are limited.
 */
const struct opd_map *opd_process_map(struct opd_processes *ps, struct opd_process *process,
				      uint64_t time, uint64_t address);

/* Remove the entries of processes that ended well before @time. The caller must not look up a time
 * before @time afterwards. */
void opd_processes_reap(struct opd_processes *ps, uint64_t time);

/* For tests: return the number of known processes. */
size_t opd_processes_nr(const struct opd_processes *ps);

#endif
