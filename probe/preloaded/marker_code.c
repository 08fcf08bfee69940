// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marker_code.c -- search for functions that read return addresses, whose frames are never marked
 * (probe/core/marker.h).
 */
#include "config.h"
#include "probe/core/marker_code.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>

struct marker_code marker_code;

static const char *const readers[] = {
	"dlopen",
	"dlmopen",
	"dlsym",
	"dlvsym",
	"dladdr",
	"dladdr1",
	"dlinfo",
	"dlclose",
	"dl_iterate_phdr",
	"setjmp",
	"_setjmp",
	"__sigsetjmp",
	"getcontext",
	"setcontext",
	"swapcontext",
	"makecontext",
	"vfork",
	"mcount",
	"_mcount",
	"__fentry__",
	"__cyg_profile_func_enter",
	"__cyg_profile_func_exit",
	"backtrace",
};

static void add_range(uint64_t start, uint64_t end)
{
	if (marker_code.nr == MARKER_CODE_RANGES)
		return;
	marker_code.ranges[marker_code.nr].start = start;
	marker_code.ranges[marker_code.nr++].end = end;
}

/* Find the function @name in the C library, even if another module replaces it, and add it to the
 * functions whose frames are never marked. */
static void add_function(void *libc, const char *name)
{
	void *own = libc ? dlsym(libc, name) : NULL, *at = own ? own : dlsym(RTLD_NEXT, name);
	const ElfW(Sym) *symbol;
	Dl_info info;

	if (at && dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol && symbol->st_size)
		add_range((uintptr_t)info.dli_saddr, (uintptr_t)info.dli_saddr + symbol->st_size);
}

static void add_object(const void *at)
{
	struct dl_find_object found;

	if (at && !_dl_find_object((void *)at, &found))
		add_range((uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end);
}

/* Symbols that the main program imports. They come first in the program's symbol table, and are
 * not in its hash table. */
struct imports {
	const ElfW(Sym) *symbols;
	const char *strings;
	uint32_t nr;
};

static bool find_imports(struct imports *ret)
{
	const struct link_map *map = dlopen(NULL, RTLD_LAZY);
	const uint32_t *hash = NULL;

	*ret = (struct imports){ 0 };
	for (const ElfW(Dyn) *d = map ? map->l_ld : NULL; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			ret->symbols = (const void *)d->d_un.d_ptr;
		if (d->d_tag == DT_STRTAB)
			ret->strings = (const void *)d->d_un.d_ptr;
		if (d->d_tag == DT_GNU_HASH)
			hash = (const void *)d->d_un.d_ptr;
	}
	if (!hash || !ret->symbols || !ret->strings)
		return false;
	ret->nr = hash[1];
	return true;
}

static bool has_import(const struct imports *imports, const char *name)
{
	for (uint32_t i = 0; i < imports->nr; i++)
		if (!__builtin_strcmp(imports->strings + imports->symbols[i].st_name, name))
			return true;
	return false;
}

/* Return whether the program may contain an unwinder: libgcc's unwinder, if linked into the
 * program, imports one of these functions to find modules. Also return true if the imports cannot
 * be read. */
static bool unwinds_itself(void)
{
	struct imports imports;

	if (!find_imports(&imports))
		return true;
	return (has_import(&imports, "_dl_find_object") ||
		has_import(&imports, "dl_iterate_phdr")) &&
	       !has_import(&imports, "_Unwind_Resume") &&
	       !has_import(&imports, "_Unwind_RaiseException");
}

int marker_code_find(void)
{
	const void *wraps = dlsym(RTLD_DEFAULT, "opprobe_marker_library");
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), *unwinder;

	if (!wraps || dlsym(RTLD_DEFAULT, "__gmon_start__") || unwinds_itself())
		return -EPERM;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		add_function(libc, readers[i]);
	/* Load the unwinder's library now. Otherwise the C library would load it later, when it
	 * first needs the unwinder. */
	unwinder = dlopen("libgcc_s.so.1", RTLD_LAZY);
	add_object(unwinder ? dlsym(unwinder, "_Unwind_Backtrace") : NULL);
	add_object(wraps);
	add_object((const void *)getauxval(AT_BASE));
	add_object((const void *)getauxval(AT_SYSINFO_EHDR));
	return 0;
}
