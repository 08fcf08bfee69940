/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.h -- reports of threads whose begin was not reported, for example of threads that the C
 * library creates itself.
 */
#ifndef PROBE_WRAP_THREADS_H
#define PROBE_WRAP_THREADS_H

/* Report the begin of the calling thread to the collector (hooks.h), unless the thread's end cannot
 * be reported. Called, for example, when the thread first allocates memory. */
void threads_report(void);

/* Report the begin of the calling thread in a signal handler, unless a report of the thread's end
 * would allocate memory. */
void threads_report_in_handler(void);

#endif
