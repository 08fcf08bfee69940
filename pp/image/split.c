// SPDX-License-Identifier: GPL-2.0-or-later
/* split.c -- search for .dwo and .dwp files. */
#include "config.h"
#include "pp/image/split.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/image/debug_file.h"
#include "pp/image/debug_view.h"
#include "pp/image/elf.h"

/*
 * DWARF packages (.dwp), made by dwp and llvm-dwp: one file with all split units of a program.
 *
 * The index of a package lists, for each unit id, the unit's part of each section. All units share
 * one string section, which may be large. So the view of a unit contains only the strings to which
 * the unit refers.
 */

struct pp_dwp;

#define MAX_INDEX	(256u << 20)	/* maximum size of a package's index, in bytes */
#define MAX_STRINGS	(2ull << 30)
/* maximum size of a package's uncompressed sections in memory, in bytes */
#define MAX_UNPACKED	(2ull << 30)
#define MAX_COLUMNS	16

struct pp_dwp {
	struct pp_elf elf;
	char *index;			/* contents of the package's section .debug_cu_index */
	/* DWARF version of the index; 2: GCC's extension of DWARF 4 */
	uint32_t version;
	uint32_t nr_columns, nr_units, nr_slots;
	/* tables in the package's index */
	const char *ids, *rows, *columns, *offsets, *sizes;
	char *strings;
	uint64_t strings_size;
	struct {
		/* contents of the section, uncompressed; NULL: the section is not compressed, or
		 * not needed yet */
		char *bytes;
		uint64_t size;
	} unpacked[PP_NR_DEBUG_SECTIONS];
	/* number of bytes that further uncompressed sections of the package may have in memory */
	uint64_t room;
};

/* Return the section that the number @number in the head of an index column stands for. Return -1
 * if views do not include the section. */
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

/* Find the tables in the package's index, and check that they are complete. */
static int read_index(struct pp_dwp *dwp, const char **ret_missing)
{
	uint64_t size, at = 16, cells;
	int err = read_section(&dwp->index, &size, &dwp->elf, ".debug_cu_index", MAX_INDEX,
			       ret_missing);

	if (err)
		return err;
	if (size < at)
		return -ENOEXEC;
	/* In DWARF 5 the version has two bytes, followed by two zero bytes. */
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

/* Close the DWARF package. @dwp may be NULL. */
static void dwp_close(struct pp_dwp *dwp)
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

/* Open the DWARF package (.dwp) in the file @fd, and take ownership of @fd. Return 0, -ENOEXEC if
 * the file is damaged or not a package, -EFBIG, -ENOMEM, -EIO, or -ENOSYS if a decompression
 * library is missing; on -ENOSYS, *@ret_missing is the library's name. */
static int dwp_open(struct pp_dwp **ret, int fd, const char **ret_missing)
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
		dwp_close(dwp);
		return err;
	}
	*ret = dwp;
	return 0;
}

/* Return a duplicate of the descriptor of the DWARF package, which the caller closes, or a negative
 * errno. */
