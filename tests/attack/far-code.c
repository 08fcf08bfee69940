// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * far-code.c -- code at the highest file offsets: a private mapping of /dev/zero that begins two
 * pages below 2^64 is extended beyond 2^64, and a loop runs at an offset with all bits set.
 *
 * usage: far-code SECONDS [WORD]
 * 	WORD: offset of the loop; default: all bits set, which equals ESCAPE in the module's stream
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	0x1000ul
#define FIRST	0xffffffffffffe000ul	/* offset of the mapping's first byte */

static void stop(int sig)
{
	(void)sig;
	_exit(0);
}

int main(int argc, char **argv)
{
	static const unsigned char loop[] = { 0xeb, 0xfe };	/* jmp to itself */
	uint64_t word = argc > 2 ? strtoull(argv[2], NULL, 0) : UINT64_MAX;
	unsigned char *code;
	int fd;

	if (argc < 2 || (!getuid() && setuid(65534)))
		errx(2, "usage: far-code SECONDS [WORD]");
	fd = open("/dev/zero", O_RDWR);
	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, (off_t)FIRST);
	if (code == MAP_FAILED)
		err(1, "mmap");
	code = mremap(code, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
	if (code == MAP_FAILED)
		err(1, "mremap");
	memcpy(code + (word - FIRST), loop, sizeof(loop));
	signal(SIGALRM, stop);
	alarm(atoi(argv[1]));
	((void (*)(void))(uintptr_t)(code + (word - FIRST)))();
}
