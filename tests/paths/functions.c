// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c -- a program that tests single-step: sixty functions of ten kinds, which use their
 * stacks in different ways and call each other repeatedly.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define APART	__attribute__((noinline))
#else
#define APART	__attribute__((noinline, noclone))
#endif

typedef int (*function)(int n);

extern const function functions[60];
volatile int sink;

/* Call the function number (@from + @by) modulo the number of functions if @n is positive. */
static int next(int from, int n, int by)
{
	return n > 0 ? functions[(from + by) % 60](n - 1) : 0;
}

/* A function whose frame is empty. */
#define PLAIN(i) APART static int f##i(int n) { sink += n; return next(i, n, 7) + 1; }
/* The compiler may turn the last call into a jump. */
#define TAIL(i) APART static int f##i(int n) { sink += n; return next(i, n, 1); }
/* A frame whose size is only known at run time. */
#define ALLOCA(i) APART static int f##i(int n) { char *p = alloca(n * 16 + 1); memset(p, n, n * 16 + 1); return next(i, n, 3) + p[n]; }
/* A function that needs the frame pointer even if it is compiled with -fomit-frame-pointer. */
#define ALIGNED(i) APART static int f##i(int n) { char a[100] __attribute__((aligned(64))); int r; memset(a, n, sizeof(a)); \
	r = next(i, n, 11); return r + a[r & 63] + (int)((uintptr_t)a & 63); }
#define ARRAY(i) APART static int f##i(int n) { int a[n + 2]; for (int k = 0; k <= n; k++) a[k] = k; sink += a[n]; \
	return next(i, a[n], 13) + a[0]; }
/* A call with more arguments and results than registers hold. */
#define MANY(i) APART static long g##i(long a, long b, long c, long d, long e, long f, long g, long h, double x) \
	{ return a + b * c - d + e * f - g + h + (long)x + next(i, (int)h, 17); } \
	APART static int f##i(int n) { long a = n, b = a * 3, c = b ^ 5, d = c + n, e = d * 7, r = g##i(a, b, c, d, e, a, b, n, 1.5); \
	return (int)(r + a * b + c * d + e); }
#define VARIABLE(i) APART static int g##i(int nr, ...) { va_list v; int r = 0; va_start(v, nr); while (nr--) r += va_arg(v, int); \
	va_end(v); return r; } APART static int f##i(int n) { int r = next(i, n, 19); return g##i(3, n, r, 2) + next(i, n - 3, 5); }
/* A call through the PLT to a library function, which calls back. */
#define LIBRARY(i) static int c##i(const void *a, const void *b) { sink++; return *(const int *)a - *(const int *)b; } \
	APART static int f##i(int n) { int v[5] = { n, 3, 9, 1, 7 }; char t[60]; qsort(v, 5, sizeof(int), c##i); \
	snprintf(t, sizeof(t), "%d%s", v[0], "x"); free(malloc(strlen(t) + n)); return next(i, n, 23) + v[2]; }
/* A longjmp() that removes several frames at once. */
#define JUMP(i) static jmp_buf b##i; APART static void g##i(int n) { if (n & 1) longjmp(b##i, 1); sink += n; } \
	APART static int f##i(int n) { if (!setjmp(b##i)) { next(i, n - 2, 29); g##i(n); } return 1; }
#define DEEP(i) APART static int g##i(int n) { char a[200]; if (n <= 0) return 1; memset(a, n, sizeof(a)); sink += a[n]; return g##i(n - 1) + a[5]; } \
	APART static int f##i(int n) { return g##i(20) + next(i, n, 31); }

#define TEN(X, d) X(PLAIN, d##0) X(TAIL, d##1) X(ALLOCA, d##2) X(ALIGNED, d##3) X(ARRAY, d##4) X(MANY, d##5) X(VARIABLE, d##6) \
	X(LIBRARY, d##7) X(JUMP, d##8) X(DEEP, d##9)
#define ALL(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6)
#define DEFINE(KIND, i) KIND(i)
#define NAME(KIND, i) f##i,

ALL(DEFINE)
const function functions[60] = { ALL(NAME) };

int main(void)
{
	for (int i = 0; i < 60; i++)
		sink += functions[i % 60](i % 9);
	puts("done");
	return 0;
}