static int dwp_dup(const struct pp_dwp *dwp)
{
	int fd = fcntl(dwp->elf.fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/* Return the row of a unit in the package's index, counted from 1, or 0 if the package lacks the
 * unit. */
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

/* If the package's section @number is compressed, uncompress it and set the bytes of the slice.
 * Otherwise do nothing: the bytes will be copied from the file. */
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

/* A new string table for one unit: an array of offsets, and the strings. */
struct unit_strings {
	char *offsets, *strings;
};

/* Copy the strings to which the unit refers. Return -ENOEXEC if an offset is beyond the end of the
 * string section, or if the copies would exceed the size of that section. */
static int copy_strings(const struct pp_dwp *dwp, struct unit_strings *unit, size_t first,
			size_t size, uint64_t *ret_size)
{
	uint64_t total = 0, used = 0;

	for (size_t at = first; at + 4 <= size; at += 4) {
		uint64_t offset = pp_elf_get32(&dwp->elf, unit->offsets + at);

		if (offset >= dwp->strings_size)
			return -ENOEXEC;
		total += strlen(dwp->strings + offset) + 1;
		/* A package contains each string once, but a damaged unit may refer to a long
		 * string many times. */
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

/* Replace the slices of the string sections by copies with only the unit's strings. */
static int slice_strings(const struct pp_dwp *dwp, struct pp_debug_slice *slices,
			 struct unit_strings *unit)
{
	const struct pp_elf_section *section = find_section(dwp, PP_DEBUG_STR_OFFSETS);
	struct pp_debug_slice *offsets = &slices[PP_DEBUG_STR_OFFSETS];
	/* size in bytes of the header that DWARF 5 added to the table of offsets */
	size_t first = dwp->version >= 5 ? 8 : 0;
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
	/* Offsets of eight bytes, for sections above 4 GB, are not supported. */
	if (!err && first &&
	    (offsets->size < first || pp_elf_get32(&dwp->elf, unit->offsets) == UINT32_MAX))
		err = -ENOEXEC;
	if (!err)
		err = copy_strings(dwp, unit, first, offsets->size, &slices[PP_DEBUG_STR].size);
	offsets->bytes = unit->offsets;
	slices[PP_DEBUG_STR].bytes = unit->strings;
	return err;
}

/* Make a view (an ELF file in memory) of one unit of the package. Return as pp_debug_view_make(),
 * and -ENOENT if the package lacks the unit. */
static int dwp_view(struct pp_debug_view *ret, struct pp_dwp *dwp, uint64_t unit_id,
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

/* maximum size of the views (sections of a unit, copied to memory) of all units together, in
 * bytes */
#define MAX_VIEWS	(3ull << 30)
/* bytes by which a damaged unit reduces the budget .room, so that a package of millions of damaged
 * units exhausts it */
#define FAILURE		(4u << 20)

struct pp_split {
	char *binary, *debug;
	const char *root;
	uid_t owner;
	struct pp_log *log;
	bool has_package; /* a package (.dwp) for the program was searched, successfully or not */
	struct pp_dwp *package; /* the program's package (.dwp) of split units; NULL: not found */
	char *package_path;
	bool has_warned;
	uint64_t room; /* number of bytes that further views (copies of units) may have in memory */
};

int pp_split_create(struct pp_split **ret, const struct pp_split_places *places)
{
	struct pp_split *split = calloc(1, sizeof(*split));

	if (!split)
		return -ENOMEM;
	split->binary = strdup(places->binary);
	split->debug = strdup(places->debug);
	split->root = places->root;
	split->owner = places->owner;
	split->log = places->log;
	split->room = MAX_VIEWS;
	if (!split->binary || !split->debug) {
		pp_split_free(split);
		return -ENOMEM;
	}
	*ret = split;
	return 0;
}

void pp_split_free(struct pp_split *split)
{
	if (!split)
		return;
	dwp_close(split->package);
	free(split->package_path);
	free(split->binary);
	free(split->debug);
	free(split);
}

/* Open @path. Return a descriptor, -EPERM if the file's owner is not trusted, or another negative
 * errno. */
static int open_trusted(const struct pp_split *split, const char *path)
{
	int fd = pp_open_regular(path);
	struct stat st;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && (!st.st_uid || st.st_uid == split->owner || st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -EPERM;
}

static void warn(struct pp_split *split, const char *path, int err)
{
	if (split->has_warned)
		return;
	split->has_warned = true;
	pp_warn(split->log,
		"%s: cannot read its debug data in %s: %s; functions inlined there are not shown: "
		"keep the .dwo files, or make %s.dwp with \"dwp -e %s\"",
		split->binary, path,
		err == -EPERM	  ? "its owner is neither root nor the program's"
		: err == -ENOEXEC ? "it is damaged, or of another build"
		: err == -EFBIG	  ? "it is too large"
				  : strerror(-err),
		split->binary, split->binary);
}

/* Open FILE.dwp, the DWARF package that belongs to the file @file. */
static int open_package_of(struct pp_split *split, const char *file)
{
	const char *missing = "";
	char *path;
	int fd, err;

	if (asprintf(&path, "%s.dwp", file) < 0)
		return -ENOMEM;
	fd = open_trusted(split, path);
	err = fd < 0 ? fd : dwp_open(&split->package, fd, &missing);
	if (!err) {
		split->package_path = path;
		return 0;
	}
	if (err != -ENOENT)
		warn(split, path, err);
	free(path);
	return err;
}

static struct pp_dwp *want_package(struct pp_split *split)
{
	if (!split->has_package && open_package_of(split, split->binary) &&
	    strcmp(split->binary, split->debug))
		open_package_of(split, split->debug);
	split->has_package = true;
	return split->package;
}

/* Open the file @name in the directory @dir: first below the root, then without the root. Set
 * *@ret_path, malloc'd, even if neither file exists. */
static int open_place(const struct pp_split *split, const char *dir, const char *name,
		      char **ret_path)
{
	const char *root = *dir == '/' || *name == '/' ? split->root : "";
	int fd = -ENOENT;

	free(*ret_path);
	*ret_path = NULL;
	if (*root) {
		if (asprintf(ret_path, "%s%s%s%s", root, dir, *dir ? "/" : "", name) < 0) {
			*ret_path = NULL;
			return -ENOMEM;
		}
		fd = open_trusted(split, *ret_path);
		if (fd != -ENOENT)
			return fd;
		free(*ret_path);
	}
	if (asprintf(ret_path, "%s%s%s", dir, *dir ? "/" : "", name) < 0) {
		*ret_path = NULL;
		return -ENOMEM;
	}
	return open_trusted(split, *ret_path);
}

/* Open the .dwo file of a unit: at the path that the binary contains, or in the binary's directory.
 * Set *@ret_path to the path where the file is expected. */
static int open_unit_file(const struct pp_split *split, const struct pp_split_unit *unit,
			  char **ret_path)
{
	bool is_absolute = *unit->name == '/';
	int fd =
		open_place(split, is_absolute || !unit->dir ? "" : unit->dir, unit->name, ret_path);
	const char *slash = strrchr(split->binary, '/'), *leaf = strrchr(unit->name, '/');
	char *beside, *dir;

	if (fd != -ENOENT || !slash)
		return fd;
	dir = strndup(split->binary, slash - split->binary);
	beside = NULL;
	if (dir && asprintf(&beside, "%s/%s", dir, leaf ? leaf + 1 : unit->name) < 0)
		beside = NULL;
	free(dir);
	if (!beside)
		return -ENOMEM;
	fd = open_trusted(split, beside);
	if (fd >= 0) {
		free(*ret_path);
		*ret_path = beside;
	} else {
		free(beside);
	}
	return fd;
}

/* Return a memfd with the bytes of @view, or a negative errno. */
static int file_of(const struct pp_debug_view *view)
{
	int fd = memfd_create("oprofile-split", MFD_CLOEXEC);
	size_t at = 0;

	while (fd >= 0 && at < view->size) {
		ssize_t n = write(fd, view->bytes + at, view->size - at);

		if (n < 0) {
			int err = -errno;

			close(fd);
			return err;
		}
		at += n;
	}
	return fd < 0 ? -errno : fd;
}

static int view_unit_file(struct pp_debug_view *ret, int fd, const char **ret_missing)
{
	struct pp_elf elf;
	int err = pp_elf_read(&elf, fd);

	if (err)
		return err;
	err = pp_debug_view_make_split(ret, &elf, NULL, ret_missing);
	pp_elf_release(&elf);
	return err == -ENOENT ? -ENOEXEC : err;
}

/* Subtract the size of @view from the budget .room. Return @err, or -EFBIG if the view exceeds the
 * budget. */
static int charge(struct pp_split *split, const struct pp_debug_view *view, int err)
{
	uint64_t cost = err == -ENOEXEC ? FAILURE : view->size;

	if (cost > split->room) {
		split->room = 0;
		return err ? err : -EFBIG;
	}
	split->room -= cost;
	return err;
}

int pp_split_open(struct pp_split *split, const struct pp_split_unit *unit)
{
	struct pp_dwp *package = want_package(split);
	struct pp_debug_view view = { 0 };
	const char *missing = "";
	char *path = NULL;
	int err = !split->room ? -EFBIG
		  : package    ? dwp_view(&view, package, unit->id, &missing)
			       : -ENOENT;

	if (err == -ENOENT) {
		int fd = open_unit_file(split, unit, &path);

		err = fd < 0 ? fd : view_unit_file(&view, fd, &missing);
		if (fd >= 0)
			close(fd);
	}
	err = charge(split, &view, err);
	if (!err)
		err = file_of(&view);
	if (err < 0 && err != -ENOMEM)
		warn(split, path ? path : package ? split->package_path : unit->name, err);
	pp_debug_view_release(&view);
	free(path);
	return err;
}

void pp_split_refuse(struct pp_split *split, const struct pp_split_unit *unit)
{
	charge(split, &(struct pp_debug_view){ 0 }, -ENOEXEC);
	warn(split, split->package ? split->package_path : unit->name, -ENOEXEC);
}

/* Return 0 if the file has split debug data, else a negative errno. Without this check, a malicious
 * binary could name any file of root. */
static int check_unit_file(int fd)
{
	struct pp_elf elf;
	int err = pp_elf_read(&elf, fd);

	if (err)
		return err;
	err = pp_debug_view_has_split(&elf) ? 0 : -ENOEXEC;
	pp_elf_release(&elf);
	return err;
}

int pp_split_find(struct pp_split *split, const struct pp_split_unit *unit, char **ret_path)
{
	struct pp_dwp *package = want_package(split);
	char *path = package ? strdup(split->package_path) : NULL;
	int fd = package ? dwp_dup(package) : open_unit_file(split, unit, &path);
	int err = fd < 0 ? fd : !path ? -ENOMEM : package ? 0 : check_unit_file(fd);

	if (!err) {
		*ret_path = path;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}
