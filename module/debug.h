/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug.h -- what only a module made for tests does: make OPROFILE_DEBUG=1.
 */
#ifndef OPROFILE_DEBUG_H
#define OPROFILE_DEBUG_H

#include <linux/delay.h>

/* Makes a window of a few instructions so wide that a test meets what happens there. */
static inline void oprofile_widen_race(void)
{
#ifdef OPROFILE_DEBUG
	udelay(1000);
#endif
}

#endif
