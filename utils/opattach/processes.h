/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h -- the processes that are sampled from outside: the target, and children that it
 * starts.
 */
#ifndef UTILS_OPATTACH_PROCESSES_H
#define UTILS_OPATTACH_PROCESSES_H

#include "utils/opattach/method.h"
#include "utils/opattach/paths.h"

struct attach_watched {
	struct attach_watched *next;
	struct attach_target target;
	struct attach_images images;
	/* earliest time at which to read the mappings of the process again, by op_now_ns() */
	uint64_t look_ns;
	struct attach_paths paths;
	/* whether the process has executed another program, whose samples a separate entry
	 * counts */
	bool is_other;
	/* whether the first thread has ended; other threads may still run */
	bool has_exited;
	/* number of rounds of reading all ring buffers in which the process had no thread left */
	unsigned int over;
};

/* State of sampling from outside. The entry of the target stays until the end; it belongs to the
 * program that the target executed at the start. Files of other processes are written after these
 * processes have ended. */
struct attach_watch {
	struct attach *attach;
	struct attach_watched *first;	/* list of processes; the first one is the target */
	struct attach_path path;	/* buffer for the call path of the current sample */
	/* number of samples of processes that ended before their mappings could be read */
	uint64_t unknown;
	int signals;			/* signalfd of SIGINT, SIGTERM and SIGHUP */
	int ends;			/* pidfd of the target */
	/* time at which sampling ends, by op_now_ns(); 0: no limit */
	uint64_t end_ns;
	/* error of the first file that could not be written, or 0 */
	int err;
	struct op_reason error;		/* error message for .err */
};

/* Initialize @w with the target of @a as its only process. Return 0, or a negative errno with a
 * message in @error. */
int attach_watch_begin(struct attach_watch *w, struct attach *a, struct op_reason *error);
/* Wait for @ms milliseconds, or until one of the @nr descriptors @fds (-1: unused) is readable.
 * Return false if sampling must end: at a signal, at the time limit, or at the end of the
 * target. */
bool attach_watch_wait(struct attach_watch *w, const int *fds, unsigned int nr, unsigned int ms);
/*
 * Write and print the files of all remaining processes, and release @w. Return 0, or a negative
 * errno with a message in @error if a file could not be written.
 */
int attach_watch_end(struct attach_watch *w, struct op_reason *error);
/* Release @w without writing files. */
void attach_watch_forget(struct attach_watch *w);

/* Count a sample of a thread of process @pid with the registers @regs. @stack: a copy of @len bytes
 * of the thread's stack; NULL: read the stack from the process. */
void attach_watch_sample(struct attach_watch *w, pid_t pid, const struct attach_regs *regs,
			 const unsigned char *stack, size_t len, uint64_t weight);
/* Count a sample of process @pid whose call path consists only of the address @ip. */
void attach_watch_address(struct attach_watch *w, pid_t pid, uint64_t ip, uint64_t weight);
void attach_watch_lost(struct attach_watch *w, uint64_t samples);
/* Record that process @pid has executed another program. */
void attach_watch_exec(struct attach_watch *w, pid_t pid);
/* Start to record samples of process @pid. No thread of the process may be stopped by the caller,
 * because opening a file of a stopped process might block. */
void attach_watch_process(struct attach_watch *w, pid_t pid);
/* Record that the first thread of process @pid has ended. */
void attach_watch_exit(struct attach_watch *w, pid_t pid);
/*
 * End a round, in which all ring buffers were read. If a process had ended before the round, its
 * last samples have been read now: write its file and release it.
 */
void attach_watch_round(struct attach_watch *w);

#endif
