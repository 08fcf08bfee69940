// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flood.c -- runs more files than the module's table can hold, each until it has a sample, as the
 * user nobody.
 *
 * usage: flood versions N	one file, whose owner sets N modification times
 *        flood names N	N files with names of 3,900 bytes
 *        flood renames UID	as user UID: one file, renamed before each run, forever
 *        flood code	a new file of root that has never run before: /tmp/late
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

#define ROUNDS	200000		/* number of loop rounds that take at least 1 ms together */

/* code: decrement the first argument until it is 0, then return */
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };

static int make(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0755);

	if (fd < 0 || write(fd, loop, sizeof(loop)) != sizeof(loop))
		err(1, "%s", name);
	return fd;
}

static void *map(int fd)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (code == MAP_FAILED)
		err(1, "mmap");
	return code;
}

static void run_code(void *code, long rounds)
{
	((void (*)(long))(uintptr_t)code)(rounds);
}

static void run(int fd)
{
	void *code = map(fd);

	run_code(code, ROUNDS);
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

static void renames(uid_t uid)
{
	char names[2][32];
	void *code;

	if (setuid(uid))
		err(1, "user %u", uid);
	snprintf(names[0], sizeof(names[0]), "/tmp/%u.0", uid);
	code = map(make(names[0]));
	for (unsigned int i = 1;; i++) {
		snprintf(names[i % 2], sizeof(names[0]), "/tmp/%u.%u", uid, i);
		if (rename(names[(i + 1) % 2], names[i % 2]))
			err(1, "rename");
		run_code(code, ROUNDS / 10);
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "renames"))
		renames(atoi(argv[2]));
	if (argc < 2 || (!getuid() && strcmp(argv[1], "code") && setuid(65534)))
		errx(2, "usage: flood versions N | names N | renames UID | code");
	if (!strcmp(argv[1], "versions"))
		versions(atoi(argv[2]));
	else if (!strcmp(argv[1], "names"))
		names(atoi(argv[2]));
	else
		for (int i = 0, fd = make("/tmp/late"); i < 300; i++)
			run(fd);
	return 0;
}
