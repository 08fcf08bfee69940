/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h -- the target: the process to sample, and properties of it that can be read without
 * changing it.
 *
 * The properties are read through a descriptor of the process's directory in /proc. The descriptor
 * never refers to another process, even if the process id is reused. A hostile process may present
 * wrong data, so every number is checked.
 *
 * The memory of the process is accessed through a descriptor that refers to the program that was
 * running when the descriptor was opened. After an exec, writes to this descriptor do not reach the
 * new program.
 */
#ifndef UTILS_OPATTACH_TARGET_H
#define UTILS_OPATTACH_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/reason.h"

/* maximum size of an auxiliary vector in bytes; present kernels write half as much */
#define ATTACH_AUXV	1024

struct attach_target {
	pid_t pid;
	/* pidfd of the process; -1: the kernel does not support pidfds */
	int pidfd;
	/* start time of the process, in kernel ticks since boot */
	uint64_t start;
	int proc;			/* descriptor of the directory /proc/PID of the process */
	/* descriptor of the memory of the program; -1: not permitted */
	int mem;
	/* the program's auxiliary vector; after an exec it has other random addresses */
	unsigned char auxv[ATTACH_AUXV];
	size_t auxv_len;
	uid_t uid;			/* user id with which the process opens files */
	gid_t gid;
	char exe[4096];			/* path of the program, from /proc/PID/exe */
	bool is_dynamic;		/* whether the program has a dynamic loader */
	/* whether the program has privileges that the user who started it does not have
	 * (AT_SECURE) */
	bool is_secure;
	/* whether the program has another word size or machine type than opattach */
	bool is_foreign;
	/* whether the process has a seccomp filter, so that the kernel might kill the process for a
	 * system call that opattach causes */
	bool is_filtered;
	/* whether the process uses a shadow stack, so that a function called from outside would
	 * fault at its return */
	bool has_shadow_stack;
	/* deadline for waiting for threads, by op_now_ns(), set by the caller; 0: no limit */
	uint64_t end_ns;
	/* whether the process is in another mount namespace, where paths of opattach's files may
	 * refer to other files or do not exist */
	bool is_elsewhere;
};

/* Open the process @pid and read its properties. Return 0, or a negative errno with a message in
 * @error if no method can sample the process. */
int attach_target_open(struct attach_target *t, pid_t pid, struct op_reason *error);
void attach_target_close(struct attach_target *t);

/* Return whether the process is alive and still executes the same program. */
bool attach_target_is_there(const struct attach_target *t);

/*
 * Read the privileges and restrictions of thread @tid again. The caller must have stopped the
 * thread, so that the process cannot execute another program. Return 0, or -ESRCH with a message in
 * @error if the process has ended or has executed another program.
 */
int attach_target_update(struct attach_target *t, pid_t tid, struct op_reason *error);

/*
 * Store the text after "@name:" in the status file of the process, or of thread @tid if that is not
 * 0. Return false if the file does not have such a line.
 */
bool attach_target_status(const struct attach_target *t, pid_t tid, const char *name, char *buf,
			  size_t size);

/* Read or write @len bytes at the address @at of the process. Return false if not all bytes are
 * mapped. */
bool attach_target_read(const struct attach_target *t, uint64_t at, void *buf, size_t len);
bool attach_target_write(const struct attach_target *t, uint64_t at, const void *buf, size_t len);

/* Store an array of the ids of all threads in *@ret; the caller frees it. Return their number, or a
 * negative errno. */
int attach_target_threads(const struct attach_target *t, pid_t **ret);

/*
 * Check whether the process can be attached to now. Return 0; or, with a message in @error,
 * -ESRCH if it has ended or executes another program, or -EBUSY if it is stopped or is traced by
 * another process.
 */
int attach_target_check(const struct attach_target *t, struct op_reason *error);

/* Store in @error the reason why the kernel refused, with the negative errno @err, to let opattach
 * attach to the process. Return @err. */
int attach_target_refused(const struct attach_target *t, int err, struct op_reason *error);

#endif
