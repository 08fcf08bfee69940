// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * world.c -- a stopped process as an unwinder sees it: memory, mappings and their unwind tables,
 * and the walk of its stack.
 */
#include "config.h"

#include "tests/paths/world.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "libcfi/table.h"

static bool read_memory(const struct world *world, uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)address, size };

	return process_vm_readv(world->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static const struct world_page *page(const struct world *world, struct world_page *pages, size_t nr, uint64_t address)
{
	struct world_page *page = &pages[address / 4096 % nr];

	address &= ~4095ULL;
	if (page->address == address)
		return page;
	page->address = 1;
	if (!read_memory(world, address, page->bytes, sizeof(page->bytes)))
		return NULL;
	page->address = address;
	return page;
}

static void invalidate(struct world_page *pages, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		pages[i].address = 1;
}

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

void world_clear_cache(struct world *world)
{
	invalidate(world->data, NR(world->data));
}

size_t world_code(struct world *world, uint64_t address, unsigned char *bytes, size_t size)
{
	size_t got = 0;

	while (got < size) {
		const struct world_page *p = page(world, world->code, NR(world->code), address + got);
		size_t at = (address + got) % 4096, nr = 4096 - at;

		if (!p)
			break;
		if (nr > size - got)
			nr = size - got;
		memcpy(bytes + got, p->bytes + at, nr);
		got += nr;
	}
	return got;
}

static bool word_of(struct world *world, uint64_t address, unsigned int size, uint64_t *value)
{
	const struct world_page *p = page(world, world->data, NR(world->data), address);

	*value = 0;
	if (address % 4096 + size > 4096)
		return read_memory(world, address, value, size);
	if (!p)
		return false;
	memcpy(value, p->bytes + address % 4096, size);
	return true;
}

bool world_word(struct world *world, uint64_t address, uint64_t *value)
{
	return word_of(world, address, oprofile_uw_word(world->machine), value);
}

static void make_table(struct world_image *image, const void *bytes, size_t size)
{
	struct cfi_elf elf;
	uint64_t room;
	void *table;

	if (cfi_elf_open(&elf, bytes, size))
		return;
	room = cfi_table_room(&elf);
	table = mmap(NULL, room + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED)
		return;
	if (cfi_table_make(&elf, table, room, NULL))
		munmap(table, room + 1);
	else
		image->table = table;
}

static void load_file(struct world_image *image)
{
	int fd = open(image->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size) {
		bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			make_table(image, bytes, st.st_size);
			munmap(bytes, st.st_size);
		}
	}
	close(fd);
}

static struct world_image *find_image(struct world *world, const char *path, const struct world_map *map)
{
	struct world_image *image = &world->images[world->nr_images];

	for (unsigned int i = 0; i < world->nr_images; i++)
		if (!strcmp(world->images[i].path, path))
			return &world->images[i];
	if (world->nr_images + 1 == NR(world->images))
		return image;		/* the array is full: use its last element, which has no unwind table */
	world->nr_images++;
	snprintf(image->path, sizeof(image->path), "%s", path);
	if (path[0] == '/') {
		load_file(image);
	} else if (!strcmp(path, "[vdso]")) {
		size_t size = map->end - map->start;
		void *bytes = malloc(size);

		if (bytes && read_memory(world, map->start, bytes, size))
			make_table(image, bytes, size);
		free(bytes);
	}
	return image;
}

void world_maps_changed(struct world *world)
{
	char name[64], line[512];
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)world->pid);
	maps = fopen(name, "re");
	world->nr_maps = 0;
	while (maps && world->nr_maps < NR(world->maps) && fgets(line, sizeof(line), maps)) {
		struct world_map *map = &world->maps[world->nr_maps];
		unsigned long start, end, offset;
		char rights[8], path[256] = "";

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255[^\n]", &start, &end, rights, &offset, path) < 4 ||
		    rights[2] != 'x')
			continue;
		*map = (struct world_map){ .start = start, .end = end, .offset = offset };
		if (!strcmp(path, "[vdso]"))
			map->offset = 0;
		map->image = find_image(world, path[0] ? path : "[anonymous]", map);
		world->nr_maps++;
	}
	if (maps)
		fclose(maps);
	invalidate(world->code, NR(world->code));
	memset(world->calls, 0, sizeof(world->calls));
}

static const struct world_map *find_map(struct world *world, uint64_t pc)
{
	for (int again = 0; again < 2; again++) {
		for (unsigned int i = 0; i < world->nr_maps; i++)
			if (pc >= world->maps[i].start && pc < world->maps[i].end)
				return &world->maps[i];
		if (!again)
			world_maps_changed(world);
	}
	return NULL;
}

