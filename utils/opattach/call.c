// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call.c -- calls a function in a thread of another process. After the call, the thread continues
 * where it was.
 *
 * The thread is changed in three steps. If opattach is killed after any of these steps, the thread
 * still runs correctly. First, a signal frame (arch/frame.h) and the data for the call are written
 * to unused memory below the thread's stack. Second, all registers of the thread are set at once
 * for the call, which returns through the signal frame. Third, the thread's signals are blocked;
 * the return through the frame unblocks them.
 */
#include "config.h"
#include "utils/opattach/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "libop/base/clock.h"
#include "utils/opattach/arch/frame.h"

#define XSTATE_ROOM	12288
/* minimum free size of the thread's stack in bytes; the kernel extends the stack at the first
 * access */
#define STACK_NEED	(ATTACH_FRAME_ROOM + ATTACH_DATA + 512)
#define CALL_MS		10000
/* signals that the C library uses internally; programs cannot block them */
#define NEVER_BLOCKED	(3ULL << 31)
#define BIT(sig)	(1ULL << ((sig) - 1))
/* Signals to block during a call. Signals of faults stay unblocked: if the called function caused a
 * fault whose signal is blocked, the kernel would reset the signal's action to SIG_DFL and kill the
 * process. */
#define BLOCKED		(~(BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP) | BIT(SIGSYS)))

#ifndef PTRACE_GETSIGMASK
#define PTRACE_GETSIGMASK	0x420a
#define PTRACE_SETSIGMASK	0x420b
#endif

/* State of the thread before the call, to restore after a failure. */
struct kept {
	/* registers with which the thread continues after the call */
	struct attach_regs regs;
	enum attach_restart restart;
	unsigned char xstate[XSTATE_ROOM];
	size_t xstate_len;
	uint64_t mask;
	uint64_t frame;
	uint64_t data;
};

/* Search the code of the process for the machine code @code. Return its address, or 0. */
static uint64_t find_code(struct attach_images *images, const struct attach_target *t,
			  const unsigned char *code, size_t len)
{
	for (size_t i = 0; ATTACH_ARCH_CALLS && i < images->nr; i++) {
		struct attach_image *image = &images->items[i];
		uint64_t at = attach_image_bytes(image, t, code, len);
		unsigned char bytes[16];

		if (at && attach_target_read(t, at, bytes, len) && !memcmp(bytes, code, len))
			return at;
	}
	return 0;
}

uint64_t attach_find_sigreturn(struct attach_images *images, const struct attach_target *t)
{
	return find_code(images, t, attach_sigreturn, attach_sigreturn_len);
}

uint64_t attach_find_syscall(struct attach_images *images, const struct attach_target *t)
{
	return find_code(images, t, attach_syscall, attach_syscall_len);
}

static int save_thread(const struct attach_thread *thread, struct kept *kept)
{
	struct iovec vec = { kept->xstate, sizeof(kept->xstate) };

	kept->regs = thread->regs;
	kept->restart = attach_restart(&kept->regs);
	if (ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_X86_XSTATE, &vec) ||
	    ptrace(PTRACE_GETSIGMASK, thread->tid, (void *)sizeof(kept->mask), &kept->mask))
		return -errno;
	kept->xstate_len = vec.iov_len;
	return 0;
}

/* Write the data of the call and the signal frame to the memory below the thread's stack pointer.
 * Return 0 or a negative errno. */
static int write_stack(const struct attach_thread *thread, const struct attach_target *t,
		       const struct attach_call *call, uint64_t sigreturn, struct kept *kept)
{
	unsigned char frame[ATTACH_FRAME_ROOM], probe;
	uint64_t sp = attach_arch_sp(&thread->regs);
	int len;

	if (sp < STACK_NEED || call->len > ATTACH_DATA ||
	    !attach_target_read(t, sp - STACK_NEED, &probe, 1))
		return -ENOSPC;
	kept->data = (sp - 128 - call->len) & ~(uint64_t)15;
	len = attach_frame_make(frame, sizeof(frame), kept->data, sigreturn, &kept->regs,
				kept->xstate, kept->xstate_len, kept->mask, &kept->frame);
	if (len < 0)
		return len;
	return attach_target_write(t, kept->frame, frame, len) &&
			       attach_target_write(t, kept->data, call->data, call->len) ?
		       0 :
		       -EFAULT;
}

