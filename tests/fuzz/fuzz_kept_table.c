// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_kept_table.c -- fuzzes the reader of stored symbol tables: a table is refused, or read with
 * its symbols in order.
 * fuzz-libraries: -lz
 */
#include "config.h"

#include <sys/mman.h>
#include <unistd.h>

#include "pp/image/kept_table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pp_kept_table table;
	int fd = memfd_create("table", 0);
	uint64_t vma;

	fuzz_require(fd >= 0);
	fuzz_require(write(fd, data, size) == (ssize_t)size);
	lseek(fd, 0, SEEK_SET);
	if (!pp_kept_table_read(&table, fd)) {
		for (size_t i = 0; i < table.symtab.nr; i++) {
			const struct pp_symbol *s = &table.symtab.symbols[i];

			fuzz_require(s->end >= s->start && *s->name);
			fuzz_require(!i || s->start > s[-1].start);
			pp_symtab_lookup(&table.symtab, s->start);
		}
		pp_symtab_lookup(&table.symtab, UINT64_MAX);
		pp_elf_offset_to_vma(&table.elf, 0, &vma);
		pp_elf_offset_to_vma(&table.elf, UINT64_MAX, &vma);
		pp_kept_table_release(&table);
	}
	close(fd);
	return 0;
}
