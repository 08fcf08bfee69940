/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h -- the process to attach to, and all that can be read about it without changing it.
 *
 * Everything is read below one descriptor of its directory in /proc, which never leads to another
 * process, even if the pid is reused. The process may fake its data to mislead us, so every number
 * is checked.
 *
 * Every read and write of its memory goes through one descriptor, which stays the memory of the
 * program that ran when it was opened. A write that comes after an exec changes nothing in the new
 * program.
 */
#ifndef UTILS_OPATTACH_TARGET_H
#define UTILS_OPATTACH_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/reason.h"

#define ATTACH_AUXV	1024	/* bytes; twice what the kernel writes */

struct attach_target {
	pid_t pid;
	/* readable after the process has ended; -1: the kernel does not support pidfds */
	int pidfd;
	/* time of the process's start, in the kernel's ticks since boot */
	uint64_t start;
	int proc;			/* descriptor of its directory in /proc */
	/* the memory of the program at the time of opening; -1: not permitted */
	int mem;
	/* the program's auxiliary vector: after an exec its random addresses differ */
	unsigned char auxv[ATTACH_AUXV];
	size_t auxv_len;
	uid_t uid;			/* the user id with which it opens files */
	gid_t gid;
	char exe[4096];			/* path of the program, from /proc */
	bool is_dynamic;		/* the program has a dynamic loader */
	/* AT_SECURE: the program has rights that the user who started it does not have */
	bool is_secure;
	/* the program has another word size or machine type than opattach */
	bool is_foreign;
	/* a seccomp filter might end the process for a system call of ours */
	bool is_filtered;
	/* the CPU checks returns, so a call from outside would fault */
	bool has_shadow_stack;
	/* set by the caller: deadline for waiting for threads, by op_now_ns(); 0: no limit */
	uint64_t end_ns;
	/* the process is in another mount namespace, where the paths of our files do not lead to
	 * them */
	bool is_elsewhere;
};

/* Open process @pid. Return 0, or a negative errno with text if no method can sample such a
 * process. */
int attach_target_open(struct attach_target *t, pid_t pid, struct op_reason *error);
void attach_target_close(struct attach_target *t);

/* Return whether the process is alive and still the same program. */
bool attach_target_is_there(const struct attach_target *t);

/*
 * Read the rights and restrictions of thread @tid again. The caller must have stopped it: while
 * ptrace(2) accepts requests for that thread, the process cannot become another program. Return 0,
 * or -ESRCH with text if the process has ended or is another program.
 */
int attach_target_look(struct attach_target *t, pid_t tid, struct op_reason *error);

/*
 * Read the text after "@name:" in the status of the process, or of thread @tid if that is not 0.
 * Return false without such a line.
 */
bool attach_target_status(const struct attach_target *t, pid_t tid, const char *name, char *buf,
			  size_t size);

/* Read or write all @len bytes of its memory. Return false if some are not mapped. */
bool attach_target_read(const struct attach_target *t, uint64_t at, void *buf, size_t len);
bool attach_target_write(const struct attach_target *t, uint64_t at, const void *buf, size_t len);

/* Store the malloc'd ids of the threads in *@ret. Return their number, or a negative errno. */
int attach_target_threads(const struct attach_target *t, pid_t **ret);

/*
 * Check whether the process can be attached to now. Return 0, or with text -ESRCH if it has ended
 * or is another program, -EBUSY if it is stopped or traced by another process.
 */
int attach_target_check(const struct attach_target *t, struct op_reason *error);

/* Explain the errno @err of ptrace(2) or a similar call in @error, with a way out. Return @err. */
int attach_target_refused(const struct attach_target *t, int err, struct op_reason *error);

#endif
