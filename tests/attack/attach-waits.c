// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach-waits N -- N threads, each in uninterruptible sleep while it waits for a child of vfork().
 * Each child appends a byte to the file "ready".
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../tools/die_with.h"

static int ready;

static void *wait_for_child(void *arg)
{
	if (!vfork()) {
		/* The kernel kills the child when the thread that waits for it ends. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || write(ready, ".", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	ready = open("ready", O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (!die_with_test() || argc != 2 || ready < 0)
		return 1;
	for (int i = 1; i < atoi(argv[1]); i++)
		if (pthread_create(&thread, NULL, wait_for_child, NULL))
			return 1;
	wait_for_child(NULL);
	return 1;
}
