// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * epoch.c -- epochs: sets of modules (executables and libraries) that were loaded at the same time,
 * with the tables to unwind their frames.
 */
#include "config.h"
#include "probe/core/epoch.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sys/auxv.h>

#include "libop/raw/elf.h"
#include "libop/raw/regions.h"
#include "probe/arch/registers.h"
#include "probe/core/frames.h"
#include "probe/core/made.h"
#include "probe/linux/calls.h"

/* maximum number of sched_yield() calls with which a thread waits while another thread creates an
 * epoch */
#define TURNS		1000
/* DWARF pointer encoding: a signed 32-bit offset from the address of the pointer itself */
#define PCREL_SDATA4	0x1b

/* The state of creating an epoch, before the epoch is published. */
struct making {
	struct epochs *epochs;
	struct epoch *epoch;
	uint32_t room;
	int err;
};

/* Allocate a new epoch (set of modules) for at most @room modules. If an earlier failure has left
 * an unpublished epoch, unmap it. */
static int begin(struct making *m, struct epochs *epochs, uint32_t room)
{
	size_t size = sizeof(struct epoch) + room * sizeof(struct epoch_module);
	long at;

	*m = (struct making){ .epochs = epochs, .room = room };
	if (epochs->making)
		call_munmap(epochs->making, epochs->making_size);
	epochs->making = NULL;
	at = call_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (call_failed(at))
		return -ENOMEM;
	m->epoch = epochs->making = (struct epoch *)at;
	m->epoch->columns = __atomic_load_n(&epochs->columns, __ATOMIC_ACQUIRE);
	epochs->making_size = size;
	return 0;
}

static void insert(struct making *m, const struct epoch_module *module)
{
	uint32_t i = m->epoch->nr++;

	for (; i && m->epoch->modules[i - 1].start > module->start; i--)
		m->epoch->modules[i] = m->epoch->modules[i - 1];
	m->epoch->modules[i] = *module;
}

static bool is_same(const struct epoch *a, const struct epoch *b)
{
	if (a->nr != b->nr || a->columns != b->columns)
		return false;
	for (uint32_t i = 0; i < a->nr; i++)
		if (a->modules[i].record != b->modules[i].record)
			return false;
	return true;
}

/* Publish the epoch. If an older epoch has the same modules and columns, publish the older one
 * instead; otherwise record the new epoch in the file. */
static int commit(struct making *m)
{
	struct epochs *epochs = m->epochs;
	struct raw_live_run *run = arena_at(epochs->arena, epochs->run);
	struct raw_live_epoch *record;
	uint32_t ref, modules;

	for (struct epoch *e = epochs->newest; e; e = e->older)
		if (is_same(e, m->epoch)) {
			__atomic_store_n(&epochs->now, e, __ATOMIC_RELEASE);
			return 0;
		}
	ref = arena_alloc(epochs->arena, sizeof(*record));
	modules = ref ? arena_alloc(epochs->arena, m->epoch->nr * sizeof(uint32_t)) : 0;
	if (!modules)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->epoch->nr; i++)
		((uint32_t *)arena_at(epochs->arena, modules))[i] = m->epoch->modules[i].record;
	record = arena_at(epochs->arena, ref);
	record->number = m->epoch->number = run->nr_epochs;
	record->older = run->epochs;
	record->modules = modules;
	record->nr_modules = m->epoch->nr;
	record->columns = m->epoch->columns;
	m->epoch->older = epochs->newest;
	epochs->newest = m->epoch;
	epochs->making = NULL;
	run->nr_epochs++;
	__atomic_store_n(&run->epochs, ref, __ATOMIC_RELEASE);
	__atomic_store_n(&epochs->now, m->epoch, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Set module->cfi to the .eh_frame section at address @frames, which has at most @size bytes. @size
 * is UINT64_MAX if the size is unknown, because section headers are not in memory. In this case
 * assume that the section extends to the end of its segment.
 */
static void set_frames(struct epoch_module *module, const ElfW(Phdr) * headers, size_t nr,
		       uint64_t frames, uint64_t size)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t start = module->loaded_at + headers[i].p_vaddr, room = headers[i].p_memsz;

		if (headers[i].p_type != PT_LOAD || !(headers[i].p_flags & PF_R) ||
		    frames < start || frames - start >= room)
			continue;
		room -= frames - start;
		size = size < room ? size : room;
		module->cfi = (struct cfi_section){
			.data = (const unsigned char *)(uintptr_t)frames,
			.size = size < CFI_MAX_SECTION ? size : CFI_MAX_SECTION,
			.address = frames,
			.machine = ARCH_MACHINE,
			.form = CFI_EH_FRAME,
		};
	}
}

