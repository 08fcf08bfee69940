/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_table.h -- table of the known processes with their mappings, by tgid. A process stays in
 * the table for a short time after its end. The size of the table is limited. Only for process.c
 * and process_proc.c.
 */
#ifndef OPD_PROCESS_TABLE_H
#define OPD_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/image/process_entry.h"

#define OPD_PROCESS_BUCKETS	4096u

struct opd_mapped_files;

struct opd_processes {
	struct opd_mapped_files *files;		/* mapped files of all processes; borrowed */
	int proc_fd;
	/* only processes that were read from /proc, and their descendants, have entries */
	bool family;
	size_t nr;
	uint64_t read_until;	/* state of the budget for reading /proc (process_proc.c) */
	/* number of processes at which sweep() runs next */
	size_t sweep_at;
	struct opd_process *oldest_dead, *newest_dead;
	struct opd_process *buckets[OPD_PROCESS_BUCKETS];
};

/* Return the process @tgid, or NULL if the table does not contain it. */
struct opd_process *opd_process_at(struct opd_processes *ps, pid_t tgid);
/* Return an empty entry for process @tgid; an existing entry is cleared. Return NULL if memory is
 * short. */
struct opd_process *opd_process_fresh(struct opd_processes *ps, pid_t tgid);
void opd_process_forget(struct opd_processes *ps, struct opd_process *p);
void opd_process_forget_all(struct opd_processes *ps);
/* Release the mappings and the program of the process. */
void opd_process_forget_contents(struct opd_process *p);

/* Append a process to the list of dead processes, which is sorted by the times at which the
 * processes ended. The process must not be in the list. */
void opd_process_bury(struct opd_processes *ps, struct opd_process *p, uint64_t time);
/* Remove a process from the list of dead processes. */
void opd_process_unbury(struct opd_processes *ps, struct opd_process *p);

/* If the table has many processes, search for processes whose exit record was lost. */
void opd_process_sweep_many(struct opd_processes *ps);
/* Report that all processes in /proc were just read. This postpones the next search for processes
 * whose exit record was lost. */
void opd_process_swept(struct opd_processes *ps);

/* Initialize @map from the mapping @m of a perf_events record. The caller must call
 * opd_mapped_file_put() for map->file. Return 0 or a negative errno. */
int opd_process_map_init(struct opd_processes *ps, struct opd_map *map,
			 const struct opd_mapping *m);
void opd_process_add_mapping(struct opd_processes *ps, struct opd_process *p,
			     const struct opd_mapping *mapping);

#endif
