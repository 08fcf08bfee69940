// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * imports.c -- redirecting the imports of a running program's modules to the probe's replacements
 * of functions.
 */
#include "config.h"
#include "probe/preloaded/imports.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "probe/arch/registers.h"
#include "probe/linux/calls.h"
#include "probe/preloaded/scope.h"

#define MAX		192	/* maximum number of functions to replace */
#define LIBRARIES	8

struct stand_in {
	const char *name;
	uint64_t own, real;
	/* Address of the real function as dlsym() returns it: the address of the function, or of a
	 * stub in the program that jumps to the function through an import of the program. */
	uint64_t seen;
};

/* The functions that the probe replaces. Global, because a process has one set of imports. */
static struct {
	/* the replacements, sorted by the names of the functions */
	struct stand_in all[MAX];
	uint32_t nr;
	/* load addresses of the libraries that contain the replacements */
	uint64_t libraries[LIBRARIES];
	uint32_t nr_libraries;
	bool is_taken;	/* a thread is using this struct, so others must not; atomic */
} imports;

/* An import of a module: a word with the address of a function of another module. */
struct import {
	uint64_t *slot;
	const struct stand_in *function;
	/* lazy binding: the dynamic loader may resolve the import only at the first call */
	bool may_wait;
};

static const struct stand_in *find(const char *name)
{
	uint32_t first = 0, behind = imports.nr;

	while (first < behind) {
		uint32_t middle = first + (behind - first) / 2;
		int order = __builtin_strcmp(name, imports.all[middle].name);

		if (!order)
			return &imports.all[middle];
		if (order < 0)
			behind = middle;
		else
			first = middle + 1;
	}
	return NULL;
}

static void add(const char *name, uint64_t own, uint64_t real)
{
	uint32_t i = imports.nr;

	if (i == MAX || find(name))
		return;
	for (; i && __builtin_strcmp(name, imports.all[i - 1].name) < 0; i--)
		imports.all[i] = imports.all[i - 1];
	imports.all[i] = (struct stand_in){ .name = name, .own = own, .real = real };
	imports.nr++;
}

/* Add each function that library @m exports, and that the program finds by the same name in
 * another module. */
static void add_all(const struct scope_module *m)
{
	uint32_t last = scope_module_last(m);

	for (uint32_t i = scope_module_first(m); i <= last; i++) {
		const char *name;
		const ElfW(Sym) *s = scope_module_export(m, i, &name);
		uint64_t own = s ? m->base + s->st_value : 0, real = s ? scope_find(name) : 0;

		if (real && real != own)
			add(name, own, real);
	}
	imports.libraries[imports.nr_libraries++] = m->base;
}

static bool is_ours(uint64_t base)
{
	for (uint32_t i = 0; i < imports.nr_libraries; i++)
		if (imports.libraries[i] == base)
			return true;
	return false;
}

static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
	struct scope_module m;
	uint64_t own = (uintptr_t)data;

	(void)size;
	if (scope_module_read(&m, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum) &&
	    own >= m.start && own < m.end && !is_ours(m.base) && imports.nr_libraries < LIBRARIES)
		add_all(&m);
	return 0;
}

void imports_add(const void *own)
{
	if (!scope_is_late(own))
		return;
	dl_iterate_phdr(add_library, (void *)(uintptr_t)own);
	/*
	 * Do not call dlsym() in dl_iterate_phdr(), which holds the lock of the list of modules:
	 * another thread that loads a module may hold the lock that dlsym() needs, and wait for the
	 * lock of the list.
	 */
	for (uint32_t i = 0; i < imports.nr; i++)
		imports.all[i].seen = (uintptr_t)dlsym(RTLD_DEFAULT, imports.all[i].name);
}

/* Read import @i of module @m. @i is an index over both relocation tables. Return 1 if the probe
 * replaces the imported function, 0 if not, and -1 after the last import. */
