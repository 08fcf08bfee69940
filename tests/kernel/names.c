// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names ROUNDS -- runs the same code while its file has a sequence of names, each for about a
 * millisecond: the file or its directory is renamed, the file gets other hard links, the root
 * directory changes, the mount is moved. For each name another page of the file runs, so that a
 * sample's address identifies the name. Prints "page N NAME" for each, with the name that the
 * module should report.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "tests/subject/common.h"
#include "tests/subject/work.h"

#define PAGE 4096L
#define UNIT 300000	/* loop iterations that take about a millisecond */
#define DIR "/tmp/names"
#define NR_PAGES 16

WORK(names_work)

static int page;	/* number of pages used so far in this round */
static bool first_round = true;

static void must(int result, const char *what)
{
	if (result < 0)
		err(1, "%s", what);
}

static void make_file(const char *path)
{
	static char pages[NR_PAGES * PAGE];
	unsigned long at = (unsigned long)names_work & 63;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);

	for (int i = 0; i < NR_PAGES; i++)
		memcpy(pages + i * PAGE + at, (char *)names_work, 512);
	must(fd, path);
	must(write(fd, pages, sizeof(pages)) - sizeof(pages), path);
	close(fd);
}

static void run(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY);
	void (*work)(unsigned long);
	char *at;

	must(fd, path);
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, page * PAGE);
	if (at == MAP_FAILED)
		err(1, "mmap");
	close(fd);
	*(void **)&work = at + ((unsigned long)names_work & 63);
	work(UNIT * jitter());
	munmap(at, PAGE);
	if (first_round)
		printf("page %d %s\n", page, name);
	page++;
}

static void run_as(const char *path)
{
	run(path, path);
}

/* Run the file by a hard link, after its other name was deleted. */
static void run_link(const char *path)
{
	must(link(DIR "/one/code", path), path);
	run_as(path);
	must(unlink(path), path);
}

static void run_renamed(void)
{
	run_as(DIR "/one/code");
	must(rename(DIR "/one/code", DIR "/one/other"), "rename");
	run_as(DIR "/one/other");
	must(rename(DIR "/one", DIR "/two"), "rename");
	run_as(DIR "/two/other");
	must(rename(DIR "/two", DIR "/one"), "rename");
	must(rename(DIR "/one/other", DIR "/one/code"), "rename");
	run_as(DIR "/link");
	run_link(DIR "/a");
	run_link(DIR "/b");
}

static void run_below(const char *root)
{
	int before = open("/", O_PATH | O_DIRECTORY);

	must(before, "/");
	must(chroot(root), root);
	if (strcmp(root, DIR))
		run("/code", "/code");
	else
		run("/one/code", "/one/code");
	must(fchdir(before), "fchdir");
	must(chroot("."), "chroot");
	close(before);
}

static void run_moved(void)
{
	run_as(DIR "/here/code");
	must(mount(DIR "/here", DIR "/there", NULL, MS_MOVE, NULL), "mount");
	run_as(DIR "/there/code");
	must(mount(DIR "/there", DIR "/here", NULL, MS_MOVE, NULL), "mount");
}

int main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0;

	if (rounds <= 0)
		errx(2, "usage: names ROUNDS");
	must(mkdir(DIR, 0755), DIR);
	must(mkdir(DIR "/one", 0755), DIR);
	must(mkdir(DIR "/here", 0755), DIR);
	must(mkdir(DIR "/there", 0755), DIR);
	must(mount("none", DIR "/here", "tmpfs", 0, NULL), "mount");
	make_file(DIR "/one/code");
	make_file(DIR "/here/code");
	must(link(DIR "/one/code", DIR "/link"), "link");
	for (; rounds; rounds--) {
		page = 0;
		run_renamed();
		run_below(DIR);
		run_below(DIR "/one");
		run_moved();
		first_round = false;
	}
	return 0;
}
