/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach.h -- the entry points for opattach(1) in a program that was started without the probe.
 *
 * opattach calls them in an interrupted thread, by their address in a table of symbols, and does
 * not see a return value.
 */
#ifndef PROBE_PRELOADED_ATTACH_H
#define PROBE_PRELOADED_ATTACH_H

#include <stdint.h>

/* See libop/raw/attach_state.h: unless this is RAW_ATTACH_READY, the functions below do nothing. */
extern uint32_t opprobe_attach_state;

/* Begin to count as with $OPPROBE in the environment, or resume. @text: the words of $OPPROBE with
 * a NUL, then the libraries that they need, as in $LD_PRELOAD of executed programs, with a NUL.
 * NULL: resume with the present events. */
void opprobe_attach(const char *text);

/* Begin to sample the calling thread, which existed before the probe was loaded. */
void opprobe_attach_thread(void);

/* Stop counting and restore the program's imports. */
void opprobe_detach(void);

#endif