/* Find the section .eh_frame by its address in .eh_frame_hdr, which is at @index. */
static void find_frames(struct epoch_module *module, const ElfW(Phdr) * headers, size_t nr,
			const ElfW(Phdr) * index)
{
	const unsigned char *at =
		(const unsigned char *)(uintptr_t)(module->loaded_at + index->p_vaddr);
	int32_t distance;

	if (index->p_memsz < 12 || at[0] != 1 || at[1] != PCREL_SDATA4)
		return;
	__builtin_memcpy(&distance, at + 4, sizeof(distance));
	set_frames(module, headers, nr, (uintptr_t)at + 4 + distance, UINT64_MAX);
	module->cfi.index = at;
	module->cfi.index_size = index->p_memsz;
	module->cfi.index_address = (uintptr_t)at;
}

/* Find the section .eh_frame of a program without .eh_frame_hdr. Read the section headers from the
 * program's file. */
static void find_frames_of_program(struct epoch_module *module, const ElfW(Phdr) * headers,
				   size_t nr)
{
	uint64_t at, size;

	if (frames_find((const void *)(uintptr_t)module->start, &at, &size))
		return;
	set_frames(module, headers, nr, module->loaded_at + at, size);
	if (module->cfi.data && frames_index(&module->cfi))
		module->cfi.data = NULL;
}

/* Return a reference to the record that describes @module in the .csp.live file; add the record
 * if it is missing. Return 0 if out of memory. */
static uint32_t put_record(struct epochs *epochs, const struct epoch_module *module,
			   const char *path, size_t len, uint32_t id_len)
{
	const struct raw_live_module is = {
		.preferred = module->start - module->loaded_at,
		.mapped = module->start,
		.size = module->end - module->start,
	};
	struct raw_live_module *record;
	uint32_t ref;

	if (len >= RAW_LIVE_PATH)
		len = RAW_LIVE_PATH - 1;
	for (ref = epochs->records; ref; ref = record->next) {
		record = arena_at(epochs->arena, ref);
		if (record->mapped == is.mapped && record->size == is.size &&
		    record->preferred == is.preferred && record->path_len == len &&
		    !__builtin_memcmp(record->path, path, len) && record->build_id_len == id_len &&
		    !__builtin_memcmp(record->build_id, module->build_id, id_len))
			return ref;
	}
	ref = arena_alloc(epochs->arena, sizeof(*record) + len);
	if (!ref)
		return 0;
	record = arena_at(epochs->arena, ref);
	*record = is;
	record->build_id_len = id_len;
	if (id_len)
		__builtin_memcpy(record->build_id, module->build_id, id_len);
	record->path_len = len;
	__builtin_memcpy(record->path, path, len);
	record->next = epochs->records;
	epochs->records = ref;
	return ref;
}

/* Return whether @path is absolute and has no "..". An archive contains only some directories, so a
 * path with ".." may be invalid in the archive. */
static bool is_whole(const char *path)
{
	if (*path != '/')
		return false;
	for (; *path; path++)
		if (path[0] == '/' && path[1] == '.' && path[2] == '.' &&
		    (path[3] == '/' || !path[3]))
			return false;
	return true;
}

struct whole_path {
	uint64_t at;
	char path[RAW_LIVE_PATH], buf[RAW_REGIONS_BUF];
};

static long read_maps(void *arg, void *buf, size_t len)
{
	return call_read(*(int *)arg, buf, len);
}

static bool is_deleted(const struct raw_region *region)
{
	static const char word[] = " (deleted)";
	size_t len = sizeof(word) - 1;

	return region->path_len > len &&
	       !__builtin_memcmp(region->path + region->path_len - len, word, len);
}

