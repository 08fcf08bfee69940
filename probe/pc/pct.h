/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct.h -- selection of the sampled part of a program that links itimer.o or profil.o.
 *
 * If $PCT is set, a program that does not call these functions is sampled from start to end.
 * pct_on() starts sampling, even if $PCT is not set, and pct_off() stops it. To be sampled only
 * between pct_on() and pct_off(), a program calls pct_off() first. Calls do not nest. Do not call
 * these functions in signal handlers or in two threads at once.
 */
#ifndef PROBE_PC_PCT_H
#define PROBE_PC_PCT_H

__attribute__((visibility("default"))) void pct_on(void);
__attribute__((visibility("default"))) void pct_off(void);

#endif
