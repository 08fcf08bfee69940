/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct_attach.h -- the entry points for opattach(1) in a program with a collector of addresses:
 * linked, preloaded, or loaded late.
 *
 * opattach calls them in an interrupted thread, by their address in a table of symbols, and does
 * not see a return value.
 */
#ifndef PROBE_PCT_ATTACH_H
#define PROBE_PCT_ATTACH_H

#include <stdint.h>

/* See libop/raw/attach_state.h: unless this is RAW_ATTACH_READY, the functions below do nothing. */
extern uint32_t pct_attach_state;

/*
 * Begin to count, or continue. @text has two strings: the words of $PCT, used if nothing was
 * counted before ("": the program's own $PCT), and a library for the programs that this one starts
 * ("": these are not sampled).
 */
void pct_attach(const char *text);

/* Stop counting, and undo pct_attach()'s changes of the environment. */
void pct_detach(void);

#endif
