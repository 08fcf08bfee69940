// SPDX-License-Identifier: GPL-2.0-or-later
/* lines.c -- lookup of an address's compilation unit, line and functions. */
#include "config.h"
#include "pp/image/lines.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "pp/image/debug_view.h"
#include "pp/image/inlines.h"
#include "pp/image/line_table.h"
#include "pp/image/split.h"

/*
 * Split parts of compilation units, for libdw.
 *
 * libdw finds split units by itself: it opens the path in the program without any check, and does
 * not support packages. No function of its interface accepts an open file. So while libdw searches
 * a split unit, this code replaces the path in the view (the copy of the debug data) by
 * "/proc/self/fd/N", a descriptor that it opened and checked.
 */

#define ROOM	32	/* size of a buffer for "/proc/self/fd/N" */

static const char *string_of(Dwarf_Die *die, unsigned int name, unsigned int old_name)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, name, &attr) && (!old_name || !dwarf_attr(die, old_name, &attr)))
		return NULL;
	return dwarf_formstring(&attr);
}

/* If @skeleton is the skeleton of a split unit in another file, set *@ret to the unit's name,
 * directory and id, and return true. The strings are in the view. */
static bool split_unit_of(struct pp_split_unit *ret, Dwarf_Die *skeleton)
{
	struct pp_split_unit unit = { 0 };
	uint8_t type;

	if (dwarf_cu_info(skeleton->cu, NULL, &type, NULL, NULL, &unit.id, NULL, NULL) ||
	    type != DW_UT_skeleton)
		return false;
	unit.name = string_of(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	unit.dir = string_of(skeleton, DW_AT_comp_dir, 0);
	if (!unit.name || !*unit.name)
		return false;
	*ret = unit;
	return true;
}

/* Return whether the file name in the view may be overwritten by "/proc/self/fd/N". If the new path
 * is longer, it also overwrites the bytes after the name, while libdw reads other attributes. So
 * the name must not be among the attributes in .debug_info. */
static bool may_overwrite(Dwarf_Die *skeleton, const struct pp_debug_view *view, const char *name)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(skeleton, DW_AT_dwo_name, &attr) &&
	    !dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attr))
		return false;
	return dwarf_whatform(&attr) != DW_FORM_string && name >= view->bytes &&
	       name < view->bytes + view->size && (size_t)(view->bytes + view->size - name) >= ROOM;
}

static bool link_file(Dwarf_Die *ret, Dwarf_Die *skeleton, char *name, int fd)
{
	Dwarf_Die die = { 0 };
	char before[ROOM];
	int err;

	memcpy(before, name, ROOM);
	snprintf(name, ROOM, "/proc/self/fd/%d", fd);
	err = dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, &die, NULL, NULL, NULL);
	memcpy(name, before, ROOM);
	if (err || !die.addr)
		return false;
	*ret = die;
	return true;
}

/*
 * Set *@ret to the split unit of @skeleton, a unit in @view. *@ret is valid while the view's Dwarf
 * is open. Return false, after a warning, if the split unit's file is missing or unusable.
 */
static bool split_unit_link(Dwarf_Die *ret, Dwarf_Die *skeleton, const struct pp_debug_view *view,
			    struct pp_split *split)
{
	struct pp_split_unit unit;
	bool is_linked;
	int fd;

	if (!split_unit_of(&unit, skeleton) || !may_overwrite(skeleton, view, unit.name))
		return false;
	fd = pp_split_open(split, &unit);
	if (fd < 0)
		return false;
	is_linked = link_file(ret, skeleton, view->bytes + (unit.name - view->bytes), fd);
	close(fd);
	if (!is_linked)
		pp_split_refuse(split, &unit);
	return is_linked;
}

/* Lookup of the compilation unit that contains a code address. */

struct pp_unit_range {
	uint64_t start, end;
	uint32_t unit;
};

struct pp_unit_ranges { /* Address ranges of units. A zeroed struct is empty. */
	/* address ranges of compilation units, sorted by start address after unit_ranges_sort() */
	struct pp_unit_range *items;
	size_t nr;
	/* index of the range that the last lookup found, because the next lookup is often near */
	uint32_t last;
};

#define PP_NO_UNIT	UINT32_MAX

#define MAX_BACK	64	/* maximum number of address ranges that a lookup examines */

