// SPDX-License-Identifier: GPL-2.0-or-later
/* small_program.c -- a small binary with symbols, stubs and notes, which tests damage and never
 * run.
 */
#include <stdio.h>
#include <stdlib.h>

int small_function(int n);

int small_function(int n)
{
	return n * 3;
}

int main(int argc, char **argv)
{
	puts(argv[0]);
	return abs(small_function(argc));
}
