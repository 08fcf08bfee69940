// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_x86_64.c -- construction of a signal frame in the kernel's layout, on x86_64.
 */
#include "config.h"
#include "utils/opattach/arch/frame.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#define RED_ZONE	128
#define ALIGN		64
#define MAGIC1		0x46505853U
#define MAGIC2		0x46505845U
/* size in bytes of the x87 and SSE registers and the XSAVE header, which precede all other vector
 * registers */
#define BASE_SIZE	576U
/* offset in the XSAVE area of the bit mask of register sets that are not in their initial state */
#define FEATURES_AT	512
/* offset in the XSAVE area of the fields that the CPU does not use, but the kernel and ptrace(2)
 * use */
#define SOFTWARE_AT	464
#define LEGACY		3ULL	/* bits of the x87 and SSE registers, which every CPU has */
#define TILES		(3ULL << 17)	/* AMX tiles, which a thread must request from the kernel */
/* flags that are invalid for an alternate signal stack: the kernel then leaves the stack setting
 * unchanged */
#define NO_STACK_FLAGS	4
#define EFLAGS		0x202

/* Results by which the kernel marks interrupted system calls. They are internal: programs never see
 * them. */
enum {
	RESTART_SYS = -512,
	RESTART_NO_INTR = -513,
	RESTART_NO_HANDLER = -514,
	RESTART_BLOCK = -516
};

const unsigned char attach_sigreturn[] = {0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05};
const unsigned int attach_sigreturn_len = sizeof(attach_sigreturn);
const unsigned char attach_syscall[] = { 0x0f, 0x05, 0xc3 };
const unsigned int attach_syscall_len = sizeof(attach_syscall);

/* The signal frame as in the kernel's uapi/asm/ucontext.h and sigcontext.h. Those headers cannot be
 * included, because the C library uses the same names. */
struct frame {
	uint64_t sigreturn;
	uint64_t flags, link;
	uint64_t stack, stack_flags, stack_size;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx, ax, cx, sp, ip, eflags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2;
	uint64_t xstate;
	uint64_t reserved[8];
	uint64_t mask;
};

#define HAS_XSTATE	1	/* bit of .flags: the frame has vector registers */
#define HAS_SS		2
#define STRICT_SS	4

struct software {
	uint32_t magic1, extended_size;
	uint64_t features;
	uint32_t size, padding[7];
};

enum attach_restart attach_restart(struct attach_regs *regs)
{
	struct user_regs_struct *u = &regs->user;

	if (!attach_arch_in_call(regs))
		return ATTACH_NO_CALL;
	switch ((long)u->rax) {
	case RESTART_SYS:
	case RESTART_NO_INTR:
	case RESTART_NO_HANDLER:
		u->rax = u->orig_rax;
		break;
	case RESTART_BLOCK:
		/* If attach_go_on_regs() does not continue an interrupted sleep, the system call
		 * restarts from the beginning. Then the thread sleeps longer than the program has
		 * requested, which is harmless. */
		u->rax = u->orig_rax;
		u->rip -= 2;
		return ATTACH_GOES_ON;
	case -EINTR:
		/* After a signal, the kernel does not restart epoll_wait(2) and similar system
		 * calls. But here the stop by opattach has interrupted the call, not a signal, so
		 * make the thread restart the call. */
		if (u->orig_rax != SYS_epoll_wait && u->orig_rax != SYS_epoll_pwait &&
		    u->orig_rax != SYS_rt_sigtimedwait && u->orig_rax != SYS_semop &&
		    u->orig_rax != SYS_semtimedop && u->orig_rax != SYS_io_getevents)
			return ATTACH_NO_CALL;
		u->rax = u->orig_rax;
		break;
	default:
		return ATTACH_NO_CALL;
	}
	u->rip -= 2;
	return ATTACH_RESTARTS;
}

/* Return the number of bytes of the XSAVE area that the register sets in @features need. Register
 * sets have fixed offsets. */
static uint32_t xstate_size(uint64_t features, size_t len)
{
	uint32_t size = BASE_SIZE;

	for (unsigned int i = 2; i < 32; i++) {
		uint32_t bytes, offset, flags, unused;

		if (!(features >> i & 1))
			continue;
		__asm__("cpuid"
			: "=a"(bytes), "=b"(offset), "=c"(flags), "=d"(unused)
			: "a"(13), "c"(i));
		if (!(flags & 1) && offset + bytes > size)
			size = offset + bytes;
	}
	return size <= len ? size : 0;
}