static long copy_path(void *arg, const struct raw_region *region)
{
	struct whole_path *w = arg;

	if (w->at < region->start || w->at >= region->end)
		return 0;
	if (region->path_len >= sizeof(w->path) || region->path[0] != '/' || is_deleted(region))
		return -ENOENT;
	__builtin_memcpy(w->path, region->path, region->path_len);
	w->path[region->path_len] = '\0';
	return 1;
}

/* Return the path of the file that is mapped at @code, or NULL if the kernel does not report it.
 * The dynamic loader's name of the file may be relative to an earlier working directory. The caller
 * unmaps the result. */
static struct whole_path *find_whole_path(uint64_t code)
{
	long at = call_mmap(sizeof(struct whole_path), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     got = -1;
	struct whole_path *w = (struct whole_path *)at;
	int fd;

	if (call_failed(at))
		return NULL;
	w->at = code;
	fd = call_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		got = raw_regions_walk(w->buf, sizeof(w->buf), read_maps, &fd, copy_path, w);
		call_close(fd);
	}
	if (got == 1)
		return w;
	call_munmap(w, sizeof(*w));
	return NULL;
}

/* Return the FNV-1a hash of @name. Set its lowest bit, so that the hash is never 0. */
static uint64_t sum_of(const char *name)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (; *name; name++)
		sum = (sum ^ (unsigned char)*name) * 0x100000001b3;
	return sum | 1;
}

static int insert_named(struct making *m, struct epoch_module *module, const char *path,
			uint32_t id_len)
{
	module->record = put_record(m->epochs, module, path, __builtin_strlen(path), id_len);
	if (!module->record)
		return -ENOMEM;
	module->known = arena_at(m->epochs->arena, module->record);
	insert(m, module);
	if (m->epochs->named)
		named_find(m->epochs->named, path, module->start, module->end, module->loaded_at);
	return 0;
}

/* Add the module with the program headers @headers to the new epoch. @stays: whether the module
 * is never unloaded (the program itself, or the vDSO). */
static int add(struct making *m, uint64_t loaded_at, const char *path, const ElfW(Phdr) * headers,
	       size_t nr, bool stays)
{
	struct epoch_module module = {
		.start = UINT64_MAX, .loaded_at = loaded_at, .late = m->epochs->now, .stays = stays,
	};
	struct whole_path *whole = NULL;
	uint32_t id_len = 0;
	int err;

	for (size_t i = 0; i < nr; i++) {
		uint64_t start = loaded_at + headers[i].p_vaddr, end = start + headers[i].p_memsz;

		if (headers[i].p_type != PT_LOAD)
			continue;
		module.start = start < module.start ? start : module.start;
		module.end = end > module.end ? end : module.end;
		if ((headers[i].p_flags & (PF_R | PF_X)) == (PF_R | PF_X)) {
			module.code = start;
			module.code_end = end;
		}
	}
	if (module.start >= module.end)
		return 0;
	module.start &= ~(uint64_t)4095;
	for (size_t i = 0; i < nr; i++) {
		const unsigned char *at =
			(const unsigned char *)(uintptr_t)(loaded_at + headers[i].p_vaddr);

		if (headers[i].p_type == PT_GNU_EH_FRAME) {
			module.index = at;
			find_frames(&module, headers, nr, &headers[i]);
		}
		if (headers[i].p_type == PT_NOTE && !module.build_id)
			module.build_id = raw_elf_find_build_id(
				(struct raw_elf_notes){ .bytes = at, .len = headers[i].p_memsz,
							.align = headers[i].p_align },
				&id_len);
	}
	if (stays && !module.index)
		find_frames_of_program(&module, headers, nr);
	if (*path && !is_whole(path) && !stays) {
		module.name = sum_of(path);
		whole = find_whole_path(module.code);
	}
	err = insert_named(m, &module, whole ? whole->path : path, id_len);
	if (whole)
		call_munmap(whole, sizeof(*whole));
	return err;
}

/* Return the name of a loaded module. The program itself has an empty name in the dynamic loader's
 * list: return @program for it. */
