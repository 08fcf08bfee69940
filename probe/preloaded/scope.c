// SPDX-License-Identifier: GPL-2.0-or-later
/* scope.c -- symbols of loaded modules, and lookup of the real functions that the probe
 * replaces. */
#include "config.h"
#include "probe/preloaded/scope.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/auxv.h>

#include "probe/wrap/calls.h"
#include "probe/wrap/real.h"

/* A callback returns this value to continue dl_iterate_phdr(). */
#define GO_ON		0
#define DONE		1
#define VERSION_HIDDEN	0x8000
#define PAGE		((uint64_t)getauxval(AT_PAGESZ))

/* Return the address that the @value of an entry in the dynamic section means. Some dynamic loaders
 * relocate these values in memory, others do not. */
static const void *at(const struct scope_module *m, uint64_t value)
{
	return (const void *)(uintptr_t)(value < m->base ? m->base + value : value);
}

static void read_entry(struct scope_module *m, const ElfW(Dyn) *d)
{
	switch (d->d_tag) {
	case DT_SYMTAB:
		m->symbols = at(m, d->d_un.d_ptr);
		break;
	case DT_STRTAB:
		m->strings = at(m, d->d_un.d_ptr);
		break;
	case DT_GNU_HASH:
		m->hash = at(m, d->d_un.d_ptr);
		break;
	case DT_VERSYM:
		m->versions = at(m, d->d_un.d_ptr);
		break;
	case DT_RELA:
	case DT_REL:
		m->relocations[0] = at(m, d->d_un.d_ptr);
		m->has_addends = d->d_tag == DT_RELA;
		break;
	case DT_RELASZ:
	case DT_RELSZ:
		m->sizes[0] = d->d_un.d_val;
		break;
	case DT_RELACOUNT:
	case DT_RELCOUNT:
		m->relative = d->d_un.d_val;
		break;
	case DT_JMPREL:
		m->relocations[1] = at(m, d->d_un.d_ptr);
		break;
	case DT_PLTRELSZ:
		m->sizes[1] = d->d_un.d_val;
		break;
	case DT_PLTREL:
		m->has_addends = d->d_un.d_val == DT_RELA;
		break;
	case DT_SYMBOLIC:
		m->is_symbolic = true;
		break;
	case DT_FLAGS:
		m->is_symbolic |= (d->d_un.d_val & DF_SYMBOLIC) != 0;
		break;
	}
}

bool scope_module_read(struct scope_module *ret, uint64_t base, const ElfW(Phdr) * headers,
		       size_t nr)
{
	struct scope_module m = { .base = base, .start = UINT64_MAX };
	const ElfW(Dyn) *d = NULL;

	if (base && (base == getauxval(AT_BASE) || base == getauxval(AT_SYSINFO_EHDR)))
		return false;
	for (size_t i = 0; i < nr; i++) {
		uint64_t start = base + headers[i].p_vaddr, end = start + headers[i].p_memsz;

		if (headers[i].p_type == PT_DYNAMIC)
			d = (const void *)(uintptr_t)start;
		if (headers[i].p_type == PT_GNU_RELRO) {
			m.readonly = start & ~(PAGE - 1);
			m.readonly_end = end & ~(PAGE - 1);
		}
		if (headers[i].p_type == PT_LOAD) {
			m.start = start < m.start ? start : m.start;
			m.end = end > m.end ? end : m.end;
		}
	}
	for (; d && d->d_tag != DT_NULL; d++)
		read_entry(&m, d);
	if (!m.symbols || !m.strings)
		return false;
	*ret = m;
	return true;
}

/*
 * Return the buckets of a GNU hash table. The table begins with four words: number of buckets,
 * index of the first symbol, size and shift of the filter; then the filter, the buckets, and a hash
 * for each symbol, whose lowest bit marks the end of a bucket.
 */
static const uint32_t *buckets(const struct scope_module *m)
{
	return m->hash + 4 + m->hash[2] * (sizeof(ElfW(Addr)) / 4);
}

static const uint32_t *chain(const struct scope_module *m, uint32_t i)
{
	return buckets(m) + m->hash[0] + (i - m->hash[1]);
}

uint32_t scope_module_first(const struct scope_module *m)
{
	return m->hash ? m->hash[1] : 1;
}

uint32_t scope_module_last(const struct scope_module *m)
{
	uint32_t last = 0;

	for (uint32_t i = 0; m->hash && i < m->hash[0]; i++)
		last = buckets(m)[i] > last ? buckets(m)[i] : last;
	while (last && !(*chain(m, last) & 1))
		last++;
	return last;
}

const ElfW(Sym) *scope_module_export(const struct scope_module *m, uint32_t i, const char **name)
{
	const ElfW(Sym) *s = &m->symbols[i];
	unsigned int type = s->st_info & 15;

	if (s->st_shndx == SHN_UNDEF || !s->st_value ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC) ||
	    (m->versions && (m->versions[i] & VERSION_HIDDEN)))
		return NULL;
	*name = m->strings + s->st_name;
	return s;
}

static uint64_t find_in(const struct scope_module *m, const char *name)
{
	uint32_t hash = 5381, i;
	const char *other;

	if (!m->hash || !m->hash[0])
		return 0;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	i = buckets(m)[hash % m->hash[0]];
	for (; i; i = *chain(m, i) & 1 ? 0 : i + 1) {
		const ElfW(Sym) *s =
			(*chain(m, i) ^ hash) >> 1 ? NULL : scope_module_export(m, i, &other);

		if (s && (s->st_info & 15) == STT_FUNC && !__builtin_strcmp(name, other))
			return m->base + s->st_value;
	}
	return 0;
}

struct search {
	const char *name;
	uint64_t found;
};

static int find_name(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	struct scope_module m;

	(void)size;
	if (scope_module_read(&m, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum))
		s->found = find_in(&m, s->name);
	return s->found ? DONE : GO_ON;
}

uint64_t scope_find(const char *name)
{
	struct search s = { .name = name };

	dl_iterate_phdr(find_name, &s);
	return s.found;
}

struct order {
	uint64_t own, libc;
	bool is_late;
};

static bool is_in(const struct dl_phdr_info *info, uint64_t at)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    at - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

/* Callback of dl_iterate_phdr(): find out whether the C library or the library @data->own comes
 * first in the list of modules. */
static int find_first(struct dl_phdr_info *info, size_t size, void *data)
{
	struct order *order = data;

	(void)size;
	order->is_late = is_in(info, order->libc);
	return order->is_late || is_in(info, order->own) ? DONE : GO_ON;
}

bool scope_is_late(const void *own)
{
	struct order order = { .own = (uintptr_t)own, .libc = (uintptr_t)gnu_get_libc_version };

	dl_iterate_phdr(find_first, &order);
	return order.is_late;
}

__attribute__((visibility("default"))) void *opprobe_real(const char *name, const void *own)
{
	return scope_is_late(own) ? (void *)(uintptr_t)scope_find(name) : NULL;
}

void *real_function(const char *name)
{
	void *real = opprobe_real(name, (const void *)(uintptr_t)scope_is_late);

	return real ? real : dlsym(RTLD_NEXT, name);
}
