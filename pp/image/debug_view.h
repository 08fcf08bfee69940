/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_view.h -- an ELF file's debug sections, unpacked and relocated, as a new ELF file in memory
 * for libdw.
 *
 * libdw never reads the original file. The view has headers written by this code: few sections,
 * which do not overlap and lie within the memory, and no relocations. Sizes are checked before
 * memory is allocated, and a section with an implausible compression ratio is refused.
 */
#ifndef PP_IMAGE_DEBUG_VIEW_H
#define PP_IMAGE_DEBUG_VIEW_H

#include <stdbool.h>

#include "pp/image/elf.h"

/* The sections that lines and inlined functions need. */
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
	bool swap;		/* the numbers in the file do not have this machine's byte order */
	struct {
		size_t offset, size;	/* .offset: position in .bytes; .size: length in bytes */
	} sections[PP_NR_DEBUG_SECTIONS];
};

/* Addresses of the sections of a relocatable file (a kernel module), by section number; NULL for
 * other files. */
struct pp_section_bases {
	const uint64_t *bases;
	size_t nr;
};

/* Return whether the file has debug sections with lines. */
bool pp_debug_view_wanted(const struct pp_elf *elf);

/*
 * Make a view. Return 0, -ENOMEM, -EIO, -ENOENT without debug data, -ENOEXEC for damaged data,
 * -EFBIG for too much data, or -ENOSYS if a library for decompression is missing; in the last case
 * *@ret_missing is the library's name.
 */
int pp_debug_view_make(struct pp_debug_view *ret, const struct pp_elf *elf,
		       const struct pp_section_bases *bases, const char **ret_missing);

/* The part of a section that a view takes. */
struct pp_debug_slice {
	/* .offset: position of the part in the section; .size: its length */
	uint64_t offset, size;
	/* the caller's .size bytes to use instead of the section's, or NULL */
	const char *bytes;
};

/*
 * Make a view of the split sections (named *.dwo) of a file. @slices: NULL, or one for each
 * section; sections with an empty slice are left out. Return the results of pp_debug_view_make(),
 * and -ENOENT if the file has no split sections.
 */
int pp_debug_view_make_split(struct pp_debug_view *ret, const struct pp_elf *elf,
			     const struct pp_debug_slice *slices, const char **ret_missing);

/* Return whether @elf has split debug data. */
bool pp_debug_view_has_split(const struct pp_elf *elf);

/* Return whether the bytes of a debug section are compressed. */
bool pp_debug_section_is_packed(const struct pp_elf_section *section);
/*
 * Copy the bytes of a debug section, uncompressed, and add a NUL. *@ret is malloc'd. Return the
 * results of pp_debug_view_make(), and -EFBIG for more than @max bytes.
 */
int pp_debug_section_read(char **ret, uint64_t *ret_size, const struct pp_elf *elf,
			  const struct pp_elf_section *section, uint64_t max,
			  const char **ret_missing);

/* Return the number of the section called @name, or if @is_split, @name with the suffix .dwo.
 * Return -1 for a section that views do not contain. */
int pp_debug_section_number(const char *name, bool is_split);

/* Release the view. Accepts a zeroed struct. */
void pp_debug_view_release(struct pp_debug_view *view);

#endif
