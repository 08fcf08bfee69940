/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach.h -- what opattach(1) calls in a program that was not begun with the probe.
 *
 * It is called in a thread that did something else, and by the address that a table of symbols gives. Nobody sees what it
 * returns.
 */
#ifndef PROBE_PRELOADED_ATTACH_H
#define PROBE_PRELOADED_ATTACH_H

#include <stdint.h>

/* See libop/raw/attach_state.h: unless this is RAW_ATTACH_READY, the functions below do nothing. */
extern uint32_t opprobe_attach_state;

/*
 * Begins to count, as $OPPROBE says in a program that is begun with it, or counts again. @text: these words with their NUL, then the
 * libraries that this needs, as they are to be in $LD_PRELOAD of programs that it goes over to, with its NUL. NULL, where something is
 * counted already.
 */
void opprobe_attach(const char *text);

/* The calling thread, which was there before, is sampled too. */
void opprobe_attach_thread(void);

/* Counts no more: the program calls what it called before. */
void opprobe_detach(void);

#endif