/* Add an address range to @ranges. Return 0 or -ENOMEM. */
static int unit_ranges_add(struct pp_unit_ranges *ranges, uint64_t start, uint64_t end,
			   uint32_t unit)
{
	if (op_grow(&ranges->items, ranges->nr))
		return -ENOMEM;
	ranges->items[ranges->nr++] = (struct pp_unit_range){ start, end, unit };
	return 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct pp_unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

/* Sort @ranges. Call this after the last unit_ranges_add() and before the first
 * unit_ranges_find(). */
static void unit_ranges_sort(struct pp_unit_ranges *ranges)
{
	if (ranges->nr)
		qsort(ranges->items, ranges->nr, sizeof(*ranges->items), compare_ranges);
}

static bool holds(const struct pp_unit_range *range, uint64_t vma)
{
	return vma >= range->start && vma < range->end;
}

/* Return the compilation unit whose range contains @vma, or PP_NO_UNIT. If ranges overlap, return
 * the unit of the range with the highest start. */
static uint32_t unit_ranges_find(struct pp_unit_ranges *ranges, uint64_t vma)
{
	const struct pp_unit_range *items = ranges->items;
	size_t above, last = ranges->last;

	if (last < ranges->nr && holds(&items[last], vma) &&
	    (last + 1 == ranges->nr || items[last + 1].start > vma))
		return items[last].unit;
	above = op_partition_point(i, ranges->nr, items[i].start <= vma);
	for (size_t back = 0; above && back < MAX_BACK; above--, back++) {
		if (!holds(&items[above - 1], vma))
			continue;
		ranges->last = above - 1;
		return items[above - 1].unit;
	}
	return PP_NO_UNIT;
}

/* Free the contents of @ranges, which may be zeroed. */
static void unit_ranges_release(struct pp_unit_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct pp_unit_ranges){ 0 };
}

#define MAX_UNITS	(4u << 20)
/* maximum number of address ranges of all units and functions */
#define MAX_RANGES	(64u << 20)
/* maximum number of DIEs (debugging entries) to read; a DIE that is read twice counts twice */
#define MAX_DIES	(400u << 20)
/* maximum number of rows in one unit's line table; libdw needs 140 bytes for each row while it
 * reads the table */
#define MAX_UNIT_ROWS	(8u << 20)
/* maximum number of rows in the line tables of all units; libdw keeps 48 bytes per row */
#define MAX_ALL_ROWS	(64u << 20)
/* maximum number of line-table rows that are read only to find the addresses of units */
#define MAX_ROWS	(8u << 20)
/* maximum size of the names of all source files, in bytes */
#define MAX_NAMES	(512u << 20)
/* maximum size of all line tables that are measured, in bytes; a table counts once for each unit
 * that uses it */
#define MAX_TABLES	(4ull << 30)
/* maximum size of .debug_aranges, in bytes; libdw uses six times as much memory */
#define MAX_ARANGES	(128u << 20)
/* maximum number of line-table rows with the same address that a lookup examines */
#define MAX_SAME	4096

/* A relative file name from libdw, and the same name with the unit's directory prepended. */
struct joined {
	const char *name;
	char *path;
};

struct unit {
	Dwarf_Die die;
	int version;
	const char *dir; /* directory in which the unit was compiled, if absolute; else NULL */
	/* file names of libdw, sorted by the address .name, not by its text */
	struct joined *joined;
	size_t nr_joined;
	/* .has_lines: the rows of the line table were read. .has_functions: the functions were
	 * read, successfully or not. */
	bool has_lines, has_functions;
	/* .is_measured: the line table was measured; .fits: libdw may read it */
	bool is_measured, fits;
	/* the unit's DIE, or .debug_aranges, contains the address ranges of the unit */
	bool has_ranges;
	Dwarf_Lines *rows;
	size_t nr_rows;
	struct pp_functions functions;
};

struct file {		/* a view, and the handles of libelf and libdw for it */
	struct pp_debug_view view;
	Elf *elf;
	Dwarf *dwarf;
};

struct code {		/* A code section, or several adjacent code sections. */
	uint64_t start, end;
};

/* Sources of the addresses of units, best first. A source is used only for addresses that the
 * previous sources do not cover. */
