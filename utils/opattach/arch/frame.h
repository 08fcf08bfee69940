/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame.h -- a signal's frame that no signal has made: a thread returns through it to where it was stopped.
 *
 * A thread that is made to call a function finds such a frame below its stack, and returns from the call to what handlers
 * return to. The kernel then gives it back all that it had: its registers, those of vectors too, and which signals it blocks. So it
 * needs nobody: if whoever made it call is killed, at any moment, it goes on by itself.
 */
#ifndef UTILS_OPATTACH_ARCH_FRAME_H
#define UTILS_OPATTACH_ARCH_FRAME_H

#include "utils/opattach/arch/arch.h"

#define ATTACH_FRAME_ROOM	16384	/* at most */

/* The code that signal handlers return to, the same in every C library. */
extern const unsigned char attach_sigreturn[];
extern const unsigned int attach_sigreturn_len;

/* A system call and a return, as there is some in every program. */
extern const unsigned char attach_syscall[];
extern const unsigned int attach_syscall_len;

/* How a thread goes on that was stopped in a system call. */
enum attach_restart {
	ATTACH_NO_CALL,
	ATTACH_RESTARTS,		/* it makes the call once more */
	ATTACH_GOES_ON,			/* the kernel knows how far it came, and forgets that when it returns through a frame */
};

/* Set @regs to the registers with which the thread will go on. */
enum attach_restart attach_restart(struct attach_regs *regs);

/*
 * The frame that gives back @regs, the vector state @xstate as ptrace(2) has it, and the signal mask @mask, whose first word is
 * @sigreturn, the address to return to. It lies right below @below, which it has to know: *@at is where. How long it is, or
 * negative errno: -ENOTSUP: what the thread uses is more than we can give back.
 */
int attach_frame_make(unsigned char *buf, size_t size, uint64_t below, uint64_t sigreturn, const struct attach_regs *regs,
		      const unsigned char *xstate, size_t xstate_len, uint64_t mask, uint64_t *at);

/*
 * Registers with which a function begins that was called with these arguments, or (function attach_syscall) system call @number, and
 * returns through the frame at @frame.
 */
struct attach_regs attach_call_regs(const struct attach_regs *now, uint64_t function, uint64_t number, const uint64_t args[6],
				    uint64_t frame);

/* Whether a thread that was stopped as it entered a system call is about to return through its frame at @frame. */
bool attach_is_returning(const struct attach_regs *regs, uint64_t frame);

/* The registers with which such a thread goes on with the call that it was in at @stopped instead. */
struct attach_regs attach_go_on_regs(const struct attach_regs *stopped);

#endif
