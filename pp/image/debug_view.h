/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_view.h -- views: new ELF files in memory with another file's debug sections, uncompressed
 * and relocated, for libdw.
 *
 * libdw never reads the original file. This code writes the headers of a view: few sections, which
 * do not overlap and lie within the memory, and no relocations. Sizes are checked before memory is
 * allocated. A section with an implausible compression ratio is refused.
 */
#ifndef PP_IMAGE_DEBUG_VIEW_H
#define PP_IMAGE_DEBUG_VIEW_H

#include <stdbool.h>

#include "pp/image/elf.h"

/* The debug sections that hold source lines and inlined functions. */
enum pp_debug_section {
	PP_DEBUG_INFO,
	PP_DEBUG_ABBREV,
	PP_DEBUG_LINE,
	PP_DEBUG_STR,
	PP_DEBUG_LINE_STR,
	PP_DEBUG_RANGES,
	PP_DEBUG_RNGLISTS,
	PP_DEBUG_ADDR,
	PP_DEBUG_STR_OFFSETS,
	PP_DEBUG_TYPES,
	PP_DEBUG_ARANGES,
	PP_NR_DEBUG_SECTIONS
};

struct pp_debug_view {
	char *bytes;
	size_t size;
	bool swap;		/* the numbers are not in this machine's byte order */
	struct {
		size_t offset, size;	/* .offset: position in .bytes; .size: length in bytes */
	} sections[PP_NR_DEBUG_SECTIONS];
};

/* Start addresses of the sections of a relocatable file (a kernel module), indexed by section
 * number. .bases is NULL for other files. */
struct pp_section_bases {
	const uint64_t *bases;
	size_t nr;
};

/* Return whether the file has debug sections with source lines. */
bool pp_debug_view_is_useful(const struct pp_elf *elf);

/*
 * Make a view of the debug sections of @elf. Return 0, -ENOMEM, -EIO, -ENOENT without debug data,
 * -ENOEXEC for damaged data, -EFBIG for too much data, or -ENOSYS if a decompression library is
 * missing; in the last case set *@ret_missing to the library's name. The caller releases *@ret.
 */
int pp_debug_view_make(struct pp_debug_view *ret, const struct pp_elf *elf,
		       const struct pp_section_bases *bases, const char **ret_missing);

/* The part of a section that a view includes. */
struct pp_debug_slice {
	/* .offset: position of the part in the section, in bytes; .size: length of the part */
	uint64_t offset, size;
	/* .size bytes to use instead of the section's own data, owned by the caller; NULL: use the
	 * section's data */
	const char *bytes;
};

/*
 * Make a view of the split debug sections (named *.dwo) of @elf. @slices: NULL, or a slice for each
 * section of the file; omit sections whose slice is empty. Return as pp_debug_view_make(), and
 * -ENOENT if the file has no split sections.
 */
int pp_debug_view_make_split(struct pp_debug_view *ret, const struct pp_elf *elf,
			     const struct pp_debug_slice *slices, const char **ret_missing);

/* Return whether the file @elf has split debug data. */
bool pp_debug_view_has_split(const struct pp_elf *elf);

/* Return whether a debug section is compressed. */
bool pp_debug_section_is_packed(const struct pp_elf_section *section);
/*
 * Return a malloc'd and uncompressed copy of a debug section in *@ret, with a NUL appended. Return
 * 0 or an error as pp_debug_view_make(), and -EFBIG if the copy would exceed @max bytes.
 */
int pp_debug_section_read(char **ret, uint64_t *ret_size, const struct pp_elf *elf,
			  const struct pp_elf_section *section, uint64_t max,
			  const char **ret_missing);

/* Return the number (enum pp_debug_section) of the section @name. If @is_split, the section's name
 * has the suffix .dwo. Return -1 for sections that views do not include. */
int pp_debug_section_number(const char *name, bool is_split);

/* Free the contents of @view, which may be zeroed. */
void pp_debug_view_release(struct pp_debug_view *view);

#endif