static int begin(struct attach_thread *thread, const struct attach_call *call,
		 const struct kept *kept)
{
	uint64_t args[ATTACH_ARGS], blocked = BLOCKED;
	struct attach_regs regs;
	struct iovec vec = { &regs, sizeof(regs) };

	for (int i = 0; i < ATTACH_ARGS; i++)
		args[i] = call->args[i] + (call->is_offset[i] ? kept->data : 0);
	regs = attach_call_regs(&thread->regs, call->function, call->number, args, kept->frame);
	if (ptrace(PTRACE_SETREGSET, thread->tid, (void *)NT_PRSTATUS, &vec))
		return -errno;
	/* The return through the signal frame restores the thread's own signal mask. */
	ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)sizeof(blocked), &blocked);
	return 0;
}

/* Undo the call. Set the registers last: until then, the thread would still return through the
 * signal frame, which restores all state. */
static void restore(struct attach_thread *thread, const struct kept *kept,
		    const struct attach_regs *regs)
{
	struct iovec xstate = {(void *)kept->xstate, kept->xstate_len},
		     vec = {(void *)regs, sizeof(*regs)};

	ptrace(PTRACE_SETREGSET, thread->tid, (void *)NT_X86_XSTATE, &xstate);
	ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)sizeof(kept->mask), &kept->mask);
	ptrace(PTRACE_SETREGSET, thread->tid, (void *)NT_PRSTATUS, &vec);
}

/* Return whether the thread was stopped by a signal because the called function caused a fault.
 * Only signals from the kernel have si_code above 0. */
static bool is_fault(const struct attach_thread *thread, int sig)
{
	siginfo_t info;

	if (sig != SIGSEGV && sig != SIGBUS && sig != SIGILL && sig != SIGFPE && sig != SIGTRAP &&
	    sig != SIGSYS)
		return false;
	return !ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) && info.si_code > 0;
}

struct attach_calling {
	struct attach_thread *thread;
	const struct attach_target *target;
	struct kept kept;
	bool steps;			/* whether the thread stops at each of its system calls */
	/* whether the call has returned, and the thread was asked to stop so that it can be
	 * released */
	bool has_returned;
	uint64_t end_ns;
};

/* Return whether the call has returned: the return restores the thread's signal mask. */
static bool has_returned(const struct attach_calling *c)
{
	char text[32];

	return !attach_target_status(c->target, c->thread->tid, "SigBlk", text, sizeof(text)) ||
	       (strtoull(text, NULL, 16) & NEVER_BLOCKED) != NEVER_BLOCKED;
}

/* If the thread is about to return from the call, and a sleep in a system call was interrupted for
 * the call, make the thread resume the sleep directly, and return true. A return through the signal
 * frame would make the kernel lose the remaining time of the sleep. */
static bool goes_on(const struct attach_calling *c)
{
	struct attach_regs now, regs = attach_go_on_regs(&c->thread->regs);
	struct iovec vec = { &now, sizeof(now) };

	if (ptrace(PTRACE_GETREGSET, c->thread->tid, (void *)NT_PRSTATUS, &vec) ||
	    !attach_is_returning(&now, c->kept.frame))
		return false;
	restore(c->thread, &c->kept, &regs);
	return true;
}

static int resume(struct attach_calling *c, int sig)
{
	int request = c->steps && !c->has_returned ? PTRACE_SYSCALL : PTRACE_CONT;

	return attach_thread_resume(c->thread, request, sig);
}

/* Handle a stop of the thread during the call. Return 0 if the call is over, -EAGAIN if the thread
 * was continued, or another negative errno with a message in @error. */
static int handle_stop(struct attach_calling *c, int status, struct op_reason *error)
{
	const bool is_event = status >> 16 == PTRACE_EVENT_STOP,
		   is_call = WSTOPSIG(status) == ATTACH_SYSCALL_STOP;
	int err;

	if (attach_thread_has_execed(status))
		return op_fail(error, -ESRCH, "process %d has executed another program",
			       (int)c->target->pid);
	if (c->has_returned && is_event)
		return 0;
	if (!c->has_returned && is_call && goes_on(c))
		return 0;
	if (!c->has_returned && !is_call && !is_event && is_fault(c->thread, WSTOPSIG(status))) {
		restore(c->thread, &c->kept, &c->kept.regs);
		return op_fail(error, -EFAULT,
			       "the function called in thread %d ended with signal %d (%s); "
			       "opattach has restored the thread",
			       (int)c->thread->tid, WSTOPSIG(status), strsignal(WSTOPSIG(status)));
	}
	err = resume(c, attach_thread_signal(status));
	return err ? err : -EAGAIN;
}

