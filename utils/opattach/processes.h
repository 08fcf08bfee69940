/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h -- the processes that are sampled from outside: the target and its later children.
 */
#ifndef UTILS_OPATTACH_PROCESSES_H
#define UTILS_OPATTACH_PROCESSES_H

#include "utils/opattach/method.h"
#include "utils/opattach/paths.h"

struct attach_watched {
	struct attach_watched *next;
	struct attach_target target;
	struct attach_images images;
	uint64_t look_ns;		/* the earliest time of the next read of the mappings */
	struct attach_paths paths;
	bool is_other;			/* the process has executed another program */
	bool has_exited;		/* the first thread has ended; others may still run */
	unsigned int over;		/* number of rounds in which the process had no thread */
};

/* State of one run. The entry of the target, as it was found, stays to the end. The files of other
 * processes are written after their end. */
struct attach_watch {
	struct attach *attach;
	struct attach_watched *first;	/* the target */
	struct attach_path path;	/* the path that is being made */
	/* samples of processes that had ended before their mappings were read */
	uint64_t unknown;
	int signals;			/* signalfd of SIGINT, SIGTERM and SIGHUP */
	int ends;			/* pidfd of the target */
	uint64_t end_ns;		/* 0: no time limit */
	int err;			/* of the first file that could not be written, or 0 */
	struct op_reason error;		/* the text for @err */
};

/* Begin to watch the target. Return 0, or a negative errno with text. */
int attach_watch_begin(struct attach_watch *w, struct attach *a, struct op_reason *error);
/* Wait until @ms milliseconds have passed or one of @fds (-1: unused) is readable. Return false if
 * the run is over. */
bool attach_watch_wait(struct attach_watch *w, const int *fds, unsigned int nr, unsigned int ms);
/*
 * Write and report all remaining files. Return 0, or a negative errno with text if some could not
 * be written.
 */
int attach_watch_end(struct attach_watch *w, struct op_reason *error);
/* Release everything without writing files. */
void attach_watch_forget(struct attach_watch *w);

/* Count a sample of a thread of process @pid with these registers. @stack is a copy of its stack,
 * or NULL. */
void attach_watch_sample(struct attach_watch *w, pid_t pid, const struct attach_regs *regs,
			 const unsigned char *stack, size_t len, uint64_t weight);
/* Count a sample of process @pid whose path is only the address @ip. */
void attach_watch_address(struct attach_watch *w, pid_t pid, uint64_t ip, uint64_t weight);
void attach_watch_lost(struct attach_watch *w, uint64_t samples);
/* Note that process @pid has executed another program. */
void attach_watch_exec(struct attach_watch *w, pid_t pid);
/* Add process @pid. The caller must not have stopped a thread of it: a stopped process might keep
 * us from opening its files. */
void attach_watch_process(struct attach_watch *w, pid_t pid);
/* Note that the first thread of process @pid has ended. */
void attach_watch_exit(struct attach_watch *w, pid_t pid);
/*
 * End a round, after all rings have been read. Write and release processes that ended before the
 * previous round: the rings of all CPUs have been read twice since, so no more samples of such a
 * process can come.
 */
void attach_watch_round(struct attach_watch *w);

#endif
