/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_table.h -- table of the known processes with their mappings, indexed by tgid. Processes
 * are kept for a short time after their death. The table's size is limited. Only for process.c and
 * process_proc.c.
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
	struct opd_mapped_files *files;		/* the mapped files of all processes; borrowed */
	int proc_fd;
	/* follow only processes that were scanned, and their descendants */
	bool family;
	size_t nr;
	uint64_t read_until;	/* budget of reads of /proc; used by process_proc.c */
	/* when the table has this number of processes, check which of them still exist */
	size_t sweep_at;
	struct opd_process *oldest_dead, *newest_dead;
	struct opd_process *buckets[OPD_PROCESS_BUCKETS];
};

/* Return the process @tgid, or NULL if it is not in the table. */
struct opd_process *opd_process_at(struct opd_processes *ps, pid_t tgid);
/* Return an empty entry for the process @tgid. An existing entry of @tgid is emptied and returned.
 * Return NULL if memory is short. */
struct opd_process *opd_process_fresh(struct opd_processes *ps, pid_t tgid);
void opd_process_forget(struct opd_processes *ps, struct opd_process *p);
void opd_process_forget_all(struct opd_processes *ps);
/* Discard the mappings and the program of the process. */
void opd_process_forget_contents(struct opd_process *p);

/* opd_process_bury(): add a process, which must not be in the list, to the list of dead processes,
 * whose order is that of death. opd_process_unbury(): remove a process from the list. */
void opd_process_bury(struct opd_processes *ps, struct opd_process *p, uint64_t time);
void opd_process_unbury(struct opd_processes *ps, struct opd_process *p);

/* If the table has many processes, look for processes that have exited without a notice. */
void opd_process_sweep_many(struct opd_processes *ps);
/* Note that all processes in /proc were just read. */
void opd_process_swept(struct opd_processes *ps);

/* Initialize @map from the mapping @m of a notice; the caller must call opd_mapped_file_put() for
 * map->file. Return 0, or a negative errno if the mapping cannot be kept. */
int opd_process_map_init(struct opd_processes *ps, struct opd_map *map,
			 const struct opd_mapping *m);
void opd_process_add_mapping(struct opd_processes *ps, struct opd_process *p,
			     const struct opd_mapping *mapping);

#endif
