// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bare.c -- a test program that is built without unwind tables: four functions, whose calls precede
 * and follow the loop of the innermost function.
 *
 * With NO_LIBC, the program has its own entry point, directly followed by the functions.
 */
static volatile unsigned long sink;

__attribute__((noinline)) void leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}

__attribute__((noinline)) void mid(unsigned long n)
{
	leaf(n);
	sink++;
	leaf(n / 2);
	sink++;
}

__attribute__((noinline)) void body(void)
{
	for (;;) {
		mid(20);
		sink++;
	}
}

#ifdef NO_LIBC
__asm__(".globl _start\n"
	"_start: xor %ebp, %ebp\n"
	"and $-16, %rsp\n"
	"call body\n"
	"hlt\n");
#else
int main(void)
{
	body();
	return sink == 0;
}
#endif
