/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * operf_event.h -- what is sampled by when nobody says.
 */
#ifndef OPERF_EVENT_H
#define OPERF_EVENT_H

#include <stddef.h>

/*
 * The CPU's default event where the kernel counts cycles for us, else the timer. @why (@size bytes):
 * empty, or why it is the timer. Static.
 */
const char *operf_default_event(char *why, size_t size);

/* 0 when perf_events takes a trial event of ours, else the errno that it gives, and a sentence in @why. */
int operf_try_perf_events(char *why, size_t size);

#endif
