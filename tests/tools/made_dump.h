/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_dump.h -- x86_64 code without a frame pointer, and a jit-PID.dump in perf's format that
 * describes its frames.
 */
#ifndef TESTS_TOOLS_MADE_DUMP_H
#define TESTS_TOOLS_MADE_DUMP_H

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MADE_FRAMELESS_SIZE	14

/*
 * Write code that calls the function in rdi with @room bytes of stack, a multiple of 16 and 8:
 * sub room,rsp; call *rdi; lea room(rsp),rax; xchg rax,rsp; ret. Only a description shows its frame.
 */
static inline void made_frameless(unsigned char *to, unsigned char room)
{
	const unsigned char code[MADE_FRAMELESS_SIZE] = {
		0x48, 0x83, 0xec, room, 0xff, 0xd7, 0x48, 0x8d, 0x44, 0x24, room, 0x48, 0x94, 0xc3,
	};

	memcpy(to, code, sizeof(code));
}

struct made_record {
	uint32_t id, size;
	uint64_t time;
};

static inline struct made_record made_record(uint32_t id, size_t size)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct made_record){ id, (uint32_t)(sizeof(struct made_record) + size), (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec };
}

static inline void made_write(int fd, const void *bytes, size_t size)
{
	if (write(fd, bytes, size) != (ssize_t)size)
		err(1, "write");
}

/*
 * Create the jitdump of this process in @dir, and map it, because profilers search for this
 * mapping. Write its path to @path. Return its descriptor.
 */
static inline int made_dump_open(char path[64], const char *dir)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} head = { 0x4a695444, 1, sizeof(head), EM_X86_64, 0, (uint32_t)getpid(), made_record(0, 0).time, 0 };
	int fd;

	snprintf(path, 64, "%.40s/jit-%d.dump", dir, (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		err(1, "%s", path);
	made_write(fd, &head, sizeof(head));
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		err(1, "mmap");
	return fd;
}

/*
 * Write the frame description of made_frameless() code with @room bytes of stack. It applies to the
 * next load record.
 */
static inline void made_dump_frames(int fd, unsigned char room)
{
	/* The section follows the code, aligned to 8 bytes, and the address of the code is 32 bytes into the section. */
	const int32_t code = -(16 + 32);
	unsigned char frames[52 + 20] = {
		/*
		 * CIE: length, 0, version 1, "zR", factors 1 and -8, rip; pcrel | sdata4; CFA = rsp
		 * + 8; rip at CFA - 8
		 */
		20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
		/*
		 * FDE: length, distance to the CIE, code, its size, 0; after 4 bytes CFA = rsp +
		 * room + 8; after 9 more bytes CFA = rsp + 8
		 */
		20, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, MADE_FRAMELESS_SIZE, 0, 0, 0, 0,
		0x44, 0x0e, (unsigned char)(room + 8), 0x49, 0x0e, 8, 0,
		/* the terminator; then an .eh_frame_hdr without a table */
		0, 0, 0, 0, 1, 0xff, 0xff, 0xff,
	};
	const uint64_t sizes[] = { sizeof(frames), 20, 0 };
	struct made_record record = made_record(4, sizeof(sizes) + sizeof(frames));

	memcpy(frames + 32, &code, sizeof(code));
	made_write(fd, &record, sizeof(record));
	made_write(fd, sizes, sizeof(sizes));
	made_write(fd, frames, sizeof(frames));
}

/* Write a record that the @size bytes at @code were loaded as the function @name. */
static inline void made_dump_load(int fd, const void *code, size_t size, const char *name)
{
	struct {
		struct made_record record;
		uint32_t pid, tid;
		uint64_t vma, address, size, index;
	} load = {
		made_record(0, 40 + strlen(name) + 1 + size), (uint32_t)getpid(), (uint32_t)getpid(), (uintptr_t)code,
		(uintptr_t)code, size, 0,
	};

	made_write(fd, &load, sizeof(load));
	made_write(fd, name, strlen(name) + 1);
	made_write(fd, code, size);
}

/* Write a record that the @size bytes of code at @from were moved to @to. */
static inline void made_dump_move(int fd, const void *from, const void *to, size_t size)
{
	struct {
		struct made_record record;
		uint32_t pid, tid;
		uint64_t vma, old, new, size, index;
	} move = {
		made_record(1, 48), (uint32_t)getpid(), (uint32_t)getpid(), (uintptr_t)to, (uintptr_t)from, (uintptr_t)to, size, 0,
	};

	made_write(fd, &move, sizeof(move));
}

#endif
