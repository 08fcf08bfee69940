/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call.h -- a function call in a thread of another process, after which the thread goes on where it
 * was.
 */
#ifndef UTILS_OPATTACH_CALL_H
#define UTILS_OPATTACH_CALL_H

#include "utils/opattach/images.h"
#include "utils/opattach/thread.h"

#define ATTACH_DATA	8192	/* bytes handed over with a call, at most */

#define ATTACH_ARGS	6

struct attach_call {
	uint64_t function;
	uint64_t number;		/* of a system call, where @function is attach_find_syscall() */
	uint64_t args[ATTACH_ARGS];
	bool is_offset[ATTACH_ARGS];	/* of @data, which becomes an address */
	const void *data;		/* lies on the thread's stack meanwhile */
	size_t len;
	uint64_t state;			/* address of the collector's word of attach_state.h; 0: the call needs no collector */
};

/* Return the address that signal handlers return to in the process, or 0 if it has none. */
uint64_t attach_find_sigreturn(struct attach_images *images, const struct attach_target *t);

/* Return the address of code that makes a system call and returns, or 0 if the process has none. */
uint64_t attach_find_syscall(struct attach_images *images, const struct attach_target *t);

/* A call in progress. */
struct attach_calling;

/*
 * Makes the stopped thread call: it goes on at once, and *@ret, malloc'd, is to be asked whether it has returned. What the function returns
 * is not known. @thread lives as long. 0; or negative with text: nothing was done, and the thread is to be released.
 */
int attach_call_begin(struct attach_thread *thread, const struct attach_target *t, const struct attach_call *call, uint64_t sigreturn,
		      struct attach_calling **ret, struct op_reason *error);

/*
 * -EAGAIN: not yet. Else it is over, @calling is freed, and only attach_thread_release() is left to do: 0; -ETIME: it has not returned, and
 * does so later; -EFAULT: it faulted, and is as it was before; -ESRCH. With text.
 */
int attach_call_ask(struct attach_calling *calling, struct op_reason *error);

/* Both, with the time between. */
int attach_call(struct attach_thread *thread, const struct attach_target *t, const struct attach_call *call, uint64_t sigreturn,
		struct op_reason *error);

#endif
