// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathmade.c -- a program that calls through code that it makes in anonymous memory: main() > caller() > made code > hot().
 *
 * usage: pathmade called|pushed|bare TURNS
 *   called: 8 bytes that keep a frame pointer, at the start of a mapping whose neighbour below cannot be read
 *   pushed: the same code, entered by a jump from other made code that has pushed a return address, as interpreters do
 *   bare: code that keeps no frame pointer
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE		4096

static volatile unsigned long sink;

static const unsigned char
	/* push rbp; mov rsp,rbp; call *rdi; pop rbp; ret */
	called[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 },
	/* push rbp; mov rsp,rbp; sub 8,rsp; lea 4(rip),rax; push rax; jmp *rsi; nop; leave; ret */
	pushed[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 8, 0x48, 0x8d, 0x05, 4, 0, 0, 0, 0x50, 0xff, 0xe6, 0x90, 0x90, 0xc9, 0xc3 },
	/* sub 8,rsp; call *rdi; add 8,rsp; ret */
	bare[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 };

__attribute__((noinline)) void hot(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sink += i;
}

typedef void made(void (*function)(void), const void *next);

__attribute__((noinline)) void caller(made *code, const void *next)
{
	code(hot, next);
	sink++;
}

/* Return a page of @size bytes of @code, above a page that cannot be read. */
static unsigned char *make(const void *code, size_t size)
{
	unsigned char *at = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		exit(1);
	return memcpy(at + PAGE, code, size);
}

int main(int argc, char **argv)
{
	unsigned char *first, *last = make(called, sizeof(called));

	if (argc < 3)
		return 2;
	first = !strcmp(argv[1], "pushed") ? make(pushed, sizeof(pushed)) : !strcmp(argv[1], "bare") ? make(bare, sizeof(bare)) : last;
	for (long i = 0; i < atol(argv[2]); i++)
		caller((made *)first, last);
	return 0;
}
