/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct_attach.h -- functions that opattach(1) calls in a program that contains the pc sample
 * collector. The collector may be linked in, preloaded or loaded later.
 *
 * opattach looks up the functions in the symbol table and calls them in a thread that it has
 * interrupted. It does not receive a return value.
 */
#ifndef PROBE_PCT_ATTACH_H
#define PROBE_PCT_ATTACH_H

#include <stdint.h>

/* The collector's state (libop/raw/attach_state.h). In states other than RAW_ATTACH_READY,
 * pct_attach() and pct_detach() do nothing. */
extern uint32_t pct_attach_state;

/*
 * Start or resume counting. @text consists of two NUL-terminated strings. The first is used as $PCT
 * if nothing was counted before (empty: use the program's own $PCT). The second is a library to
 * preload into programs that this program starts (empty: do not sample them).
 */
void pct_attach(const char *text);

/* Stop counting, and restore the environment that pct_attach() has changed. */
void pct_detach(void);

#endif
