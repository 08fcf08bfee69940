// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_elf.c -- fuzzes the ELF reader: symbols and PLT stubs of a binary are read or refused. Looking up the
 * first address that only one symbol contains must find this symbol or one inside it.
 *
 * fuzz-libraries: -lbfd -liberty -ldw -lelf -lz
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"
#include "pp/image/plt.h"
#include "pp/image/plt_x86_64.h"
#include "tests/fuzz/fuzz.h"

static void look_up(const struct pp_symtab *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct pp_symbol *s = &t->symbols[i];
		uint32_t found = pp_symtab_lookup(t, s->start);

		fuzz_require(s->end >= s->start);
		if (s->end > s->start)
			fuzz_require(found != PP_NO_SYMBOL && t->symbols[found].start <= s->start);
		pp_symtab_lookup(t, s->end);
	}
	pp_symtab_lookup(t, 0);
	pp_symtab_lookup(t, UINT64_MAX);
}

static void read_stubs(const struct pp_elf *elf)
{
	struct pp_symbol *stubs;
	uint64_t start, end;
	char *names;
	size_t nr;

	if (!pp_plt_is_x86_64(elf) || pp_plt_x86_64_read(&stubs, &nr, &names, elf))
		return;
	pp_plt_bounds(elf, &start, &end);
	for (size_t i = 0; i < nr; i++) {
		fuzz_require(stubs[i].start >= start && stubs[i].start < stubs[i].limit &&
			     stubs[i].limit <= end);
		fuzz_require(strlen(stubs[i].name) >= strlen("@plt"));
	}
	free(stubs);
	free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pp_elf_symtab symtab;
	struct pp_elf elf;
	uint64_t vma;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	fuzz_require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (!pp_elf_read(&elf, fd)) {
		free(pp_elf_build_id(&elf));
		for (uint64_t offset = 0; offset < size; offset += 64)
			pp_elf_offset_to_vma(&elf, offset, &vma);
		if (!pp_elf_symtab_read_open(&symtab, &elf, -1)) {
			look_up(&symtab.symtab);
			pp_elf_symtab_release(&symtab);
		}
		read_stubs(&elf);
		pp_elf_release(&elf);
	}
	close(fd);
	return 0;
}
