// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * free_signal.c -- search for a real-time signal that the program does not use, by querying signal
 * actions before sampling starts. Not used in signal handlers.
 */
#include "config.h"
#include "probe/driver/driver.h"

int driver_free_signal(void)
{
	for (int sig = SIGRTMAX - 1; sig > SIGRTMIN; sig--) {
		struct sigaction now;

		if (!sigaction(sig, NULL, &now) && now.sa_handler == SIG_DFL)
			return sig;
	}
	return 0;
}
