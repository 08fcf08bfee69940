// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remap TURNS METHOD -- alternately maps the same code from two files at the same address and runs
 * it, for a few milliseconds each, three times as long from /tmp/code-a as from /tmp/code-b, for
 * TURNS turns. Prints "remap: NN.NN %", the share of code-a. METHOD: how one file's mapping
 * replaces the other's:
 *   mmap     mapped over the old mapping
 *   munmap   the old mapping is unmapped first
 *   mremap   moved over the old mapping from another address
 *   grow     the old mapping is unmapped, and the mapping below it is enlarged
 *   mprotect like munmap, but mapped without PROT_EXEC and made executable afterwards
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/subject/common.h"
#include "tests/subject/work.h"

#define PAGE 4096L
#define UNIT 300000	/* loop iterations that take about a millisecond */
/* address of the code; this program also reserves the page before it */
#define PLACE ((char *)0x5a0000000)

WORK(remap_work)

static const char *method;

/* Create a file whose second page contains the code. */
static int make_file(const char *path)
{
	static char pages[2 * PAGE];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);

	memcpy(pages + PAGE + ((unsigned long)remap_work & 63),
	       (char *)((unsigned long)remap_work & ~63UL) + ((unsigned long)remap_work & 63), 512);
	if (fd < 0 || write(fd, pages, sizeof(pages)) != sizeof(pages))
		err(1, "%s", path);
	return fd;
}

static void *map(void *where, size_t size, int protection, int fd, long offset)
{
	void *at = mmap(where, size, protection, MAP_PRIVATE | (where ? MAP_FIXED : 0), fd, offset);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

static void turn(int fd)
{
	int rx = PROT_READ | PROT_EXEC;

	if (!strcmp(method, "mmap")) {
		map(PLACE, PAGE, rx, fd, PAGE);
	} else if (!strcmp(method, "munmap")) {
		munmap(PLACE, PAGE);
		map(PLACE, PAGE, rx, fd, PAGE);
	} else if (!strcmp(method, "mprotect")) {
		munmap(PLACE, PAGE);
		map(PLACE, PAGE, PROT_READ, fd, PAGE);
		if (mprotect(PLACE, PAGE, rx))
			err(1, "mprotect");
	} else if (!strcmp(method, "mremap")) {
		void *elsewhere = map(NULL, PAGE, rx, fd, PAGE);

		if (mremap(elsewhere, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, PLACE) != PLACE)
			err(1, "mremap");
	} else if (!strcmp(method, "grow")) {
		munmap(PLACE - PAGE, 2 * PAGE);
		map(PLACE - PAGE, PAGE, rx, fd, 0);
		if (mremap(PLACE - PAGE, PAGE, 2 * PAGE, 0) != PLACE - PAGE)
			err(1, "mremap");
	} else {
		errx(2, "unknown method %s", method);
	}
}

int main(int argc, char **argv)
{
	double turns = argc == 3 ? atof(argv[1]) : 0, done[2] = { 0, 0 };
	void (*work)(unsigned long);
	unsigned long n;
	int fd[2], i;

	if (turns <= 0)
		errx(2, "usage: remap TURNS METHOD");
	method = argv[2];
	fd[0] = make_file("/tmp/code-a");
	fd[1] = make_file("/tmp/code-b");
	*(void **)&work = PLACE + ((unsigned long)remap_work & 63);
	while (done[0] + done[1] < turns) {
		for (i = 0; i < 2; i++) {
			n = UNIT * (i ? 2 : 6) * jitter();
			turn(fd[i]);
			work(n);
			done[i] += n;
		}
	}
	printf("remap: %.2f %%\n", 100 * done[0] / (done[0] + done[1]));
	return 0;
}
