// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made-code.c -- calls hot() through code that this program makes while it runs, in several ways: `made-code KIND TURNS`.
 *
 *	called		code with a frame pointer calls hot(), at the first bytes of a mapping
 *	pushed		code with a frame pointer pushes a return address and jumps, as interpreters do
 *	bare		code without a frame pointer calls hot(); after that it only frees its stack and returns
 *	stored		as bare, but it pushes a return address and jumps to hot(), as QEMU's code does where it stores
 *	chained		code without a frame pointer jumps to two other pieces of code by addresses in rax: the first
 *			pushes a return address and jumps to hot(), the second calls hot() and returns
 *	entered		as bare, but caller() calls a function that jumps to the code, and the code ends in a jump to
 *			a computed address, as PyPy's does
 *	obscure		as bare, but it frees its stack by a copy of the stack pointer that it keeps in rbx
 *	second		through(), in a second mapping of this program's file
 *	fork		as called, in a grandchild: the code is named in the map of its grandparent, which gives the same code
 *			another name later; the parent in between has ended
 *	memfd		as called, in a memfd that is written through another mapping, by the name made:memfd
 *	file		as called, in a mapped file that is not an ELF file, by the name made:file
 *	exec		as called, by the name made:first, and after executing itself by made:last at the same address
 *
 * And by code without a frame pointer, of which a jit-PID.dump has the code and its frames:
 *
 *	described	in this process
 *	undescribed	the dump does not have its frames
 *	replaced	code at one address, which is replaced by code with a larger frame, and later by code with a smaller one
 *	moved		code that is moved to another address with its mapping
 *	in-memfd	code in a memfd, which is written through another mapping
 *	in-child	in a grandchild, while the grandparent replaces its own code; the parent in between has ended
 *	in-vfork	in a child of vfork(), which has the memory of its parent
 *	twice		in this process, and after executing itself by code with a larger frame at the same address
 *
 * All functions have to keep frame pointers or unwind tables. The path is main, caller, the code, hot.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "made_dump.h"

typedef void (*function)(void (*)(void));

static volatile unsigned long sink;
static const unsigned char
	/* code: push rbp; mov rsp,rbp; call *rdi; pop rbp; ret */
	called[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 },
	/*
	 * code: push rbp; mov rsp,rbp; push rdi; push 0; lea 4(rip),rax; push rax; jmp *rdi; nop;
	 * leave; ret
	 */
	pushed[] = { 0x55, 0x48, 0x89, 0xe5, 0x57, 0x6a, 0, 0x48, 0x8d, 0x05, 4, 0, 0, 0, 0x50, 0xff, 0xe7, 0x90, 0xc9, 0xc3 },
	/* code: sub 8,rsp; call *rdi; add 8,rsp; ret, which does not change the caller's rbp */
	bare[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 },
	/* code: sub 8,rsp; lea 3(rip),rax; push rax; jmp *rdi; add 8,rsp; ret */
	stored[] = { 0x48, 0x83, 0xec, 8, 0x48, 0x8d, 0x05, 3, 0, 0, 0, 0x50, 0xff, 0xe7, 0x48, 0x83, 0xc4, 8, 0xc3 },
	/*
	 * code: push rbx; sub 16,rsp; mov rdi,rbx; lea 2(rip),rax; jmp *rax;
	 * lea 3(rip),rax; push rax; jmp *rbx; lea 2(rip),rax; jmp *rax;
	 * call *rbx; add 16,rsp; pop rbx; ret
	 */
	chained[] = { 0x53, 0x48, 0x83, 0xec, 16, 0x48, 0x89, 0xfb, 0x48, 0x8d, 0x05, 2, 0, 0, 0, 0xff, 0xe0,
		      0x48, 0x8d, 0x05, 3, 0, 0, 0, 0x50, 0xff, 0xe3, 0x48, 0x8d, 0x05, 2, 0, 0, 0, 0xff, 0xe0,
		      0xff, 0xd3, 0x48, 0x83, 0xc4, 16, 0x5b, 0xc3 },
	/*
	 * code: push rbx; sub 16,rsp; call *rdi; movabs END + 64,r11; push r11; lea -64(r11),r11;
	 * jmp *r11;
	 * END: pop rbx; add 16,rsp; pop rbx; ret
	 */
	entered[] = { 0x53, 0x48, 0x83, 0xec, 16, 0xff, 0xd7, 0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0x53,
		      0x4d, 0x8d, 0x9b, 0xc0, 0xff, 0xff, 0xff, 0x41, 0xff, 0xe3, 0x5b, 0x48, 0x83, 0xc4, 16, 0x5b, 0xc3 },
	/* code: push rbx; mov rsp,rbx; call *rdi; mov rbx,rsp; pop rbx; ret */
	obscure[] = { 0x53, 0x48, 0x89, 0xe3, 0xff, 0xd7, 0x48, 0x89, 0xdc, 0x5b, 0xc3 };

