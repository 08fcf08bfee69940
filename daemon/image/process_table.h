/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_table.h -- the processes that are known, with their mappings: found by tgid, kept for a moment
 * after their death, within limits. For process.c and process_proc.c.
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
	struct opd_mapped_files *files;		/* borrowed */
	int proc_fd;
	bool family;		/* who was not scanned, or forked by one who is known, is nobody of ours */
	size_t nr;
	uint64_t read_until;	/* /proc is paid for until then; process_proc.c's */
	size_t sweep_at;	/* more processes than this: see which are still there */
	struct opd_process *oldest_dead, *newest_dead;
	struct opd_process *buckets[OPD_PROCESS_BUCKETS];
};

/* NULL: not known. */
struct opd_process *opd_process_at(struct opd_processes *ps, pid_t tgid);
/* The process in @tgid's place, emptied; made when there is none. NULL: out of memory. */
struct opd_process *opd_process_fresh(struct opd_processes *ps, pid_t tgid);
void opd_process_forget(struct opd_processes *ps, struct opd_process *p);
void opd_process_forget_all(struct opd_processes *ps);
/* Its mappings and its program. */
void opd_process_forget_contents(struct opd_process *p);

/* The dead are listed in the order in which they died. bury: who is not yet there; unbury: anybody. */
void opd_process_bury(struct opd_processes *ps, struct opd_process *p, uint64_t time);
void opd_process_unbury(struct opd_processes *ps, struct opd_process *p);

/* If they have become many, exits that nobody told of are looked for. */
void opd_process_sweep_many(struct opd_processes *ps);
/* /proc has just been read as a whole. */
void opd_process_swept(struct opd_processes *ps);

/* @map's file is to be put. Negative errno: there can be no code in it. */
int opd_process_map_init(struct opd_processes *ps, struct opd_map *map, const struct opd_mapping *m);
void opd_process_add_mapping(struct opd_processes *ps, struct opd_process *p,
			     const struct opd_mapping *mapping);

#endif