enum level {
	/* DW_AT_ranges and the like of the unit. Compilers may omit it, and tools that edit
	 * binaries may not update it. */
	BY_UNIT,
	BY_ARANGES,	/* .debug_aranges, which clang does not write */
	/* sequences of the line tables: slow, because all line tables have to be read */
	BY_SEQUENCES,
	NR_LEVELS
};

struct pp_lines {
	struct file main, alt;
	struct pp_split *split;	/* finds split units; NULL: the file has no split units */
	/* code sections, sorted by start address; overlapping sections are joined */
	struct code *code;
	size_t nr_code;
	struct unit *units;	/* compilation units in the order of the file */
	size_t nr_units;
	struct pp_unit_ranges ranges[NR_LEVELS];
	/* the last source of addresses that was read into .ranges, an element of enum level */
	enum level known;
	struct pp_budget budget;
	/* maximum number of rows, and of bytes of names, in the line tables that may still be
	 * read */
	struct pp_line_table room;
	/* total size, in bytes, of the line tables that may still be measured */
	uint64_t table_room;
	const char *path;
	struct pp_log *log;
	bool has_warned;
};

static void file_close(struct file *file)
{
	dwarf_end(file->dwarf);
	elf_end(file->elf);
	pp_debug_view_release(&file->view);
}

static int file_open(struct file *ret, const struct pp_elf *elf,
		     const struct pp_section_bases *bases, const char **ret_missing)
{
	struct file file = { 0 };
	int err = pp_debug_view_make(&file.view, elf, bases, ret_missing);

	if (err)
		return err;
	file.elf = elf_memory(file.view.bytes, file.view.size);
	file.dwarf = file.elf ? dwarf_begin_elf(file.elf, DWARF_C_READ, NULL) : NULL;
	if (!file.dwarf) {
		file_close(&file);
		return -ENOEXEC;
	}
	*ret = file;
	return 0;
}

static int compare_code(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Sort the code sections, and join overlapping sections. */
static void join_code(struct pp_lines *lines)
{
	struct code *code = lines->code;
	size_t nr = 0;

	if (lines->nr_code)
		qsort(code, lines->nr_code, sizeof(*code), compare_code);
	for (size_t i = 0; i < lines->nr_code; i++) {
		if (!nr || code[i].start > code[nr - 1].end)
			code[nr++] = code[i];
		else if (code[i].end > code[nr - 1].end)
			code[nr - 1].end = code[i].end;
	}
	lines->nr_code = nr;
}

static int find_code(struct pp_lines *lines, const struct pp_lines_options *options)
{
	const struct pp_elf *elf = options->debug;
	const struct pp_section_bases *bases = options->bases;

	for (size_t i = 0; i < elf->nr_sections; i++) {
		const struct pp_elf_section *s = &elf->sections[i];
		uint64_t addr = bases && i < bases->nr ? bases->bases[i] : s->addr;

		if ((s->flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR))
			continue;
		if (op_grow(&lines->code, lines->nr_code))
			return -ENOMEM;
		lines->code[lines->nr_code++] = (struct code){
			addr, s->size < UINT64_MAX - addr ? addr + s->size : UINT64_MAX};
	}
	join_code(lines);
	return 0;
}

/* Return whether a code section contains @start. Functions that the linker removed have ranges at
 * or near 0. */
static bool is_code(const struct pp_lines *lines, uint64_t start)
{
	size_t above = op_partition_point(i, lines->nr_code, lines->code[i].start <= start);

	return above && start < lines->code[above - 1].end;
}

/* Add an address range of @unit, unless the range has no code or the limit of ranges is reached. */
static int add_range(struct pp_lines *lines, enum level level, uint32_t unit, uint64_t start,
		     uint64_t end)
{
	if (!lines->budget.ranges)
		return 0;
	lines->budget.ranges--;
	if (start >= end || !is_code(lines, start))
		return 0;
	if (level != BY_SEQUENCES)
		lines->units[unit].has_ranges = true;
	return unit_ranges_add(&lines->ranges[level], start, end, unit);
}

static int add_unit(struct pp_lines *lines, Dwarf_Die *die, int version)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	if (op_grow(&lines->units, lines->nr_units))
		return -ENOMEM;
	lines->units[lines->nr_units++] = (struct unit){ .die = *die, .version = version };
	while (!err && lines->budget.ranges &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		err = add_range(lines, BY_UNIT, lines->nr_units - 1, start, end);
	return err;
}

static int find_units(struct pp_lines *lines)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die die;
	uint8_t type;
	int err = 0;

	/* If the list of units is damaged, use only the units before the damage. */
	while (!err && lines->nr_units < MAX_UNITS &&
	       !dwarf_get_units(lines->main.dwarf, cu, &cu, &version, &type, &die, NULL))
		if (dwarf_tag(&die) == DW_TAG_compile_unit ||
		    dwarf_tag(&die) == DW_TAG_skeleton_unit)
			err = add_unit(lines, &die, version);
	unit_ranges_sort(&lines->ranges[BY_UNIT]);
	return err;
}