static const char *name_of(const struct dl_find_object *found, const char *program)
{
	const char *name = found->dlfo_link_map->l_name;

	return *name ? name : program;
}

static int add_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct making *m = data;
	const struct raw_live_run *run = arena_at(m->epochs->arena, m->epochs->run);
	bool is_program = !m->epoch->nr, is_kernels = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR);
	const char *path = info->dlpi_name;

	(void)size;
	if (m->epoch->nr >= m->room)
		return m->err = -E2BIG;
	/* The first module is the program, which has an empty name. */
	if (!path || !path[0])
		path = is_program ? run->program : "";
	m->err = add(m, info->dlpi_addr, path, info->dlpi_phdr, info->dlpi_phnum,
		     is_program || is_kernels);
	return m->err;
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	++*(uint32_t *)data;
	return 0;
}

int epochs_init(struct epochs *epochs, struct arena *arena, uint32_t run, uint64_t columns,
		const struct named *named, epoch_module_fn module_loaded)
{
	struct making m;
	int err;

	*epochs = (struct epochs){
		.arena = arena,
		.run = run,
		.columns = columns,
		.named = named,
		.module_loaded = module_loaded,
	};
	do {
		uint32_t nr = 0;

		dl_iterate_phdr(count_loaded, &nr);
		err = begin(&m, epochs, nr);
		if (err)
			return err;
		dl_iterate_phdr(add_loaded, &m);
		err = m.err ? m.err : commit(&m);
	} while (err == -E2BIG);
	return err;
}

/* Create an epoch with the modules of the current epoch. At the address @pc, replace all modules by
 * @found, the module that the dynamic loader has there (NULL: no module). */
static int make_with(struct epochs *epochs, uint64_t pc, const struct dl_find_object *found)
{
	uint64_t start = found ? (uintptr_t)found->dlfo_map_start : pc,
		 end = found ? (uintptr_t)found->dlfo_map_end : pc + 1;
	const ElfW(Ehdr) *elf = found ? found->dlfo_map_start : NULL;
	const struct raw_live_run *run = arena_at(epochs->arena, epochs->run);
	struct making m;
	int err;

	if (elf && __builtin_memcmp(elf->e_ident, ELFMAG, SELFMAG))
		return -ENOENT;
	err = begin(&m, epochs, epochs->now->nr + 1);
	if (err)
		return err;
	for (uint32_t i = 0; i < epochs->now->nr; i++) {
		const struct epoch_module *old = &epochs->now->modules[i];

		/* A module that overlaps the new module must have been unloaded: do not copy it to
		 * the new epoch. */
		if (old->end <= start || old->start >= end)
			insert(&m, old);
		else if (epochs->named)
			unsafe_remove(epochs->named->unsafe, old->start, old->end);
	}
	if (elf) {
		const ElfW(Phdr) *headers = (const void *)((const char *)elf + elf->e_phoff);

		epochs->module_loaded(found->dlfo_link_map->l_addr, headers, elf->e_phnum);
		err = add(&m, found->dlfo_link_map->l_addr, name_of(found, run->program), headers,
			  elf->e_phnum, false);
	}
	return err ? err : commit(&m);
}

static bool is_module(void *arg, uint64_t address)
{
	const struct epoch_module *m = epoch_find(arg, address);

	return m && !m->moved && address >= m->code && address < m->code_end;
}

/*
 * Create an epoch with the modules of the current epoch, and add the second mapping of a module's
 * code that is at @pc. A program may map its code a second time, to have it near other code. Return
 * -ENOENT if @pc is not in a second mapping.
 */
static int make_with_second(struct epochs *epochs, uint64_t pc)
{
	struct epoch_module second;
	struct made_range range;
	struct making m;
	uint64_t moved;
	int err = made_find_original(pc, is_module, epochs->now, &range, &moved);

	if (err)
		return err;
	err = begin(&m, epochs, epochs->now->nr + 1);
	if (err)
		return err;
	for (uint32_t i = 0; i < epochs->now->nr; i++)
		if (epochs->now->modules[i].end <= range.start ||
		    epochs->now->modules[i].start >= range.end)
			insert(&m, &epochs->now->modules[i]);
	second = *epoch_find(epochs->now, pc - moved);
	second.start = second.code = range.start;
	second.end = second.code_end = range.end;
	second.loaded_at += moved;
	second.moved = moved;
	second.stays = true;
	second.record = put_record(epochs, &second, second.known->path, second.known->path_len,
				   second.known->build_id_len);
	if (!second.record)
		return -ENOMEM;
	second.known = arena_at(epochs->arena, second.record);
	insert(&m, &second);
	return commit(&m);
}

