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
	uint64_t look_ns;		/* when these may be looked at again */
	struct attach_paths paths;
	bool is_other;			/* its process is another program by now */
	bool has_exited;		/* its first thread has; others may go on */
	unsigned int over;		/* rounds in which nobody of it was left */
};

/* All of a run. The target, as it was found, is there to the end; of others a file is written
 * when they are over. */
struct attach_watch {
	struct attach *attach;
	struct attach_watched *first;	/* the target */
	struct attach_path path;	/* the one that is made */
	/* samples of processes that were gone before anything was known of them */
	uint64_t unknown;
	int signals;			/* signalfd of SIGINT, SIGTERM and SIGHUP */
	int ends;			/* pidfd of the target */
	uint64_t end_ns;		/* 0: no time is set */
	int err;			/* of the first file that could not be written, or 0 */
	struct op_reason error;		/* the text for @err */
};

/* 0, or negative with text. */
int attach_watch_begin(struct attach_watch *w, struct attach *a, struct op_reason *error);
/* Waits until @ms have gone or one of @fds (-1: none) has something. False: it is over. */
bool attach_watch_wait(struct attach_watch *w, const int *fds, unsigned int nr, unsigned int ms);
/*
 * Write and report all remaining files. Return 0, or a negative errno with text if some could not
 * be written.
 */
int attach_watch_end(struct attach_watch *w, struct op_reason *error);
/* Release everything without writing files. */
void attach_watch_forget(struct attach_watch *w);

/* A sample of a thread of @pid that has these registers, and (@stack not NULL) this copy of its
 * stack. */
void attach_watch_sample(struct attach_watch *w, pid_t pid, const struct attach_regs *regs,
			 const unsigned char *stack, size_t len, uint64_t weight);
/* The same where only the address is known. */
void attach_watch_address(struct attach_watch *w, pid_t pid, uint64_t ip, uint64_t weight);
void attach_watch_lost(struct attach_watch *w, uint64_t samples);
/* @pid is another program from now on. */
void attach_watch_exec(struct attach_watch *w, pid_t pid);
/* @pid has samples from now on. It is to be called before one of its threads is stopped, when
 * nothing can be opened of it. */
void attach_watch_process(struct attach_watch *w, pid_t pid);
/* The first thread of @pid has ended. */
void attach_watch_exit(struct attach_watch *w, pid_t pid);
/*
 * Once all rings were read. Of who is over since the round before nothing more comes: rings of
 * other CPUs had samples of it that were as old. Its file is written, and what it took given back.
 */
void attach_watch_round(struct attach_watch *w);

#endif