/* Return the result of a call at its deadline: 0 if the call has returned, else -ETIME with a
 * message in @error. */
static int is_late(const struct attach_calling *c, struct op_reason *error)
{
	return c->has_returned ? 0 :
				 op_fail(error, -ETIME,
					 "the function called in thread %d has not returned in %d "
					 "s; the thread continues when the function returns",
					 (int)c->thread->tid, CALL_MS / 1000);
}

/* Check whether the call has ended. Most threads return without help from opattach. Two kinds of
 * threads are stopped at each system call of the called function. One kind was sleeping in a system
 * call before: it is stopped until it is about to return (goes_on()). The other kind had blocked
 * all signals: its signal mask does not show whether it has returned. */
static int poll_call(struct attach_calling *c, struct op_reason *error)
{
	int status, err;

	while (!(err = attach_thread_next(c->thread, &status))) {
		err = handle_stop(c, status, error);
		if (err != -EAGAIN)
			return err;
	}
	if (err != -EAGAIN)
		return op_fail(error, err, "process %d has ended or executed another program",
			       (int)c->target->pid);
	if (!c->steps && !c->has_returned && has_returned(c)) {
		c->has_returned = true;
		c->end_ns = op_now_ns() + ATTACH_STOP_MS * 1000000ULL;
		if (attach_thread_interrupt(c->thread))
			return op_fail(error, -ESRCH, "process %d has ended",
				       (int)c->target->pid);
	}
	return op_now_ns() < c->end_ns ? -EAGAIN : is_late(c, error);
}

int attach_call_poll(struct attach_calling *calling, struct op_reason *error)
{
	int err = poll_call(calling, error);

	if (err != -EAGAIN)
		free(calling);
	return err;
}

static int make_begin(struct attach_calling *c, const struct attach_call *call, uint64_t sigreturn,
		      struct op_reason *error)
{
	int err = save_thread(c->thread, &c->kept);

	if (!err)
		err = write_stack(c->thread, c->target, call, sigreturn, &c->kept);
	if (err == -ENOSPC || err == -EFAULT)
		return op_fail(error, err, "thread %d has too little free space on its stack",
			       (int)c->thread->tid);
	if (err == -ENOTSUP)
		return op_fail(error, err, "thread %d uses registers that opattach cannot restore",
			       (int)c->thread->tid);
	if (!err)
		err = begin(c->thread, call, &c->kept);
	if (err)
		return attach_target_refused(c->target, err, error);
	c->steps = c->kept.restart == ATTACH_GOES_ON ||
		   (c->kept.mask & NEVER_BLOCKED) == NEVER_BLOCKED;
	c->end_ns = op_now_ns() + CALL_MS * 1000000ULL;
	return resume(c, 0) ? op_fail(error, -ESRCH, "process %d has ended",
				      (int)c->target->pid) :
			  0;
}

int attach_call_begin(struct attach_thread *thread, const struct attach_target *t,
		      const struct attach_call *call, uint64_t sigreturn,
		      struct attach_calling **ret, struct op_reason *error)
{
	struct attach_calling *c = malloc(sizeof(*c));
	int err;

	if (!c)
		return op_fail(error, -ENOMEM, "out of memory");
	*c = (struct attach_calling){ .thread = thread, .target = t };
	err = make_begin(c, call, sigreturn, error);
	if (err)
		free(c);
	else
		*ret = c;
	return err;
}

int attach_call(struct attach_thread *thread, const struct attach_target *t,
		const struct attach_call *call, uint64_t sigreturn, struct op_reason *error)
{
	struct attach_calling *calling;
	int err = attach_call_begin(thread, t, call, sigreturn, &calling, error);
	long pause = 0;

	if (err)
		return err;
	while ((err = attach_call_poll(calling, error)) == -EAGAIN)
		attach_pause(&pause);
	return err;
}