static const struct kind {
	const char *name;
	const unsigned char *code;
	size_t size;
} kinds[] = {
	{ "called", called, sizeof(called) },
	{ "pushed", pushed, sizeof(pushed) },
	{ "bare", bare, sizeof(bare) },
	{ "stored", stored, sizeof(stored) },
	{ "chained", chained, sizeof(chained) },
	{ "entered", entered, sizeof(entered) },
	{ "obscure", obscure, sizeof(obscure) },
};

__attribute__((noinline)) void hot(void)
{
	for (unsigned long i = 0; i < 3000000; i++)
		sink += i;
}

__attribute__((noinline)) void through(void (*fn)(void))
{
	fn();
	__asm__ volatile("");		/* prevent a tail call */
}

static bool by_jump;

/* Call the code from the end of this function, where compilers make a tail call. */
__attribute__((noinline)) void enter(function code)
{
	code(hot);
}

__attribute__((noinline)) void caller(function code)
{
	if (by_jump)
		enter(code);
	else
		code(hot);
	sink++;
}

/* Return the address of through() in a second mapping of this program. */
static function second_mapping(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	char line[4096], *copy = NULL;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	while (!copy && maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && (uintptr_t)through - start < end - start)
			copy = mmap(NULL, end - start, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)offset);
	if (!copy || copy == MAP_FAILED)
		err(1, "second mapping");
	fclose(maps);
	return (function)(copy + ((uintptr_t)through - start));
}

static function make_at(unsigned char *at, const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].name)) {
			memcpy(at, kinds[i].code, kinds[i].size);
			if (kinds[i].code == entered) {
				unsigned char *end = at + 29 + 64;

				memcpy(at + 9, &end, sizeof(end));
				by_jump = true;
			}
			return (function)at;
		}
	errx(2, "unknown kind %s", name);
}

static function make(const char *name)
{
	return make_at(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), name);
}

