// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit TURNS [anon|memfd] -- does three quarters of its work in code that it has written to
 * anonymous memory or to a memfd. Prints the exact share: "jit: NN.NN %". Ends after TURNS turns of
 * work in total.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"
#include "work.h"

#define CODE_SIZE (64 * 1024)
#define UNIT 300000	/* loop iterations that take about a millisecond */

WORK(jit_work)

int main(int argc, char **argv)
{
	double turns = argc > 1 ? atof(argv[1]) : 0, in_code = 0, in_main = 0;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, fd = -1;
	void (*code)(unsigned long);
	unsigned long n, m;
	char *memory;

	if (turns <= 0)
		errx(2, "usage: jit TURNS [anon|memfd]");
	pin();
	if (argc > 2 && !strcmp(argv[2], "memfd")) {
		fd = memfd_create("jit-code", 0);
		if (fd < 0 || ftruncate(fd, CODE_SIZE))
			err(1, "memfd");
		flags = MAP_SHARED;
	}
	memory = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, flags, fd, 0);
	if (memory == MAP_FAILED)
		err(1, "mmap");
	/* Copy more bytes than the function has; the function is position independent. */
	memcpy(memory + 4096, (char *)((unsigned long)jit_work & ~63UL), 512);
	__builtin___clear_cache(memory, memory + CODE_SIZE);
	*(void **)&code = memory + 4096 + ((unsigned long)jit_work & 63);
	do {
		n = 3 * UNIT * jitter();
		m = UNIT * jitter();
		code(n);
		jit_work(m);
		in_code += n;
		in_main += m;
	} while (in_code + in_main < turns);
	printf("jit: %.2f %%\n", 100 * in_code / (in_code + in_main));
	return 0;
}
