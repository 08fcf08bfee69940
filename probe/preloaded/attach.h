/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach.h -- functions that opattach(1) calls in a program that was started without the probe.
 *
 * opattach looks up the functions in the symbol table and calls them in a thread that it has
 * interrupted. It does not receive a return value.
 */
#ifndef PROBE_PRELOADED_ATTACH_H
#define PROBE_PRELOADED_ATTACH_H

#include <stdint.h>

/* The probe's state (libop/raw/attach_state.h). In states other than RAW_ATTACH_READY, the
 * functions below do nothing. */
extern uint32_t opprobe_attach_state;

/*
 * Start or resume counting. @text consists of two NUL-terminated strings: options in the syntax of
 * $OPPROBE, and the libraries that the options need, in the syntax of $LD_PRELOAD. Programs that
 * this program executes get both strings in their environment. @text NULL: resume with the present
 * events.
 */
void opprobe_attach(const char *text);

/* Start sampling the calling thread, which existed before the probe was loaded. */
void opprobe_attach_thread(void);

/* Stop counting, and restore the imports of the program's modules. */
void opprobe_detach(void);

#endif
