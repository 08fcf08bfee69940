// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit SECONDS [anon|memfd] -- runs code it has written into memory of its own: anonymous memory, or
 * a memfd. Does three quarters of its work there; prints "jit: NN.NN %", how much it was exactly.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"
#include "work.h"

#define CODE_SIZE (64 * 1024)

WORK(jit_work)

int main(int argc, char **argv)
{
	double end = now() + seconds_argument(argc, argv), in_code = 0, in_main = 0;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, fd = -1;
	void (*code)(unsigned long);
	unsigned long unit, n, m;
	char *memory;

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
	/* The function is position independent and far smaller than this. */
	memcpy(memory + 4096, (char *)((unsigned long)jit_work & ~63UL), 512);
	__builtin___clear_cache(memory, memory + CODE_SIZE);
	*(void **)&code = memory + 4096 + ((unsigned long)jit_work & 63);
	unit = turns_per_ms(jit_work);
	do {
		n = 3 * unit * jitter();
		m = unit * jitter();
		code(n);
		jit_work(m);
		in_code += n;
		in_main += m;
	} while (now() < end);
	printf("jit: %.2f %%\n", 100 * in_code / (in_code + in_main));
	return 0;
}