int epochs_learn(struct epochs *epochs, uint64_t pc, uint32_t tid)
{
	struct dl_find_object found;
	bool is_found = pc && !_dl_find_object((void *)(uintptr_t)pc, &found);
	struct epoch_found held;
	uint32_t unlocked = 0;
	int err = 0;

	if (!__atomic_compare_exchange_n(&epochs->lock, &unlocked, tid, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return -EBUSY;
	if (!epochs_has_columns(epochs, epochs->now) ||
	    (pc && !epoch_holds(epochs->now, pc, &held)))
		err = make_with(epochs, pc, is_found ? &found : NULL);
	else if (pc && !held.module)
		err = make_with_second(epochs, pc);
	if (err == -ENOENT && pc && !is_found)
		/* @pc is not in a module: the modules of the current epoch are sufficient */
		err = 0;
	__atomic_store_n(&epochs->lock, 0, __ATOMIC_RELEASE);
	return err;
}

void epochs_wait_for_column(struct epochs *epochs, uint32_t metric, uint32_t tid)
{
	for (int i = 0; i < TURNS; i++) {
		if (raw_live_has_column(__atomic_load_n(&epochs->now, __ATOMIC_ACQUIRE)->columns,
					metric) ||
		    epochs_learn(epochs, 0, tid) != -EBUSY)
			return;
		arch_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
}

void epochs_escaped(struct epochs *epochs, uint32_t tid)
{
	if (__atomic_load_n(&epochs->lock, __ATOMIC_RELAXED) == tid)
		__atomic_store_n(&epochs->lock, 0, __ATOMIC_RELEASE);
}

const struct epoch_module *epoch_find(const struct epoch *epoch, uint64_t pc)
{
	uint32_t first = 0, behind = epoch->nr;

	while (first < behind) {
		uint32_t middle = first + (behind - first) / 2;

		if (pc < epoch->modules[middle].start)
			behind = middle;
		else if (pc >= epoch->modules[middle].end)
			first = middle + 1;
		else
			return &epoch->modules[middle];
	}
	return NULL;
}

/* Return whether @name is the name of module @m. Compare a relative name by its hash, because
 * the record of the module contains only the absolute path. */
static bool is_name_of(const struct epoch_module *m, const char *name)
{
	if (m->name)
		return sum_of(name) == m->name;
	return !__builtin_strncmp(name, m->known->path, m->known->path_len) &&
	       !name[m->known->path_len];
}

bool epoch_holds(const struct epoch *epoch, uint64_t pc, struct epoch_found *ret)
{
	const struct epoch_module *m = epoch_find(epoch, pc);
	struct dl_find_object found;
	const char *name;

	*ret = m ? (struct epoch_found){ m, m->start, m->end - m->start } :
		   (struct epoch_found){ NULL, pc, 1 };
	/* Do not ask the dynamic loader about a module that is never unloaded. In a static program,
	 * its answer for such a module would be wrong. */
	if (m && m->stays)
		return true;
	if (_dl_find_object((void *)(uintptr_t)pc, &found))
		return !m;
	/* If a module has gaps between its segments, the loader reports the end of the executable
	 * segments. This end may be below the end of the module. */
	if (!m || m->start != (uintptr_t)found.dlfo_map_start ||
	    m->end < (uintptr_t)found.dlfo_map_end || m->index != found.dlfo_eh_frame)
		return false;
	ret->size = (uintptr_t)found.dlfo_map_end - m->start;
	name = found.dlfo_link_map->l_name;
	if (*name && !is_name_of(m, name))
		return false;
	return !m->build_id ||
	       !__builtin_memcmp(m->build_id, m->known->build_id, m->known->build_id_len);
}
