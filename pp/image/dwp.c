// SPDX-License-Identifier: GPL-2.0-or-later
/* dwp.c -- index of a DWARF package, and strings of its units. */
#include "config.h"
#include "pp/image/dwp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_INDEX	(256u << 20)	/* bytes */
#define MAX_STRINGS	(2ull << 30)
#define MAX_UNPACKED	(2ull << 30)	/* bytes of uncompressed sections in memory */
#define MAX_COLUMNS	16

struct pp_dwp {
	struct pp_elf elf;
	char *index;			/* the section .debug_cu_index */
	/* version of DWARF; the number for GCC's extension of DWARF 4 is 2 */
	uint32_t version;
	uint32_t nr_columns, nr_units, nr_slots;
	const char *ids, *rows, *columns, *offsets, *sizes;	/* the tables of the index */
	char *strings;
	uint64_t strings_size;
	struct {
		/* uncompressed bytes; NULL: not compressed, or not needed yet */
		char *bytes;
		uint64_t size;
	} unpacked[PP_NR_DEBUG_SECTIONS];
	uint64_t room;			/* bytes left for further sections */
};

/* Return the section for the number at the head of a column, or -1 if views do not need the
 * section. */
static int section_of(uint32_t version, uint32_t number)
{
	switch (number) {
	case 1:
		return PP_DEBUG_INFO;
	case 3:
		return PP_DEBUG_ABBREV;
	case 4:
		return PP_DEBUG_LINE;
	case 6:
		return PP_DEBUG_STR_OFFSETS;
	case 8:
		return version >= 5 ? PP_DEBUG_RNGLISTS : -1;
	default:
		return -1;
	}
}

static uint32_t number_at(const struct pp_dwp *dwp, const char *table, size_t i)
{
	return pp_elf_get32(&dwp->elf, table + 4 * i);
}

static int read_section(char **ret, uint64_t *ret_size, const struct pp_elf *elf, const char *name,
			uint64_t max, const char **ret_missing)
{
	const struct pp_elf_section *section = pp_elf_section_by_name(elf, name);
	char old_name[32];

	snprintf(old_name, sizeof(old_name), ".z%s", name + 1);
	if (!section)
		section = pp_elf_section_by_name(elf, old_name);
	return section ? pp_debug_section_read(ret, ret_size, elf, section, max, ret_missing)
		       : -ENOEXEC;
}

/* Find the tables of the index and check that they are complete. */
static int read_index(struct pp_dwp *dwp, const char **ret_missing)
{
	uint64_t size, at = 16, cells;
	int err = read_section(&dwp->index, &size, &dwp->elf, ".debug_cu_index", MAX_INDEX,
			       ret_missing);

	if (err)
		return err;
	if (size < at)
		return -ENOEXEC;
	/* In DWARF 5 the version has two bytes, and two zero bytes follow. */
	dwp->version = pp_elf_get32(&dwp->elf, dwp->index);
	if (dwp->version != 2)
		dwp->version = pp_elf_get16(&dwp->elf, dwp->index);
	dwp->nr_columns = number_at(dwp, dwp->index, 1);
	dwp->nr_units = number_at(dwp, dwp->index, 2);
	dwp->nr_slots = number_at(dwp, dwp->index, 3);
	if ((dwp->version != 2 && dwp->version != 5) || dwp->nr_columns > MAX_COLUMNS ||
	    dwp->nr_slots & (dwp->nr_slots - 1))
		return -ENOEXEC;
	cells = (uint64_t)dwp->nr_units * dwp->nr_columns;
	if (at + 12ull * dwp->nr_slots + 4 * dwp->nr_columns + 8 * cells > size)
		return -ENOEXEC;
	dwp->ids = dwp->index + at;
	dwp->rows = dwp->ids + 8ull * dwp->nr_slots;
	dwp->columns = dwp->rows + 4ull * dwp->nr_slots;
	dwp->offsets = dwp->columns + 4 * dwp->nr_columns;
	dwp->sizes = dwp->offsets + 4 * cells;
	return 0;
}

