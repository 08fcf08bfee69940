// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathattack_lib.c -- code that pathattack maps from several files; the file's header contains the
 * offset of the code.
 */
void through(void (*next)(unsigned int), unsigned int n);

void through(void (*next)(unsigned int), unsigned int n)
{
	volatile unsigned long some[16];

	some[n % 16] = n;
	next(n);
	some[1] += some[n % 16];
}