static int read_import(struct import *ret, const struct scope_module *m, size_t i)
{
	const size_t entry = m->has_addends ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel)),
		     nr = m->sizes[0] / entry;
	const bool is_second = !m->relocations[0] || i >= nr;
	const size_t place = is_second && m->relocations[0] ? i - nr : i;
	const ElfW(Rel) *r;
	const ElfW(Sym) *s;
	uint64_t type, symbol;

	if (is_second && (!m->relocations[1] || place >= m->sizes[1] / entry))
		return -1;
	/* ElfW(Rela) begins with the fields of ElfW(Rel). */
	r = (const void *)(m->relocations[is_second] + place * entry);
	type = sizeof(r->r_info) == 8 ? r->r_info & 0xffffffff : r->r_info & 0xff;
	symbol = sizeof(r->r_info) == 8 ? (uint64_t)r->r_info >> 32 : r->r_info >> 8;
	if (!ARCH_JUMP_SLOT || (type != ARCH_JUMP_SLOT && type != ARCH_GLOB_DAT) || !symbol)
		return 0;
	s = &m->symbols[symbol];
	*ret = (struct import){
		.slot = (uint64_t *)(uintptr_t)(m->base + r->r_offset),
		.function = find(m->strings + s->st_name),
		.may_wait = type == ARCH_JUMP_SLOT && s->st_shndx == SHN_UNDEF,
	};
	return ret->function != NULL;
}

static size_t first_import(const struct scope_module *m)
{
	return m->relocations[0] ? m->relative : 0;
}

static uintptr_t value(const struct import *import)
{
	return __atomic_load_n((const uintptr_t *)import->slot, __ATOMIC_RELAXED);
}

/* Return whether the dynamic loader will resolve the import at the first call (lazy binding), and
 * has not resolved it yet. */
static bool waits(const struct scope_module *m, const struct import *import)
{
	return import->may_wait && value(import) >= m->start && value(import) < m->end;
}

static bool is_elsewhere(const struct scope_module *m, const struct import *import)
{
	uintptr_t at = value(import);

	return at && at != import->function->real && at != import->function->seen &&
	       at != import->function->own && !waits(m, import);
}

/* Return whether each import of the module @m has the address of the function that the program
 * finds by the import's name. */
static bool agrees(const struct scope_module *m)
{
	struct import import;
	int found;

	if (m->is_symbolic)
		return false;
	for (size_t i = first_import(m); (found = read_import(&import, m, i)) >= 0; i++)
		if (found && is_elsewhere(m, &import))
			return false;
	return true;
}

static void set(const struct scope_module *m, const struct import *import, uint64_t to,
		bool *is_open)
{
	uint64_t slot = (uintptr_t)import->slot;

	/* The word @slot may be in the part of the module that is read-only after relocation. Make
	 * this part writable, unless it is writable because another thread is relocating the
	 * module. */
	if (slot >= m->readonly && slot < m->readonly_end && !*is_open &&
	    !call_may_write((uint32_t *)import->slot)) {
		if (call_mprotect((void *)(uintptr_t)m->readonly, m->readonly_end - m->readonly,
				  PROT_READ | PROT_WRITE))
			return;
		*is_open = true;
	}
	__atomic_store_n((uintptr_t *)import->slot, to, __ATOMIC_RELEASE);
}

static void change(const struct scope_module *m, bool takes)
{
	bool is_open = false;
	struct import import;
	int found;

	if (is_ours(m->base) || (takes && !agrees(m)))
		return;
	for (size_t i = first_import(m); (found = read_import(&import, m, i)) >= 0; i++) {
		if (!found)
			continue;
		if (takes && (value(&import) == import.function->real || waits(m, &import)))
			set(m, &import, import.function->own, &is_open);
		else if (!takes && value(&import) == import.function->own)
			set(m, &import, import.function->real, &is_open);
	}
	if (is_open)
		call_mprotect((void *)(uintptr_t)m->readonly, m->readonly_end - m->readonly,
			      PROT_READ);
}

static int change_one(struct dl_phdr_info *info, size_t size, void *takes)
{
	struct scope_module m;

	(void)size;
	if (scope_module_read(&m, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum))
		change(&m, takes);
	return 0;
}

void imports_redirect(void)
{
	if (!imports.nr)
		return;
	__atomic_store_n(&imports.is_taken, true, __ATOMIC_RELEASE);
	dl_iterate_phdr(change_one, &imports);
}

void imports_restore(void)
{
	if (__atomic_exchange_n(&imports.is_taken, false, __ATOMIC_SEQ_CST))
		dl_iterate_phdr(change_one, NULL);
}

void imports_module_loaded(uint64_t base, const ElfW(Phdr) *headers, size_t nr)
{
	struct scope_module m;

	if (__atomic_load_n(&imports.is_taken, __ATOMIC_ACQUIRE) &&
	    scope_module_read(&m, base, headers, nr))
		change(&m, true);
}
