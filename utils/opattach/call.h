/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- calling a function in a thread of another process, which then continues at its former
 * place.
 */
#ifndef UTILS_OPATTACH_CALL_H
#define UTILS_OPATTACH_CALL_H

#include "utils/opattach/images.h"
#include "utils/opattach/thread.h"

#define ATTACH_DATA	8192	/* maximum bytes passed with a call */

#define ATTACH_ARGS	6

struct attach_call {
	uint64_t function;
	/* number of the system call, if @function is attach_find_syscall() */
	uint64_t number;
	uint64_t args[ATTACH_ARGS];
	/* whether the argument is an offset in @data, to be replaced by an address */
	bool is_offset[ATTACH_ARGS];
	const void *data;		/* stored on the thread's stack during the call */
	size_t len;
	/* address of the collector's word of attach_state.h; 0: the call needs no collector */
	uint64_t state;
};

/* Return the address that signal handlers return to in the process, or 0 if it has none. */
uint64_t attach_find_sigreturn(struct attach_images *images, const struct attach_target *t);

/* Return the address of code that makes a system call and returns, or 0 if the process has none. */
uint64_t attach_find_syscall(struct attach_images *images, const struct attach_target *t);

/* A call in progress. */
struct attach_calling;

/* Begin the call in the stopped thread, which runs at once. *@ret, malloc'd, is for
 * attach_call_poll(). The function's return value is not available. @thread must live as long.
 * Return 0, or a negative errno with text: the thread is unchanged and must be released. */
int attach_call_begin(struct attach_thread *thread, const struct attach_target *t,
		      const struct attach_call *call, uint64_t sigreturn,
		      struct attach_calling **ret, struct op_reason *error);

/* Return -EAGAIN if the call has not returned yet. Otherwise @calling is freed and the thread must
 * be released by attach_thread_release(): return 0; or, with text, -ETIME if it will return later;
 * -EFAULT if it faulted and the thread is as before; or -ESRCH. */
int attach_call_poll(struct attach_calling *calling, struct op_reason *error);

/* Begin the call and wait for its end. */
int attach_call(struct attach_thread *thread, const struct attach_target *t,
		const struct attach_call *call, uint64_t sigreturn, struct op_reason *error);

#endif