int pp_dwp_open(struct pp_dwp **ret, int fd, const char **ret_missing)
{
	struct pp_dwp *dwp = calloc(1, sizeof(*dwp));
	int err;

	if (!dwp) {
		close(fd);
		return -ENOMEM;
	}
	err = pp_elf_read(&dwp->elf, fd);
	if (err) {
		free(dwp);
		close(fd);
		return err;
	}
	dwp->room = MAX_UNPACKED;
	err = read_index(dwp, ret_missing);
	if (!err)
		err = read_section(&dwp->strings, &dwp->strings_size, &dwp->elf, ".debug_str.dwo",
				   MAX_STRINGS, ret_missing);
	if (err) {
		pp_dwp_close(dwp);
		return err;
	}
	*ret = dwp;
	return 0;
}

void pp_dwp_close(struct pp_dwp *dwp)
{
	if (!dwp)
		return;
	close(dwp->elf.fd);
	pp_elf_release(&dwp->elf);
	free(dwp->index);
	free(dwp->strings);
	for (int i = 0; i < PP_NR_DEBUG_SECTIONS; i++)
		free(dwp->unpacked[i].bytes);
	free(dwp);
}

int pp_dwp_dup(const struct pp_dwp *dwp)
{
	int fd = fcntl(dwp->elf.fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/* Return the row of a unit, counted from 1, or 0 if the package does not have the unit. */
static uint32_t find_row(const struct pp_dwp *dwp, uint64_t unit_id)
{
	uint32_t mask = dwp->nr_slots - 1, step = ((unit_id >> 32) & mask) | 1, at = unit_id & mask;

	for (uint32_t i = 0; i < dwp->nr_slots; i++, at = (at + step) & mask) {
		uint32_t row = number_at(dwp, dwp->rows, at);

		if (!row)
			return 0;
		if (pp_elf_get64(&dwp->elf, dwp->ids + 8ull * at) == unit_id)
			return row <= dwp->nr_units ? row : 0;
	}
	return 0;
}

static void put32(const struct pp_dwp *dwp, char *to, uint32_t value)
{
	if (dwp->elf.swap)
		value = __builtin_bswap32(value);
	memcpy(to, &value, sizeof(value));
}

static const struct pp_elf_section *find_section(const struct pp_dwp *dwp, int number)
{
	for (size_t i = 0; i < dwp->elf.nr_sections; i++)
		if (pp_debug_section_number(dwp->elf.sections[i].name, true) == number)
			return &dwp->elf.sections[i];
	return NULL;
}

/* Unpack the section of a slice if it is compressed, and set the slice's bytes. Slices of other
 * sections are copied from the file. */
static int unpack_slice(struct pp_dwp *dwp, int number, struct pp_debug_slice *slice,
			const char **ret_missing)
{
	const struct pp_elf_section *section = find_section(dwp, number);
	int err;

	if (!section || !slice->size || !pp_debug_section_is_packed(section))
		return 0;
	if (!dwp->unpacked[number].bytes) {
		err = pp_debug_section_read(&dwp->unpacked[number].bytes,
					    &dwp->unpacked[number].size, &dwp->elf, section,
					    dwp->room, ret_missing);
		if (err)
			return err;
		dwp->room -= dwp->unpacked[number].size;
	}
	if (slice->offset > dwp->unpacked[number].size ||
	    slice->size > dwp->unpacked[number].size - slice->offset)
		return -ENOEXEC;
	slice->bytes = dwp->unpacked[number].bytes + slice->offset;
	return 0;
}

/* New table of strings for a unit: offsets, and the strings at the offsets. */
struct unit_strings {
	char *offsets, *strings;
};

/* Copy the strings that the unit refers to. Return -ENOEXEC if an offset is beyond the strings, or
 * if the copies would be larger than all strings. */
static int copy_strings(const struct pp_dwp *dwp, struct unit_strings *unit, size_t first,
			size_t size, uint64_t *ret_size)
{
	uint64_t total = 0, used = 0;

	for (size_t at = first; at + 4 <= size; at += 4) {
		uint64_t offset = pp_elf_get32(&dwp->elf, unit->offsets + at);

		if (offset >= dwp->strings_size)
			return -ENOEXEC;
		total += strlen(dwp->strings + offset) + 1;
		/* A package contains each string once. A damaged unit may refer to one long string
		 * many times. */
		if (total > dwp->strings_size + size)
			return -ENOEXEC;
	}
	unit->strings = malloc(total + 1);
	if (!unit->strings)
		return -ENOMEM;
	for (size_t at = first; at + 4 <= size; at += 4) {
		const char *text = dwp->strings + pp_elf_get32(&dwp->elf, unit->offsets + at);

		put32(dwp, unit->offsets + at, used);
		used += stpcpy(unit->strings + used, text) - (unit->strings + used) + 1;
	}
	*ret_size = used;
	return 0;
}

/* Replace the slices of strings by copies with the unit's strings only. */
static int slice_strings(const struct pp_dwp *dwp, struct pp_debug_slice *slices,
			 struct unit_strings *unit)
{
	const struct pp_elf_section *section = find_section(dwp, PP_DEBUG_STR_OFFSETS);
	struct pp_debug_slice *offsets = &slices[PP_DEBUG_STR_OFFSETS];
	size_t first = dwp->version >= 5 ? 8 : 0;	/* bytes of the head of the table */
	int err = 0;

	if (!offsets->bytes && (!section || offsets->offset > section->size ||
				offsets->size > section->size - offsets->offset))
		return -ENOEXEC;
	unit->offsets = malloc(offsets->size + 1);
	if (!unit->offsets)
		return -ENOMEM;
	if (offsets->bytes)
		memcpy(unit->offsets, offsets->bytes, offsets->size);
	else
		err = pp_elf_pread(&dwp->elf, unit->offsets, offsets->size,
				   section->offset + offsets->offset);
	/* Sections above 4 GB, which have offsets of eight bytes, are not supported. */
	if (!err && first &&
	    (offsets->size < first || pp_elf_get32(&dwp->elf, unit->offsets) == UINT32_MAX))
		err = -ENOEXEC;
	if (!err)
		err = copy_strings(dwp, unit, first, offsets->size, &slices[PP_DEBUG_STR].size);
	offsets->bytes = unit->offsets;
	slices[PP_DEBUG_STR].bytes = unit->strings;
	return err;
}

int pp_dwp_view(struct pp_debug_view *ret, struct pp_dwp *dwp, uint64_t unit_id,
		const char **ret_missing)
{
	struct pp_debug_slice slices[PP_NR_DEBUG_SECTIONS] = { 0 };
	struct unit_strings strings = { 0 };
	uint32_t row = find_row(dwp, unit_id);
	int err = 0;

	if (!row)
		return -ENOENT;
	for (uint32_t i = 0; i < dwp->nr_columns; i++) {
		int section = section_of(dwp->version, number_at(dwp, dwp->columns, i));
		size_t cell = (size_t)(row - 1) * dwp->nr_columns + i;

		if (section >= 0)
			slices[section] = (struct pp_debug_slice){
				.offset = number_at(dwp, dwp->offsets, cell),
				.size = number_at(dwp, dwp->sizes, cell),
			};
	}
	for (int i = 0; i < PP_NR_DEBUG_SECTIONS && !err; i++)
		err = unpack_slice(dwp, i, &slices[i], ret_missing);
	if (!err && slices[PP_DEBUG_STR_OFFSETS].size)
		err = slice_strings(dwp, slices, &strings);
	if (!err)
		err = pp_debug_view_make_split(ret, &dwp->elf, slices, ret_missing);
	free(strings.offsets);
	free(strings.strings);
	return err;
}
