// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * subject32.c -- a part of subject.c as a 32-bit program, for compilers without 32-bit headers and
 * start files: linked with the C library alone.
 */
typedef __builtin_va_list va;
int snprintf(char *, unsigned long, const char *, ...);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
int raise(int);
void (*signal(int, void (*)(int)))(int);
double strtod(const char *, char **);
void *memset(void *, int, unsigned long);
int __libc_start_main(int (*)(int, char **), int, char **, void *, void *, void *, void *);

#define NOINLINE	__attribute__((noinline))

volatile int sink;

NOINLINE static void leaf(int n)
{
	sink += n;
}

NOINLINE static void with_array(int n)
{
	int a[n];

	memset(a, n, sizeof(a));
	leaf(a[n - 1]);
	sink += a[n / 2];
}

NOINLINE static void aligned(int n)
{
	char a[64] __attribute__((aligned(64))), b[n + 8];

	memset(a, n, sizeof(a));
	memset(b, n, sizeof(b));
	sink += b[n];
	with_array(n % 5 + 1);
	leaf(a[n & 63]);
}

NOINLINE static void recursive(int n)
{
	int a[n + 1];

	a[n] = n;
	if (n)
		recursive(n - 1);
	aligned(a[n]);
	sink += a[n];
}

static int compare(const void *a, const void *b)
{
	leaf(1);
	return *(const int *)a - *(const int *)b;
}

static void handler(int sig)
{
	recursive(2);
	leaf(sig);
}

int main(int argc, char **argv)
{
	int numbers[] = { 5, 3, 9, 1, 7, 2 };
	char text[64];

	(void)argv;
	signal(10, handler);
	for (int i = 0; i < 1000000; i++) {
		recursive(4 + i % 3);
		qsort(numbers, 6, sizeof(int), compare);
		snprintf(text, sizeof(text), "%d %s %5.2f", numbers[0], "x", 3.25 + argc);
		sink += strtod("1.5e3", 0) > 1;
		raise(10);
	}
	return 0;
}

/* Replaces the start files. */
void _start(void);
void begin(int *stack);

__attribute__((noreturn)) void begin(int *stack)
{
	__libc_start_main(main, stack[0], (char **)(stack + 1), 0, 0, 0, stack);
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %esp, %eax\n\tand $-16, %esp\n\tsub $12, %esp\n\tpush %eax\n\tcall begin\n");