void pp_lines_init(void)
{
	elf_version(EV_CURRENT);
}

int pp_lines_open(struct pp_lines **ret, const struct pp_lines_options *options,
		  const char **ret_missing)
{
	struct pp_lines *lines = calloc(1, sizeof(*lines));
	const char *ignored;
	int err;

	if (!lines)
		return -ENOMEM;
	lines->split = options->split;
	lines->path = options->path;
	lines->log = options->log;
	lines->room = (struct pp_line_table){ .rows = MAX_ALL_ROWS, .names = MAX_NAMES };
	lines->table_room = MAX_TABLES;
	lines->budget = (struct pp_budget){ .dies = MAX_DIES, .ranges = MAX_RANGES };
	err = file_open(&lines->main, options->debug, options->bases, ret_missing);
	if (!err && options->alt && !file_open(&lines->alt, options->alt, NULL, &ignored))
		dwarf_setalt(lines->main.dwarf, lines->alt.dwarf);
	if (!err)
		err = find_code(lines, options);
	if (!err)
		err = find_units(lines);
	if (err) {
		pp_lines_close(lines);
		return err;
	}
	*ret = lines;
	return 0;
}

static void unit_release(struct unit *unit)
{
	pp_functions_release(&unit->functions);
	for (size_t i = 0; i < unit->nr_joined; i++)
		free(unit->joined[i].path);
	free(unit->joined);
}

void pp_lines_close(struct pp_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->nr_units; i++)
		unit_release(&lines->units[i]);
	free(lines->units);
	for (size_t i = 0; i < NR_LEVELS; i++)
		unit_ranges_release(&lines->ranges[i]);
	free(lines->code);
	file_close(&lines->main);
	file_close(&lines->alt);
	free(lines);
}

/* Return the absolute path of the file @name from libdw, or @name if its path is unknown. libdw
 * returns relative names if the line table has directories relative to the unit's, as in Rust's
 * library. */
static const char *absolute(struct unit *unit, const char *name)
{
	struct joined *joined = unit->joined;
	Dwarf_Attribute attr;
	size_t at;
	char *path;

	if (!name || *name == '/')
		return name;
	at = op_partition_point(i, unit->nr_joined, (uintptr_t)joined[i].name < (uintptr_t)name);
	if (at < unit->nr_joined && joined[at].name == name)
		return joined[at].path;
	if (!unit->dir && dwarf_attr(&unit->die, DW_AT_comp_dir, &attr))
		unit->dir = dwarf_formstring(&attr);
	if (!unit->dir || *unit->dir != '/')
		return name;
	if (op_grow(&unit->joined, unit->nr_joined) ||
	    asprintf(&path, "%s/%s", unit->dir, name) < 0)
		return name;
	joined = unit->joined;
	memmove(joined + at + 1, joined + at, (unit->nr_joined - at) * sizeof(*joined));
	joined[at] = (struct joined){ name, path };
	unit->nr_joined++;
	return path;
}

static uint64_t address_of(const struct unit *unit, size_t row)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(unit->rows, row), &address);
	return address;
}

static bool ends_sequence(const struct unit *unit, size_t row)
{
	bool is_end;

	return dwarf_lineendsequence(dwarf_onesrcline(unit->rows, row), &is_end) || is_end;
}

static void warn_too_large(struct pp_lines *lines)
{
	if (lines->has_warned)
		return;
	lines->has_warned = true;
	pp_warn(lines->log,
		"%s: a line table in its debug data is too large, so the lines of some functions "
		"are not shown",
		lines->path);
}

/* Subtract the number of rows and the size of names in a unit's line table from the budget .room.
 * Return false if the table is damaged or exceeds the budget. */
