/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct.h -- for programs that link itimer.o or profil.o: which part of them is sampled.
 *
 * Without calls, all of a run is when $PCT is set, and nothing else. A program that calls pct_on() is sampled from there
 * to pct_off(), also where $PCT is not set; a program that is to be sampled nowhere else calls pct_off() first. Calls
 * do not nest. Not for signal handlers, and not for two threads at once.
 */
#ifndef PROBE_PC_PCT_H
#define PROBE_PC_PCT_H

__attribute__((visibility("default"))) void pct_on(void);
__attribute__((visibility("default"))) void pct_off(void);

#endif
