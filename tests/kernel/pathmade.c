// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pathmade.c -- a program that calls through code that it makes: main() > caller() > JIT code > hot().
 *
 * usage: pathmade called|pushed|jumped|leaped|bare TURNS [DIRECTORY]
 *   The code is in anonymous memory, or in files of DIRECTORY that are not ELF files.
 *   called: 8 bytes that keep a frame pointer, at the start of a mapping whose neighbour below cannot be read
 *   pushed: the same code, entered by a jump from other JIT code that has pushed a return address, as interpreters do
 *   jumped: as pushed, but the jump is to hot(), which has rows
 *   leaped: as jumped, by code that keeps no frame pointer
 *   bare: code that keeps no frame pointer
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE		4096

static volatile unsigned long sink;

static const unsigned char
	/* code: push rbp; mov rsp,rbp; call *rdi; pop rbp; ret */
	called[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 },
	/*
	 * code: push rbp; mov rsp,rbp; sub 8,rsp; lea 4(rip),rax; push rax; jmp *rsi; nop; leave;
	 * ret
	 */
	pushed[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 8, 0x48, 0x8d, 0x05, 4, 0, 0, 0, 0x50, 0xff, 0xe6, 0x90, 0x90, 0xc9, 0xc3 },
	/* code: as above, with jmp *rdi in place of jmp *rsi */
	jumped[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 8, 0x48, 0x8d, 0x05, 4, 0, 0, 0, 0x50, 0xff, 0xe7, 0x90, 0x90, 0xc9, 0xc3 },
	/* code: lea 4(rip),rax; push rax; jmp *rdi; nop; ret */
	leaped[] = { 0x48, 0x8d, 0x05, 4, 0, 0, 0, 0x50, 0xff, 0xe7, 0x90, 0xc3 },
	/* code: sub 8,rsp; call *rdi; add 8,rsp; ret */
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

static const struct kind {
	const char *name;
	const unsigned char *code;
	size_t size;
} kinds[] = {
	{ "called", called, sizeof(called) }, { "pushed", pushed, sizeof(pushed) }, { "jumped", jumped, sizeof(jumped) },
	{ "leaped", leaped, sizeof(leaped) }, { "bare", bare, sizeof(bare) },
};

/* Return a page with code of @kind, above an unreadable page. @directory: where to create its file;
 * NULL: anonymous memory. */
static unsigned char *make(const struct kind *kind, const char *directory)
{
	unsigned char *at = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[4096];
	int fd;

	if (at == MAP_FAILED)
		exit(1);
	if (!directory) {
		if (mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
			exit(1);
		return memcpy(at + PAGE, kind->code, kind->size);
	}
	snprintf(name, sizeof(name), "%s/%s.code", directory, kind->name);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, kind->code, kind->size) != (ssize_t)kind->size ||
	    mmap(at + PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
		exit(1);
	close(fd);
	return at + PAGE;
}

int main(int argc, char **argv)
{
	const char *directory = argc > 3 ? argv[3] : NULL;
	const struct kind *kind = kinds;
	unsigned char *first, *last;

	if (argc < 3)
		return 2;
	while (strcmp(kind->name, argv[1]))
		kind++;
	last = make(&kinds[0], directory);
	first = make(kind, directory);
	for (long i = 0; i < atol(argv[2]); i++)
		caller((made *)first, last);
	return 0;
}
