// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach-rights-victim STOP -- a set-user-ID program at fixed addresses. It prints "begun". When
 * the file STOP exists, it prints "untouched" if its memory is unchanged. It never calls
 * hijacked().
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../tools/die_with.h"

char conf[65536] __attribute__((aligned(4096))) = { 'c' };

__attribute__((noinline, used, aligned(64))) void hijacked(void)
{
	static const char text[] = "hijacked\n";

	_exit(write(STDOUT_FILENO, text, sizeof(text) - 1) < 0);
}

int main(int argc, char **argv)
{
	static char wanted[sizeof(conf)] = { 'c' };

	if (!die_with_test() || argc != 2 || getuid() == geteuid())
		return 1;
	puts("begun");
	fflush(stdout);
	while (access(argv[1], F_OK))
		usleep(10000);
	puts(memcmp(conf, wanted, sizeof(conf)) ? "touched" : "untouched");
	return 3;
}
