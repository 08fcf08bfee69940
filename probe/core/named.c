// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * named.c -- search of loaded modules for code that the user named as unsafe to sample, by function
 * or file.
 *
 * If the file of a module is truncated during the search, the kernel kills the process. This is no
 * additional risk, because the process has mapped the same file as code.
 */
#include "config.h"
#include "probe/core/named.h"

#include <link.h>

#include "probe/base/fd.h"
#include "probe/base/text.h"
#include "probe/linux/calls.h"

/* The file of a module, mapped for reading. */
struct file {
	const unsigned char *data;
	uint64_t size;
};

static bool is_file(const char *path, const char *name)
{
	const char *last = path;

	for (const char *c = path; *c; c++)
		if (*c == '/')
			last = c + 1;
	return !__builtin_strcmp(path, name) || !__builtin_strcmp(last, name);
}

static const void *part(const struct file *f, uint64_t at, uint64_t size)
{
	return at <= f->size && size <= f->size - at ? f->data + at : NULL;
}

static const ElfW(Shdr) *section(const struct file *f, const ElfW(Ehdr) *elf, uint32_t i)
{
	if (i >= elf->e_shnum || elf->e_shentsize != sizeof(ElfW(Shdr)))
		return NULL;
	return part(f, elf->e_shoff + (uint64_t)i * sizeof(ElfW(Shdr)), sizeof(ElfW(Shdr)));
}

/* Report to opprobe(1) that code with the user's name @i was found: set byte @i of a file that all
 * processes of the run share. */
static void mark_found(const struct named *named, uint32_t i)
{
	const struct raw_probe_words *words = named->words;
	char path[FD_PATH];
	struct text t;
	struct statx st;
	long fd;

	if (!*words->unsafe_met || !words->dir ||
	    __atomic_fetch_or(named->met, 1u << i, __ATOMIC_RELAXED) & 1u << i)
		return;
	text_init(&t, path, sizeof(path));
	text_add(&t, words->dir);
	text_add(&t, "/");
	text_add(&t, words->unsafe_met);
	fd = call_openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return;
	/* Write only to the regular file that opprobe has created, because another process may have
	 * replaced that file. */
	if (!call_fstat(fd, &st) && (st.stx_mode & 0170000) == 0100000 && st.stx_nlink == 1 &&
	    st.stx_size == RAW_PROBE_UNSAFE)
		call_pwrite(fd, "\1", 1, i);
	call_close(fd);
}

static bool is_named(const struct named *named, const char *name, uint64_t size)
{
	const struct raw_probe_words *words = named->words;

	for (uint32_t i = 0; i < words->nr_unsafe; i++) {
		uint64_t len = __builtin_strlen(words->unsafe[i]) + 1;

		if (len <= size && !__builtin_memcmp(name, words->unsafe[i], len)) {
			mark_found(named, i);
			return true;
		}
	}
	return false;
}

static void find_in(const struct named *named, const struct file *f, const ElfW(Ehdr) * elf,
		    const ElfW(Shdr) * table, uint64_t loaded_at)
{
	const ElfW(Shdr) *strings = section(f, elf, table->sh_link);
	const ElfW(Sym) *symbols = part(f, table->sh_offset, table->sh_size);
	const char *text = strings ? part(f, strings->sh_offset, strings->sh_size) : NULL;

	for (uint64_t i = 0; symbols && text && i < table->sh_size / sizeof(*symbols); i++) {
		const ElfW(Sym) *s = &symbols[i];
		uint64_t start = loaded_at + s->st_value;

		if ((s->st_info & 15) == STT_FUNC && s->st_shndx && s->st_size &&
		    s->st_name < strings->sh_size &&
		    is_named(named, text + s->st_name, strings->sh_size - s->st_name))
			unsafe_add(named->unsafe, start, start + s->st_size, UNSAFE_NAMED);
	}
}

static void find_functions(const struct named *named, const struct file *f, const void *loaded,
			   uint64_t loaded_at)
{
	const ElfW(Ehdr) *elf = part(f, 0, sizeof(*elf));
	const ElfW(Shdr) *s;

	/* Compare the ELF header in the file with the ELF header in memory. They differ (for
	 * example in e_shoff) if the file was rebuilt. */
	if (!elf || __builtin_memcmp(elf, loaded, sizeof(*elf)))
		return;
	for (uint32_t i = 0; (s = section(f, elf, i)); i++)
		if (s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM)
			find_in(named, f, elf, s, loaded_at);
}

static void find_in_file(const struct named *named, const char *path, uint64_t start,
			 uint64_t loaded_at)
{
	long fd = call_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), at;
	struct file f = { 0 };
	struct statx st;

	if (fd < 0)
		return;
	if (!call_fstat(fd, &st) && (st.stx_mode & 0170000) == 0100000 &&
	    st.stx_size >= sizeof(ElfW(Ehdr))) {
		at = call_mmap(st.stx_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (!call_failed(at)) {
			f = (struct file){ (const unsigned char *)at, st.stx_size };
			find_functions(named, &f, (const void *)(uintptr_t)start, loaded_at);
			call_munmap((void *)at, st.stx_size);
		}
	}
	call_close(fd);
}

void named_find(const struct named *named, const char *path, uint64_t start, uint64_t end,
		uint64_t loaded_at)
{
	for (uint32_t i = 0; i < named->words->nr_unsafe; i++)
		if (is_file(path, named->words->unsafe[i])) {
			mark_found(named, i);
			unsafe_add(named->unsafe, start, end, UNSAFE_NAMED);
			return;
		}
	if (named->words->nr_unsafe)
		find_in_file(named, path, start, loaded_at);
}
