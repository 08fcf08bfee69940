/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.h -- reports of threads that the replacement of pthread_create() did not see, for example
 * threads that the C library creates itself.
 */
#ifndef PROBE_WRAP_THREADS_H
#define PROBE_WRAP_THREADS_H

/* Report the start of the calling thread to the collector (hooks.h). Report nothing if the thread's
 * end could not be reported. Called, for example, when the thread first allocates memory. */
void threads_report(void);

/* Report the start of the calling thread from a signal handler, unless registering its end would
 * allocate memory. */
void threads_report_in_handler(void);

#endif
