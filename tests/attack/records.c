// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records -- tasks of an unprivileged user that occupy the records that samples need.
 *   records hold N         N threads compute forever on the first CPU; waking threads preempt
 *                          them at the moment when they are sampled
 *   records first SECONDS  compute for SECONDS on the first CPU with real-time priority, as root
 *   records block N FILE   N processes enter a long system call before they have run any user
 *                          code, and sleep in it forever; then FILE is created
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/subject/common.h"
#include "tests/subject/work.h"

WORK(compute)

static void start_thread(void *(*work)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	if (pthread_create(&thread, &attr, work, NULL))
		errx(1, "no thread");
	pthread_attr_destroy(&attr);
}

static void *compute_always(void *unused)
{
	for (;;)
		compute(100000);
	return unused;
}

/*
 * The kernel may delay a wakeup by up to 50 us to combine timers. Therefore these tasks wake up
 * together with the sampling timer.
 */
static void *wake_always(void *unused)
{
	for (;;)
		usleep(1);
	return unused;
}

static int hold(int n)
{
	setenv("CPU", "0", 1);
	pin();
	while (n--)
		start_thread(compute_always);
	start_thread(wake_always);
	start_thread(wake_always);
	pause();
	return 0;
}

static int first(double seconds)
{
	const struct sched_param priority = { .sched_priority = 1 };

	setenv("CPU", "0", 1);
	pin();
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		err(1, "sched_setscheduler");
	while (cpu_time() < seconds)
		compute(100000);
	return 0;
}

static char bytes[4 << 20];

static void write_all(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(fd, bytes, sizeof(bytes)) < 0)
		err(1, "write");
	_exit(1);
}

/*
 * Read from the pipe @fd, which holds @room bytes, until its writer has only 4096 bytes more than
 * the pipe holds. Wait until the pipe is full, so that the writer sleeps.
 */
static void read_most(int fd, int room)
{
	static char into[sizeof(bytes)];
	size_t wanted = sizeof(bytes) - room - 4096;
	int there = 0;

	while (wanted) {
		ssize_t n = read(fd, into, wanted);

		if (n <= 0)
			err(1, "read");
		wanted -= n;
	}
	while (ioctl(fd, FIONREAD, &there) == 0 && there < room) {
		if (waitpid(-1, NULL, WNOHANG))
			errx(1, "a writer has ended");
		usleep(1000);
	}
}

static int block(int n, const char *ready)
{
	int ends[2];

	memset(bytes, 1, sizeof(bytes));
	while (n--) {
		if (pipe(ends))
			err(1, "pipe");
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			write_all(ends[1]);
		}
		read_most(ends[0], fcntl(ends[1], F_GETPIPE_SZ));
	}
	close(open(ready, O_WRONLY | O_CREAT | O_EXCL, 0644));
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "first"))
		return first(atof(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "block"))
		return block(atoi(argv[2]), argv[3]);
	errx(2, "usage: records hold N | first SECONDS | block N FILE");
}