/* Map a page at an address that this program has not used before. */
static unsigned char *page(void)
{
	void *at = mmap((void *)0x510000000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

static inline __attribute__((always_inline)) void run(function code, const char *turns)
{
	for (int i = atoi(turns); i > 0; i--)
		caller(code);
}

/*
 * Write @name for @code to the perf map of this process, opened with fopen()'s @mode. Set @path to
 * the map's path.
 */
static void write_map_entry(char path[64], const char *mode, function code, const char *name)
{
	FILE *map;

	snprintf(path, 64, "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, mode);
	if (!map || fprintf(map, "%lx %zx %s\n", (unsigned long)code, sizeof(called), name) < 0 || fclose(map))
		err(1, "%s", path);
}

static void run_in_grandchild(const char *turns)
{
	function code = make("called");
	int done[2];
	char path[64], byte;

	write_map_entry(path, "we", code, "made:old");
	if (pipe(done))
		err(1, "pipe");
	if (!fork()) {
		if (fork())
			_exit(0);
		close(done[0]);
		/* wait until the parent has ended and the grandparent has changed its map */
		usleep(300000);
		run(code, turns);
		_exit(0);
	}
	close(done[1]);
	wait(NULL);
	usleep(100000);
	write_map_entry(path, "ae", code, "made:new");
	/* read() returns 0 when the grandchild ends and closes the pipe */
	if (read(done[0], &byte, 1))
		err(1, "pipe");
}

static void run_named(const char *name, function code, const char *turns)
{
	char path[64];

	write_map_entry(path, "we", code, name);
	run(code, turns);
}

/* Write code to the file @fd behind a header that is not an ELF header. Return the mapped code. */
static function make_in_file(int fd)
{
	char *write, *run;

	if (fd < 0 || ftruncate(fd, 4096))
		err(1, "file");
	write = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	run = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (write == MAP_FAILED || run == MAP_FAILED)
		err(1, "mmap");
	memcpy(write, "MZ", 2);
	memcpy(write + 64, called, sizeof(called));
	return (function)(run + 64);
}

static void run_in_file(const char *kind, const char *turns)
{
	char path[] = "made-code.XXXXXX", name[32];
	bool is_memfd = !strcmp(kind, "memfd");
	int fd = is_memfd ? memfd_create("made", MFD_CLOEXEC) : mkstemp(path);

	snprintf(name, sizeof(name), "made:%s", kind);
	run_named(name, make_in_file(fd), turns);
	if (!is_memfd)
		unlink(path);
}

#define SMALL	24
#define LARGE	104

static char dump_path[64];

/* Write code with a frame of @room bytes to @at, and describe its frame in the jitdump @dump. */
static function describe(int dump, unsigned char *at, unsigned char room)
{
	made_frameless(at, room);
	made_dump_frames(dump, room);
	made_dump_load(dump, at, MADE_FRAMELESS_SIZE, "made:frameless");
	return (function)at;
}

static void run_replaced(int dump, const char *turns)
{
	unsigned char *at = page();

	for (int i = 0; i < 3; i++)
		run(describe(dump, at, i == 1 ? LARGE : SMALL), turns);
}

static void run_moved(int dump, const char *turns)
{
	unsigned char *at = page(), *to;

	run(describe(dump, at, SMALL), turns);
	to = mremap(at, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, at + (1 << 20));
	if (to == MAP_FAILED)
		err(1, "mremap");
	made_dump_move(dump, at, to, MADE_FRAMELESS_SIZE);
	run((function)to, turns);
}

static void run_in_memfd(int dump, const char *turns)
{
	int fd = memfd_create("made", MFD_CLOEXEC);
	unsigned char *write, *run_at;

	if (fd < 0 || ftruncate(fd, 4096))
		err(1, "memfd");
	write = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	run_at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (write == MAP_FAILED || run_at == MAP_FAILED)
		err(1, "mmap");
	made_frameless(write + 64, SMALL);
	made_dump_frames(dump, SMALL);
	made_dump_load(dump, run_at + 64, MADE_FRAMELESS_SIZE, "made:frameless");
	run((function)(run_at + 64), turns);
}

static void run_in_child(int dump, const char *turns)
{
	unsigned char *at = page();
	function code = describe(dump, at, SMALL);
	int done[2];
	char byte;

	if (pipe(done))
		err(1, "pipe");
	if (!fork()) {
		if (fork())
			_exit(0);
		close(done[0]);
		run(code, turns);
		_exit(0);
	}
	close(done[1]);
	wait(NULL);
	usleep(10000);
	describe(dump, at, LARGE);
	/* read() returns 0 when the grandchild ends and closes the pipe */
	if (read(done[0], &byte, 1))
		err(1, "pipe");
}

static void run_in_vfork(int dump, const char *turns)
{
	function code = describe(dump, page(), SMALL);
	pid_t pid = vfork();

	if (!pid) {
		run(code, turns);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/*
 * Run one of the kinds whose code is described in a jitdump. Return false if @kind is not one of
 * them.
 */
static bool run_described(const char *kind, char **argv)
{
	static const char *const kinds[] = {
		"described", "undescribed", "replaced", "moved", "in-memfd", "in-child", "in-vfork", "twice", "again",
	};
	unsigned char *at;
	size_t i = 0;
	int dump;

	while (i < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kind, kinds[i]))
		i++;
	if (i == sizeof(kinds) / sizeof(kinds[0]))
		return false;
	dump = made_dump_open(dump_path, ".");
	if (!strcmp(kind, "replaced")) {
		run_replaced(dump, argv[2]);
	} else if (!strcmp(kind, "moved")) {
		run_moved(dump, argv[2]);
	} else if (!strcmp(kind, "in-memfd")) {
		run_in_memfd(dump, argv[2]);
	} else if (!strcmp(kind, "in-child")) {
		run_in_child(dump, argv[2]);
	} else if (!strcmp(kind, "in-vfork")) {
		run_in_vfork(dump, argv[2]);
	} else if (!strcmp(kind, "undescribed")) {
		at = page();
		made_frameless(at, SMALL);
		made_dump_load(dump, at, MADE_FRAMELESS_SIZE, "made:frameless");
		run((function)at, argv[2]);
	} else {
		run(describe(dump, page(), !strcmp(kind, "again") ? LARGE : SMALL), argv[2]);
	}
	if (!strcmp(kind, "twice")) {
		execl("/proc/self/exe", argv[0], "again", argv[2], NULL);
		err(1, "exec");
	}
	unlink(dump_path);
	return true;
}

int main(int argc, char **argv)
{
	char path[64];

	if (argc != 3)
		errx(2, "usage: made-code KIND TURNS");
	if (!strcmp(argv[1], "second")) {
		run(second_mapping(), argv[2]);
	} else if (!strcmp(argv[1], "fork")) {
		run_in_grandchild(argv[2]);
	} else if (!strcmp(argv[1], "exec")) {
		run_named("made:first", make_at(page(), "called"), argv[2]);
		execl("/proc/self/exe", argv[0], "last", argv[2], NULL);
		err(1, "exec");
	} else if (!strcmp(argv[1], "last")) {
		run_named("made:last", make_at(page(), "called"), argv[2]);
	} else if (!strcmp(argv[1], "memfd") || !strcmp(argv[1], "file")) {
		run_in_file(argv[1], argv[2]);
	} else if (!run_described(argv[1], argv)) {
		run(make(argv[1]), argv[2]);
	}
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
	return 0;
}
