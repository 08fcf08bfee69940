// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_generic.c -- fallback for machines without support for signal frames: functions cannot be
 * called in other processes.
 */
#include "config.h"
#include "utils/opattach/arch/frame.h"

#include <errno.h>

const unsigned char attach_sigreturn[] = { 0 };
const unsigned int attach_sigreturn_len = 0;
const unsigned char attach_syscall[] = { 0 };
const unsigned int attach_syscall_len = 0;

enum attach_restart attach_restart(struct attach_regs *regs)
{
	(void)regs;
	return ATTACH_NO_CALL;
}

int attach_frame_make(unsigned char *buf, size_t size, uint64_t below, uint64_t sigreturn,
		      const struct attach_regs *regs, const unsigned char *xstate,
		      size_t xstate_len, uint64_t mask, uint64_t *at)
{
	(void)buf;
	(void)size;
	(void)below;
	(void)sigreturn;
	(void)regs;
	(void)xstate;
	(void)xstate_len;
	(void)mask;
	(void)at;
	return -ENOTSUP;
}

struct attach_regs attach_call_regs(const struct attach_regs *now, uint64_t function,
				    uint64_t number, const uint64_t args[6], uint64_t frame)
{
	(void)function; (void)number; (void)args; (void)frame;
	return *now;
}

bool attach_is_returning(const struct attach_regs *regs, uint64_t frame)
{
	(void)regs; (void)frame;
	return false;
}

struct attach_regs attach_go_on_regs(const struct attach_regs *stopped)
{
	return *stopped;
}
