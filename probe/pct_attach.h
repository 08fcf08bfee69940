/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct_attach.h -- what opattach(1) calls in a program that has a collector of addresses in it: linked, preloaded, or loaded late.
 *
 * It is called in a thread that did something else, and by the address that a table of symbols gives. Nobody sees what it returns.
 */
#ifndef PROBE_PCT_ATTACH_H
#define PROBE_PCT_ATTACH_H

/*
 * Begin to count, or go on. @text: the words of $PCT with their NUL, which count where nothing was counted before; "": the program's
 * own. Behind it a library for the programs that this one starts, with its NUL; "": they are not sampled.
 */
void pct_attach(const char *text);

/* Stop counting, and undo what pct_attach() has done to the environment. */
void pct_detach(void);

#endif
