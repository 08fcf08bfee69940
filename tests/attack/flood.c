// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flood.c -- more files than anybody can remember, each hit by a sample. As nobody.
 *
 * usage: flood versions N	one file, whose owner sets N times of change
 *        flood names N		N files with names of 3,900 bytes
 *        flood code		one file of root's that was never run before: /tmp/late
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS	200000		/* a millisecond or more where this runs */

/* Count down the first argument, return. */
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

static int make(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0755);

	if (fd < 0 || write(fd, loop, sizeof(loop)) != sizeof(loop))
		err(1, "%s", name);
	return fd;
}

static void run(int fd)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (code == MAP_FAILED)
		err(1, "mmap");
	((void (*)(long))(uintptr_t)code)(ROUNDS);
	munmap(code, 4096);
}

static void versions(int n)
{
	int fd = make("/tmp/flood");

	for (int i = 0; i < n; i++) {
		const struct timespec times[2] = { { .tv_sec = i }, { .tv_sec = i } };

		if (futimens(fd, times))
			err(1, "futimens");
		run(fd);
	}
}

static void names(int n)
{
	char name[251];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	if (chdir("/tmp"))
		err(1, "/tmp");
	for (int i = 0; i < 15; i++)
		if (mkdir(name, 0755) || chdir(name))
			err(1, "a folder of a long name");
	for (int i = 0; i < n; i++) {
		int fd;

		snprintf(name, sizeof(name), "%d", i);
		fd = make(name);
		run(fd);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2 || (!getuid() && strcmp(argv[1], "code") && setuid(65534)))
		errx(2, "usage: flood versions N | names N | code");
	if (!strcmp(argv[1], "versions"))
		versions(atoi(argv[2]));
	else if (!strcmp(argv[1], "names"))
		names(atoi(argv[2]));
	else
		for (int i = 0, fd = make("/tmp/late"); i < 100; i++)
			run(fd);
	return 0;
}
