// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made.c -- a program for single-stepping tests that calls functions through code that it
 * generates: `made WAY`.
 *
 *   shown     code without a frame pointer, which returns
 *   frame     code with a frame pointer
 *   exact     code that uses the frame of a function with exact rows, and jumps back
 *   anywhere  like exact, but jumps back to an address in a register
 *   coarse    code that uses the frame of a function with one row for its body
 *   lost      like coarse, but jumps back without freeing its stack
 *   replaced  like shown, but replaced again and again by code with another frame
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/paths/jumped.h"

#define ROUNDS	8
#define SMALL	24
#define LARGE	104

typedef void (*made_fn)(void (*fn)(void));

static const char *way;
static bool is_exact, is_coarse;
static made_fn inner_code;
static volatile unsigned long sink;

/* Call @fn through the JIT code @code. */
static inline __attribute__((always_inline)) void enter(void (*fn)(void), made_fn code)
{
	if (is_exact)
		enter_exact(fn, (void *)code);
	else if (is_coarse)
		enter_coarse(fn, (void *)code);
	else
		code(fn);
}

static __attribute__((noinline)) void leaf(void)
{
	for (int i = 0; i < 5; i++)
		sink += i;
}

static __attribute__((noinline)) void middle(void)
{
	enter(leaf, inner_code);
	sink++;
}

static __attribute__((noinline)) void caller(made_fn code)
{
	enter(middle, code);
	sink++;
}

static void make(unsigned char *at, unsigned char room)
{
	/* code: push rbp; mov rsp,rbp; call *rdi; pop rbp; ret */
	static const unsigned char frame[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
	/* code: sub room,rsp; call *rdi; add room,rsp; ret */
	const unsigned char shown[] = {
		0x48, 0x83, 0xec, room, 0xff, 0xd7, 0x48, 0x83, 0xc4, room, 0xc3,
	};

	if (is_exact)
		make_jumped(at, room + 8, strcmp(way, "anywhere") ? left_exact : NULL);
	else if (is_coarse)
		make_jumped(at, room + 8, strcmp(way, "lost") ? left_coarse : lost_coarse);
	else if (!strcmp(way, "frame"))
		memcpy(at, frame, sizeof(frame));
	else
		memcpy(at, shown, sizeof(shown));
}

int main(int argc, char **argv)
{
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool replaces;

	if (argc != 2 || at == MAP_FAILED)
		return 2;
	way = argv[1];
	is_exact = !strcmp(way, "exact") || !strcmp(way, "anywhere");
	is_coarse = !strcmp(way, "coarse") || !strcmp(way, "lost");
	replaces = !strcmp(way, "replaced");
	inner_code = (made_fn)(at + 64);
	make(at, SMALL);
	make(at + 64, LARGE);
	if (!strcmp(way, "anywhere"))
		make_jumped(at + 256, SMALL + 8, left_exact);
	for (int i = 0; i < ROUNDS; i++) {
		if (replaces) {
			make(at, i % 2 ? SMALL : LARGE);
			make(at + 64, i % 2 ? LARGE : SMALL);
		}
		caller((made_fn)at);
	}
	return 0;
}