static bool charge_table(struct pp_lines *lines, struct unit *unit)
{
	const struct pp_debug_view *view = &lines->main.view;
	struct pp_line_table table;
	Dwarf_Attribute attr;
	Dwarf_Word offset;
	uint64_t size;

	if (!dwarf_attr(&unit->die, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &offset))
		return false;
	size = pp_line_table_size(view, offset);
	if (size <= lines->table_room) {
		lines->table_room -= size;
		if (pp_line_table_measure(&table, view, offset))
			return false;
		if (table.rows <= MAX_UNIT_ROWS && table.rows <= lines->room.rows &&
		    table.names <= lines->room.names) {
			lines->room.rows -= table.rows;
			lines->room.names -= table.names;
			return true;
		}
	}
	warn_too_large(lines);
	return false;
}

/* Return whether libdw may read the unit's line table, because the table is within the limits. At
 * the first call, measure the table. */
static bool table_fits(struct pp_lines *lines, struct unit *unit)
{
	if (!unit->is_measured)
		unit->fits = charge_table(lines, unit);
	unit->is_measured = true;
	return unit->fits;
}

static void read_rows(struct pp_lines *lines, struct unit *unit)
{
	if (!unit->has_lines && (!table_fits(lines, unit) ||
				 dwarf_getsrclines(&unit->die, &unit->rows, &unit->nr_rows)))
		unit->nr_rows = 0;
	unit->has_lines = 1;
}

/* Add the address ranges in .debug_aranges. If the section is damaged or memory is short, add no
 * ranges. */
