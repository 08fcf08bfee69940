// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rowless.c -- a test program that is built without unwind tables: functions of many kinds, with
 * and without frames.
 */
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned long sink;
static unsigned long (*volatile by_pointer[4])(unsigned long);

#ifdef __GNUC__
#ifndef __clang__
#define FRAMELESS NOINLINE __attribute__((optimize("omit-frame-pointer")))
#define FRAMED NOINLINE __attribute__((optimize("no-omit-frame-pointer")))
#else
#define FRAMELESS NOINLINE
#define FRAMED NOINLINE
#endif
#endif

/* Leaf functions: without a stack frame, with a large frame, with saved registers. */
FRAMELESS unsigned long no_stack(unsigned long n)
{
	return n * 3 + sink;
}

FRAMELESS unsigned long much_stack(unsigned long n)
{
	volatile unsigned long words[40];

	for (unsigned int i = 0; i < 40; i++)
		words[i] = n + i;
	return words[n % 40] + (unsigned long)words[(n + 7) % 40];
}

FRAMELESS unsigned long many_registers(unsigned long n)
{
	unsigned long a = n, b = n * 3, c = n * 5, d = n * 7, e = n * 11, f = n * 13, g = n * 17, h = n * 19, i = n * 23;

	for (int k = 0; k < 3; k++) {
		a += b ^ h; b += c ^ i; c += d ^ a; d += e ^ b; e += f ^ c; f += g ^ d; g += h ^ e; h += i ^ f; i += a ^ g;
		sink += a + b + c + d + e + f + g + h + i;
	}
	return a + b + c + d + e + f + g + h + i;
}

FRAMELESS unsigned long calls_leaves(unsigned long n)
{
	unsigned long words[8];

	memset(words, 1, sizeof(words));
	words[n % 8] = no_stack(n) + much_stack(n);
	return many_registers(words[n % 8]) + words[3];
}

FRAMED unsigned long framed(unsigned long n)
{
	sink += calls_leaves(n);
	return by_pointer[n % 4](n) + 1;
}

FRAMED unsigned long choose(unsigned long n)
{
	switch (n % 9) {
	case 0: return framed(n);
	case 1: sink += much_stack(n); return no_stack(n);
	case 2: sink ^= many_registers(n); break;
	case 3: sink += calls_leaves(n + 1); break;
	case 4: return by_pointer[1](n) * 2;
	case 5: sink = framed(n) + framed(n + 1); break;
	case 6: sink -= n; break;
	case 7: return many_registers(n) + much_stack(n);
	}
	return sink + n;
}

FRAMELESS unsigned long recurses(unsigned long n)
{
	char room[32];

	memset(room, (int)n, sizeof(room));
	return n ? recurses(n - 1) + room[n % 32] : choose(sink % 9);
}

FRAMED unsigned long by_size(unsigned long n)
{
	char *room = __builtin_alloca(n % 64 + 16);

	memset(room, 1, n % 64 + 16);
	return choose(n) + room[n % 16];
}

FRAMELESS unsigned long never_goes_on(unsigned long n)
{
	if (n == ~0UL)
		abort();
	return choose(n);
}

FRAMED void ends_in_abort(unsigned long n)
{
	sink += never_goes_on(n);
	if (sink == 77777)
		abort();
	sink += no_stack(n);
}

NOINLINE static int compare(const void *a, const void *b)
{
	return (int)(*(const unsigned long *)a % 16) - (int)(no_stack(*(const unsigned long *)b) % 16);
}

FRAMED unsigned long sorts(unsigned long n)
{
	unsigned long words[6] = { n, 5, n + 3, 1, 9, 2 };

	qsort(words, 6, sizeof(words[0]), compare);
	return words[0];
}

#ifdef __x86_64__
/* A function in assembly that saves registers and has no frame pointer. */
__asm__(".text\n"
	".globl by_hand\n"
	"by_hand: push %rbx\n"
	"push %rbp\n"
	"push %rdi\n"
	"mov %rdi, %rbp\n"
	"xor %ebx, %ebx\n"
	"1: add %rbp, %rbx\n"
	"dec %rbp\n"
	"jnz 1b\n"
	"mov %rbx, %rdi\n"
	"call no_stack\n"
	"add %rbx, %rax\n"
	"pop %rdi\n"
	"pop %rbp\n"
	"pop %rbx\n"
	"ret\n");
unsigned long by_hand(unsigned long n);
#else
#define by_hand(n) no_stack(n)
#endif

int main(void)
{
	unsigned long n = 1;

	by_pointer[0] = no_stack;
	by_pointer[1] = many_registers;
	by_pointer[2] = much_stack;
	by_pointer[3] = calls_leaves;
	do {
		sink += choose(n) + by_size(n) + sorts(n) + by_hand(n % 7 + 1);
		sink += recurses(n % 5);
		ends_in_abort(n);
	} while (++n);
	return (int)sink;
}
