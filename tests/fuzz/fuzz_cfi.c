// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_cfi.c -- fuzzes libcfi with arbitrary bytes: as an ELF file if they begin like one,
 * otherwise as call frame information, whose first byte selects machine and format. A generated
 * table must be valid, and the row that is found for an address must be one of the rows that cover
 * it.
 */
#include "config.h"

#include <sys/mman.h>

#include "libcfi/table.h"
#include "tests/fuzz/fuzz.h"

/* limit of look-ups, because each cfi_row_at() reads all entries */
#define MAX_QUESTIONS	16

struct seen {
	const struct cfi_section *section;
	unsigned int rows;
	__u64 end;
};

static int check_row(void *data, const struct cfi_row *row)
{
	struct seen *seen = data;
	struct cfi_row found;

	fuzz_require(row->from < row->to);
	fuzz_require(oprofile_uw_rule_sound(&row->rule, seen->section->machine));
	/* If functions overlap, cfi_row_at() may return the row of the first function. */
	if (seen->rows++ < MAX_QUESTIONS && !cfi_row_at(seen->section, row->to - 1, &found))
		fuzz_require(row->to - 1 >= found.from && row->to - 1 < found.to);
	seen->end = row->to;
	return 0;
}

static void as_section(const uint8_t *data, size_t size)
{
	struct cfi_section section = { .data = data + 1, .size = size - 1, .machine = 1 + data[0] % 3,
				       .form = data[0] >> 4 & 1, .address = data[0] >> 5 };
	struct seen seen = { .section = &section };

	cfi_compile(&section, check_row, &seen);
}

static void as_file(const uint8_t *data, size_t size)
{
	struct oprofile_uw_table *table;
	__u32 unsupported;
	struct cfi_elf elf;
	__u64 room;

	if (cfi_elf_open(&elf, data, size))
		return;
	room = cfi_table_room(&elf);
	fuzz_require(room < 256U << 20);
	table = mmap(NULL, room + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	fuzz_require(table != MAP_FAILED);
	if (!cfi_table_make(&elf, table, room, &unsupported)) {
		fuzz_require(!oprofile_uw_check(table, oprofile_uw_table_size(table)));
		fuzz_require(unsupported <= table->nr_rows);
		for (unsigned int i = 0; i < 1000; i++)
			oprofile_uw_lookup(table, table->start + i * (table->length / 1000 + 1));
	}
	munmap(table, room + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 4 && !memcmp(data, "\177ELF", 4))
		as_file(data, size);
	else if (size)
		as_section(data, size);
	return 0;
}
