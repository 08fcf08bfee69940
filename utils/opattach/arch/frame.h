/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h -- a signal frame made by us: a thread returns through it to the place where it was
 * stopped.
 *
 * A thread that is made to call a function has such a frame below its stack, and returns from the
 * call to the code that signal handlers return to. The kernel then restores all of its registers,
 * vector registers included, and its signal mask. So if opattach is killed at any moment, the
 * thread continues by itself.
 */
#ifndef UTILS_OPATTACH_ARCH_FRAME_H
#define UTILS_OPATTACH_ARCH_FRAME_H

#include "utils/opattach/arch/arch.h"

#define ATTACH_FRAME_ROOM	16384	/* maximum size */

/* The code that signal handlers return to, the same in every C library. */
extern const unsigned char attach_sigreturn[];
extern const unsigned int attach_sigreturn_len;

/* A system call and a return; every program contains such code. */
extern const unsigned char attach_syscall[];
extern const unsigned int attach_syscall_len;

/* The way in which a thread that was stopped in a system call continues. */
enum attach_restart {
	ATTACH_NO_CALL,
	ATTACH_RESTARTS,		/* it makes the call again */
	/* the kernel knows the rest of the call, and forgets it when the thread returns through a
	 * frame */
	ATTACH_GOES_ON,
};

/* Set @regs to the registers with which the thread will go on. */
enum attach_restart attach_restart(struct attach_regs *regs);

/* Make the frame that restores @regs, the vector state @xstate in ptrace(2)'s form, and the signal
 * mask @mask; its first word is the return address @sigreturn. The frame lies directly below
 * @below; store its address to *@at. Return its length, or a negative errno: -ENOTSUP if the thread
 * uses state that cannot be restored. */
int attach_frame_make(unsigned char *buf, size_t size, uint64_t below, uint64_t sigreturn,
		      const struct attach_regs *regs, const unsigned char *xstate,
		      size_t xstate_len, uint64_t mask, uint64_t *at);

/* Return the registers to begin a function with these arguments, or (function attach_syscall)
 * system call @number, which returns through the frame at @frame. */
struct attach_regs attach_call_regs(const struct attach_regs *now, uint64_t function,
				    uint64_t number, const uint64_t args[6], uint64_t frame);

/* Return whether a thread that was stopped at the entry of a system call is about to return through
 * its frame at @frame. */
bool attach_is_returning(const struct attach_regs *regs, uint64_t frame);

/* Return the registers with which such a thread continues the call that it was in at @stopped
 * instead. */
struct attach_regs attach_go_on_regs(const struct attach_regs *stopped);

#endif