static void find_by_aranges(struct pp_lines *lines)
{
	Dwarf_Aranges *aranges;
	size_t nr;

	if (lines->main.view.sections[PP_DEBUG_ARANGES].size > MAX_ARANGES ||
	    dwarf_getaranges(lines->main.dwarf, &aranges, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Arange *arange = dwarf_onearange(aranges, i);
		Dwarf_Word size;
		Dwarf_Addr start;
		Dwarf_Off die;
		size_t unit;

		if (dwarf_getarangeinfo(arange, &start, &size, &die))
			continue;
		unit = op_partition_point(u, lines->nr_units,
					  dwarf_dieoffset(&lines->units[u].die) < die);
		if (unit < lines->nr_units && dwarf_dieoffset(&lines->units[unit].die) == die)
			add_range(lines, BY_ARANGES, unit, start, start + size);
	}
}

/* Add the sequences in a unit's line table as address ranges. Addresses ascend in a sequence; its
 * last row is at the end of the code. */
static void add_sequences(struct pp_lines *lines, uint32_t index)
{
	struct unit *unit = &lines->units[index];
	size_t first = 0;

	read_rows(lines, unit);
	for (size_t row = 0; row < unit->nr_rows; row++) {
		if (!ends_sequence(unit, row))
			continue;
		add_range(lines, BY_SEQUENCES, index, address_of(unit, first),
			  address_of(unit, row));
		first = row + 1;
	}
}

/* Add the address ranges of all line tables. Begin with units that have no ranges yet, because
 * MAX_ROWS may not suffice for all units. */
static void find_by_sequences(struct pp_lines *lines)
{
	size_t nr_rows = 0;

	for (int has_ranges = 0; has_ranges < 2; has_ranges++)
		for (size_t i = 0; i < lines->nr_units && nr_rows < MAX_ROWS >> 3 * has_ranges;
		     i++) {
			if (lines->units[i].has_ranges != has_ranges)
				continue;
			add_sequences(lines, i);
			nr_rows += lines->units[i].nr_rows;
		}
}

static void find_more(struct pp_lines *lines)
{
	lines->known++;
	if (lines->known == BY_ARANGES)
		find_by_aranges(lines);
	else
		find_by_sequences(lines);
	unit_ranges_sort(&lines->ranges[lines->known]);
}

static struct unit *unit_at(struct pp_lines *lines, uint64_t vma)
{
	for (int level = BY_UNIT; level < NR_LEVELS; level++) {
		uint32_t unit;

		if (level > (int)lines->known && is_code(lines, vma))
			find_more(lines);
		unit = unit_ranges_find(&lines->ranges[level], vma);
		if (unit != PP_NO_UNIT)
			return &lines->units[unit];
	}
	return NULL;
}

/* Return the first row with the address of @row that begins a statement, or @row if no such row
 * exists. An earlier row at this address may belong to the end of the previous function. @row: the
 * last row at its address. */
static size_t first_row(const struct unit *unit, size_t row)
{
	size_t first = row, end = row < MAX_SAME ? 0 : row - MAX_SAME;
	bool is_statement;

	for (;; row--) {
		if (!dwarf_linebeginstatement(dwarf_onesrcline(unit->rows, row), &is_statement) &&
		    is_statement)
			first = row;
		if (row == end || address_of(unit, row - 1) != address_of(unit, row) ||
		    ends_sequence(unit, row - 1))
			break;
	}
	return first;
}

/* Return the row for @vma: the last row at or before @vma whose sequence contains @vma. If several
 * rows have the same address, return the last row or, with @first (for the start of a function),
 * the result of first_row(). */
static Dwarf_Line *row_at(struct pp_lines *lines, struct unit *unit, uint64_t vma, bool first)
{
	size_t row;

	read_rows(lines, unit);
	row = op_partition_point(i, unit->nr_rows, address_of(unit, i) <= vma);
	if (!row || ends_sequence(unit, row - 1))
		return NULL;
	row--;
	return dwarf_onesrcline(unit->rows, first ? first_row(unit, row) : row);
}

static bool line_in(struct pp_lines *lines, struct unit *unit, uint64_t vma, bool first,
		    struct pp_frame *ret)
{
	Dwarf_Line *row = row_at(lines, unit, vma, first);
	struct pp_frame frame = { 0 };
	unsigned int discriminator = 0;
	int line = 0;

	if (!row)
		return false;
	dwarf_lineno(row, &line);
	dwarf_linediscriminator(row, &discriminator);
	frame.discriminator = discriminator;
	frame.file = absolute(unit, dwarf_linesrc(row, NULL, NULL));
	frame.line = line > 0 ? line : 0;
	*ret = frame;
	return true;
}

/* Read the unit's functions, from its split unit if it has one. */
static void read_functions(struct pp_lines *lines, struct unit *unit)
{
	Dwarf_Die split, *die = &unit->die;

	if (lines->split && split_unit_link(&split, die, &lines->main.view, lines->split))
		die = &split;
	pp_functions_read(&unit->functions, die, table_fits(lines, unit) ? &unit->die : NULL,
			  unit->version, &lines->budget);
	unit->has_functions = 1;
}

void pp_lines_each_split(struct pp_lines *lines,
			 void (*fn)(void *arg, const struct pp_split_unit *unit), void *arg)
{
	struct pp_split_unit unit;

	for (size_t i = 0; i < lines->nr_units; i++)
		if (split_unit_of(&unit, &lines->units[i].die))
			fn(arg, &unit);
}

bool pp_lines_line(struct pp_lines *lines, uint64_t vma, bool first, struct pp_frame *ret)
{
	struct unit *unit = unit_at(lines, vma);

	return unit && line_in(lines, unit, vma, first, ret);
}

unsigned int pp_lines_frames(struct pp_lines *lines, uint64_t vma, struct pp_frame *frames,
			     unsigned int max)
{
	struct unit *unit = unit_at(lines, vma);
	const struct pp_scope *scopes = NULL;
	uint32_t indices[PP_MAX_FRAMES];
	struct pp_frame frame = { 0 };
	unsigned int nr;

	if (!unit || !max)
		return 0;
	if (!unit->has_functions)
		read_functions(lines, unit);
	nr = pp_functions_scopes(&unit->functions, vma, &lines->budget, &scopes, indices,
				 max < PP_MAX_FRAMES ? max : PP_MAX_FRAMES);
	if (!line_in(lines, unit, vma, false, &frame) && !nr)
		return 0;
	/* An outer frame has the line of the call that was inlined into it. */
	for (unsigned int i = 0; i < nr; i++) {
		const struct pp_scope *scope = &scopes[indices[i]];

		frames[i] = frame;
		frames[i].function = scope->function;
		frames[i].start_line = scope->start_line;
		frame = (struct pp_frame){
			.file = absolute(unit, scope->call_file),
			.line = scope->call_line,
			.discriminator = scope->call_discriminator,
		};
	}
	if (!nr)
		frames[nr++] = frame;
	return nr;
}