/* Copy the vector registers @xstate to @to, and add the fields that the kernel requires in a signal
 * frame. Return the number of bytes written, or a negative errno. */
static int put_xstate(unsigned char *to, const unsigned char *xstate, size_t len)
{
	struct software software = { .magic1 = MAGIC1 };
	const uint32_t magic2 = MAGIC2;
	uint64_t used, all;

	if (len < BASE_SIZE)
		return -ENOTSUP;
	memcpy(&used, xstate + FEATURES_AT, sizeof(used));
	memcpy(&all, xstate + SOFTWARE_AT, sizeof(all));
	if (used & TILES)
		return -ENOTSUP;
	software.features = (all & ~TILES) | LEGACY;
	software.size = xstate_size(software.features, len);
	if (!software.size)
		return -ENOTSUP;
	software.extended_size = software.size + sizeof(magic2);
	memcpy(to, xstate, software.size);
	memcpy(to + SOFTWARE_AT, &software, sizeof(software));
	memcpy(to + software.size, &magic2, sizeof(magic2));
	return software.extended_size;
}

int attach_frame_make(unsigned char *buf, size_t size, uint64_t below, uint64_t sigreturn,
		      const struct attach_regs *regs, const unsigned char *xstate,
		      size_t xstate_len, uint64_t mask, uint64_t *at)
{
	const struct user_regs_struct *u = &regs->user;
	struct frame f = {
		.sigreturn = sigreturn,
		.flags = HAS_XSTATE | HAS_SS | STRICT_SS,
		.stack_flags = NO_STACK_FLAGS,
		.r8 = u->r8,
		.r9 = u->r9,
		.r10 = u->r10,
		.r11 = u->r11,
		.r12 = u->r12,
		.r13 = u->r13,
		.r14 = u->r14,
		.r15 = u->r15,
		.di = u->rdi,
		.si = u->rsi,
		.bp = u->rbp,
		.bx = u->rbx,
		.dx = u->rdx,
		.ax = u->rax,
		.cx = u->rcx,
		.sp = u->rsp,
		.ip = u->rip,
		.eflags = u->eflags,
		.cs = u->cs,
		.ss = u->ss,
		.mask = mask,
	};
	/* Layout from low to high addresses: the frame, aligned as the stack is after a call
	 * instruction, then the vector registers, aligned. */
	uint64_t xstate_at = (below - RED_ZONE - xstate_len - 64) & ~(uint64_t)(ALIGN - 1);
	uint64_t frame_at = ((xstate_at - sizeof(f)) & ~(uint64_t)15) - 8;
	int len;

	if (below - frame_at > size || xstate_len > size)
		return -ENOTSUP;
	memset(buf, 0, below - frame_at);
	len = put_xstate(buf + (xstate_at - frame_at), xstate, xstate_len);
	if (len < 0)
		return len;
	f.xstate = xstate_at;
	memcpy(buf, &f, sizeof(f));
	*at = frame_at;
	return xstate_at - frame_at + len;
}

struct attach_regs attach_call_regs(const struct attach_regs *now, uint64_t function,
				    uint64_t number, const uint64_t args[6], uint64_t frame)
{
	struct attach_regs regs = *now;

	regs.user.rip = function;
	regs.user.rsp = frame;
	regs.user.rbp = 0;
	regs.user.rdi = args[0];
	regs.user.rsi = args[1];
	regs.user.rdx = args[2];
	regs.user.r10 = args[3];
	regs.user.r8 = args[4];
	regs.user.r9 = args[5];
	regs.user.rax = number;
	regs.user.orig_rax = -1;
	regs.user.eflags = EFLAGS;
	return regs;
}

bool attach_is_returning(const struct attach_regs *regs, uint64_t frame)
{
	return regs->user.orig_rax == SYS_rt_sigreturn && regs->user.rsp == frame + 8;
}

struct attach_regs attach_go_on_regs(const struct attach_regs *stopped)
{
	struct attach_regs regs = *stopped;

	regs.user.orig_rax = SYS_restart_syscall;
	regs.user.rax = -ENOSYS;
	return regs;
}
