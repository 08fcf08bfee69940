/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h -- construction of a signal frame, by which a thread of another process returns to the
 * point where it was stopped.
 *
 * When opattach makes a thread call a function, it writes such a frame below the thread's stack
 * pointer. The called function returns to the sigreturn trampoline. The kernel then restores all
 * registers of the thread from the frame, including vector registers, and the signal mask. So the
 * thread continues by itself, even if opattach is killed.
 */
#ifndef UTILS_OPATTACH_ARCH_FRAME_H
#define UTILS_OPATTACH_ARCH_FRAME_H

#include "utils/opattach/arch/arch.h"

#define ATTACH_FRAME_ROOM	16384	/* maximum size of a frame, in bytes */

/* The machine code of the sigreturn trampoline, which is the same in every C library. */
extern const unsigned char attach_sigreturn[];
extern const unsigned int attach_sigreturn_len;

/* The machine code of a system call instruction followed by a return, which occurs in every
 * program. */
extern const unsigned char attach_syscall[];
extern const unsigned int attach_syscall_len;

/* How a thread that was stopped in a system call continues. */
enum attach_restart {
	ATTACH_NO_CALL,
	ATTACH_RESTARTS,		/* the thread restarts the interrupted system call */
	/* the thread continues the system call, of which the kernel keeps state, such as the
	 * remaining time of a sleep; a return through a signal frame loses this state */
	ATTACH_GOES_ON,
};

/* Change @regs, the registers of a stopped thread, to those with which the thread will continue.
 * Return how the thread continues. */
enum attach_restart attach_restart(struct attach_regs *regs);

/* Build a frame in @buf that restores the registers @regs, the vector registers @xstate (in the
 * format of ptrace(2)) and the signal mask @mask. The first word of the frame is the return address
 * @sigreturn. The caller must write the frame to the address *@at, directly below @below. Return
 * the frame's length, or a negative errno: -ENOTSUP if the thread uses state that cannot be
 * restored. */
int attach_frame_make(unsigned char *buf, size_t size, uint64_t below, uint64_t sigreturn,
		      const struct attach_regs *regs, const unsigned char *xstate,
		      size_t xstate_len, uint64_t mask, uint64_t *at);

/* Return the registers with which the thread starts the call of @function with the given arguments
 * or, if @function is attach_syscall, the system call @number. The call returns through the frame
 * at address @frame. */
struct attach_regs attach_call_regs(const struct attach_regs *now, uint64_t function,
				    uint64_t number, const uint64_t args[6], uint64_t frame);

/* Return whether a thread that was stopped at the start of a system call is about to return through
 * the frame at address @frame. */
bool attach_is_returning(const struct attach_regs *regs, uint64_t frame);

/* Return the registers with which a thread resumes the system call in which it was stopped (with
 * the registers @stopped), instead of returning through a frame. */
struct attach_regs attach_go_on_regs(const struct attach_regs *stopped);

#endif