const char *world_place(struct world *world, uint64_t pc, uint64_t *offset)
{
	const struct world_map *map = find_map(world, pc);

	*offset = map ? pc - map->start + map->offset : pc;
	return map ? map->image->path : "?";
}

static int op_word(void *data, __u64 address, unsigned int size, __u64 *value)
{
	uint64_t got;

	if (!word_of(data, address, size, &got))
		return OPROFILE_UW_STACK;
	*value = got;
	return 0;
}

static int op_rule(void *data, __u64 code, struct oprofile_uw_rule *rule)
{
	/*
	 * Distances of @code from the first instruction of a signal trampoline, at which the code
	 * is tested; -1: directly before the trampoline.
	 */
	static const int back[] = { -1, 0, 1, 4, 5, 7 };
	struct world *world = data;
	const struct world_map *map = find_map(world, code);
	const struct oprofile_uw_rule *found = NULL;
	unsigned char bytes[16];

	if (map && map->image->table)
		found = oprofile_uw_lookup(map->image->table, code - map->start + map->offset);
	if (found) {
		*rule = *found;
		return 0;
	}
	for (size_t i = 0; map && i < NR(back); i++)
		if (world_code(world, code - back[i], bytes, sizeof(bytes)) == sizeof(bytes) &&
		    oprofile_uw_is_sigreturn(world->machine, bytes, rule))
			return 0;
	return OPROFILE_UW_NO_ROW;
}

static __u64 op_register(void *data, unsigned int number)
{
	const struct user_regs_struct *r = &((struct world *)data)->regs;
	const __u64 x86_64[] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10,
				 r->r11, r->r12, r->r13, r->r14, r->r15 };
	const __u64 i386[] = { r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi };

	if (((struct world *)data)->machine == OPROFILE_UW_I386)
		return (uint32_t)i386[number & 7];
	return x86_64[number & 15];
}

static int op_is_after_call(void *data, __u64 pc)
{
	struct world *world = data;
	unsigned char bytes[8];
	size_t at = (pc ^ pc >> 12) % NR(world->calls);

	if (world->calls[at].pc != pc) {
		world->calls[at].pc = pc;
		world->calls[at].is = world_code(world, pc - 8, bytes, 8) == 8 &&
				      oprofile_uw_is_call(world->machine, bytes);
	}
	return world->calls[at].is ? OPROFILE_UW_CALL_YES : OPROFILE_UW_CALL_NO;
}

static __u64 op_strip(void *data, __u64 pc)
{
	(void)data;
	return pc;
}

static int op_known_call(void *data, __u64 word)
{
	const struct world *world = data;

	for (unsigned int i = 0; i < world->nr_maps; i++)
		if (word - 1 >= world->maps[i].start && word - 1 < world->maps[i].end)
			return op_is_after_call(data, word);
	return OPROFILE_UW_CALL_NO;
}

static int op_code(void *data, __u64 pc, __u8 *bytes)
{
	struct world *world = data;

	return world->no_code || world_code(world, pc, bytes, 8) != 8 ? OPROFILE_UW_STACK : 0;
}

static const struct oprofile_uw_ops ops = {
	op_word, op_rule, op_register, op_is_after_call, op_strip, op_known_call, op_code
};

int world_walk(struct world *world, struct world_frame *frames, unsigned int *nr)
{
	struct oprofile_uw_frame frame;
	struct oprofile_uw_slots slots;
	int end = 0;

	for (int keep = 0; keep < 2; keep++) {
		oprofile_uw_begin(&frame, world->regs.rip, world->regs.rsp, world->regs.rbp);
		frame.keep_other = keep;
		for (*nr = 0; *nr < WORLD_MAX_DEPTH; ++*nr) {
			end = oprofile_uw_next(world->machine, &frame, &slots, &ops, world);
			if (end)
				break;
			frames[*nr] = (struct world_frame){ slots.pc, frame.pc };
		}
		if (*nr == WORLD_MAX_DEPTH)
			end = OPROFILE_UW_DEPTH;
		if (end != OPROFILE_UW_REGISTER)
			break;
	}
	return end;
}

int world_begin(struct world *world, pid_t pid)
{
	unsigned char head[20];
	char exe[64];
	int fd;

	memset(world, 0, sizeof(*world));
	world->pid = pid;
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	fd = open(exe, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (read(fd, head, sizeof(head)) != sizeof(head))
		memset(head, 0, sizeof(head));
	close(fd);
	if (memcmp(head, ELFMAG, SELFMAG) || (head[18] != EM_X86_64 && head[18] != EM_386))
		return -ENOEXEC;
	world->machine = head[18] == EM_386 ? OPROFILE_UW_I386 : OPROFILE_UW_X86_64;
	world_clear_cache(world);
	world_maps_changed(world);
	return 0;
}
