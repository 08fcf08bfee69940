/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct.h -- selecting the sampled part of a program that links itimer.o or profil.o.
 *
 * Without calls, the whole program is sampled if $PCT is set. A program that calls pct_on() is
 * sampled from there to pct_off(), even if $PCT is not set. A program that is to be sampled nowhere
 * else calls pct_off() first. Calls do not nest. Do not call these functions in signal handlers or
 * in two threads at once.
 */
#ifndef PROBE_PC_PCT_H
#define PROBE_PC_PCT_H

__attribute__((visibility("default"))) void pct_on(void);
__attribute__((visibility("default"))) void pct_off(void);

#endif
