/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- calling a function in a thread of another process; afterwards the thread continues
 * where it was.
 */
#ifndef UTILS_OPATTACH_CALL_H
#define UTILS_OPATTACH_CALL_H

#include "utils/opattach/images.h"
#include "utils/opattach/thread.h"

#define ATTACH_DATA	8192	/* maximum size of the data of a call, in bytes */

#define ATTACH_ARGS	6

struct attach_call {
	uint64_t function;
	/* number of the system call, if .function is attach_find_syscall() */
	uint64_t number;
	uint64_t args[ATTACH_ARGS];
	/* the argument is an offset in .data, to be replaced by the address of the copy */
	bool is_offset[ATTACH_ARGS];
	const void *data;		/* data to copy to the thread's stack */
	size_t len;
	/* address, in the process, of the collector's state (attach_state.h); 0: no collector
	 * needed */
	uint64_t state;
};

/* Return the address of the sigreturn trampoline in the process, or 0 if there is none. */
uint64_t attach_find_sigreturn(struct attach_images *images, const struct attach_target *t);

/* Return the address of a system call instruction followed by a return in the process, or 0. */
uint64_t attach_find_syscall(struct attach_images *images, const struct attach_target *t);

/* A call in progress. */
struct attach_calling;

/* Start the call in a stopped thread, which then runs. Store a handle for attach_call_poll() in
 * *@ret. @thread must stay valid until the call ends. The function's return value is not available.
 * Return 0, or a negative errno with a message in @error; then the thread is unchanged and the
 * caller must release it. */
int attach_call_begin(struct attach_thread *thread, const struct attach_target *t,
		      const struct attach_call *call, uint64_t sigreturn,
		      struct attach_calling **ret, struct op_reason *error);

/* Check whether the call has ended. Return -EAGAIN if it has not. Otherwise free @calling, and the
 * caller must release the thread by attach_thread_release(). Then return 0 on success; or, with a
 * message in @error, -ETIME if the call has not returned by its deadline and will return later,
 * -EFAULT if the function caused a fault and the thread was restored, or -ESRCH if the process has
 * ended. */
int attach_call_poll(struct attach_calling *calling, struct op_reason *error);

/* Start the call and wait for its end. Return like attach_call_begin() and attach_call_poll(). */
int attach_call(struct attach_thread *thread, const struct attach_target *t,
		const struct attach_call *call, uint64_t sigreturn, struct op_reason *error);

#endif
