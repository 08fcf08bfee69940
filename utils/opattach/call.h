/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- calls a function in a thread of another process. After the call, the thread continues
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
	/* number of the system call to make, if .function is attach_find_syscall() */
	uint64_t number;
	uint64_t args[ATTACH_ARGS];
	/* for each argument: it is an offset in .data, and is replaced by the address of the copied
	 * data */
	bool is_offset[ATTACH_ARGS];
	const void *data;		/* data to copy below the thread's stack pointer */
	size_t len;
	/* address, in the process, of the state of the probe or collector (attach_state.h) that the
	 * call needs; 0: the call needs no probe or collector */
	uint64_t state;
};

/* Return the address of a sigreturn trampoline in the process, or 0 if none was found. */
uint64_t attach_find_sigreturn(struct attach_images *images, const struct attach_target *t);

/* Return the address of a system call instruction followed by a return in the process, or 0 if none
 * was found. */
uint64_t attach_find_syscall(struct attach_images *images, const struct attach_target *t);

/* A call in progress. */
struct attach_calling;

/* Start the call in a stopped thread, and let the thread run. Store a handle for attach_call_poll()
 * in *@ret. @thread must stay valid until the call ends. The return value of the called function is
 * not available. Return 0, or a negative errno with a message in @error. On an error the thread is
 * unchanged and still stopped, and the caller must release it. */
int attach_call_begin(struct attach_thread *thread, const struct attach_target *t,
		      const struct attach_call *call, uint64_t sigreturn,
		      struct attach_calling **ret, struct op_reason *error);

/* Check whether the call has ended. Return -EAGAIN if it has not. Otherwise free @calling; the
 * caller must then release the thread by attach_thread_release(). Return 0 on success, or one of
 * these errors with a message in @error: -ETIME if the call has not returned by its deadline (it
 * will return later), -EFAULT if the function caused a fault and the thread was restored, -ESRCH if
 * the process has ended. */
int attach_call_poll(struct attach_calling *calling, struct op_reason *error);

/* Start the call and wait for its end. Return like attach_call_begin() and attach_call_poll(). */
int attach_call(struct attach_thread *thread, const struct attach_target *t,
		const struct attach_call *call, uint64_t sigreturn, struct op_reason *error);

#endif
