// SPDX-License-Identifier: GPL-2.0-or-later
/* functions.c -- list of an ELF file's functions, from the entries of its call frame
 * information. */
#include "libcfi/functions.h"

#include <errno.h>
#include <stdbool.h>

#include "libcfi/entry.h"
#include "libcfi/sort.h"
#include "libcfi/stubs.h"

/* minimum size in bytes of an entry of call frame information, including the entry's length
 * field */
#define LEAST_ENTRY	8
/* if fewer bytes than this separate two functions, the bytes are padding */
#define ALIGNED		16

struct list {
	const struct cfi_elf *elf;
	__u64 start, length;
	__u32 *to;
	__u64 room;
	__u32 nr;
	struct cfi_stub stubs[CFI_MAX_STUBS];
	unsigned int nr_stubs;
};

__u64 cfi_functions_room(const struct cfi_elf *elf)
{
	struct cfi_section section;
	__u64 size = 0;

	if (!cfi_elf_frames(elf, CFI_EH_FRAME, &section))
		size += section.size;
	if (!cfi_elf_frames(elf, CFI_DEBUG_FRAME, &section))
		size += section.size;
	return 2 * (size / LEAST_ENTRY + 1);
}

/* Return whether the address is in a PLT. Each slot of a PLT counts as a function, even if a
 * single entry of call frame information describes the whole PLT. */
static bool in_plt(const struct list *list, __u64 address)
{
	for (unsigned int i = 0; i < list->nr_stubs; i++)
		if (list->stubs[i].kind == CFI_STUB_PLT && address >= list->stubs[i].from &&
		    address < list->stubs[i].to)
			return true;
	return false;
}

static int add(struct list *list, const struct cfi_function *f)
{
	__u64 offset, left, size;

	if (f->from >= f->to || !cfi_elf_code(list->elf, f->from, &offset, &left))
		return 0;
	size = f->to - f->from < left ? f->to - f->from : left;
	if (offset < list->start || offset - list->start + size > list->length)
		return 0;
	if (list->room - list->nr < 2)
		return -ESTALE;
	list->to[list->nr++] = (offset - list->start) * 2 + !in_plt(list, f->from);
	list->to[list->nr++] = (offset - list->start + size) * 2;
	return 0;
}

/* Remove duplicates from the list of functions. If only padding separates the end of a function
 * from the next function, remove the element for this end. Return the new number of elements. */
static __u32 squeeze(__u32 *to, __u32 nr)
{
	__u32 left = 0;

	for (__u32 i = 0; i < nr; i++) {
		__u32 next = i + 1 < nr ? to[i + 1] : ~0U;

		if (to[i] != next && (to[i] & 1 || !(next & 1) || next - to[i] >= 2 * ALIGNED))
			to[left++] = to[i];
	}
	return left;
}

static int add_section(struct list *list, const struct cfi_section *section)
{
	struct cfi_entries entries;
	struct cfi_function function;
	int err = cfi_entries_begin(&entries, section);

	if (err)
		return err;
	while ((err = cfi_entries_next(&entries, &function)) > 0) {
		err = add(list, &function);
		if (err)
			return err;
	}
	return err;
}

int cfi_functions_list(const struct cfi_elf *elf, __u64 start, __u64 length, __u32 *to, __u64 room,
		       __u32 *nr)
{
	struct list list = { .elf = elf, .start = start, .length = length, .to = to, .room = room };
	struct cfi_section section;
	int err = 0;

	list.nr_stubs = cfi_stubs_find(elf, list.stubs);
	if (!cfi_elf_frames(elf, CFI_EH_FRAME, &section))
		err = add_section(&list, &section);
	if (!err && !cfi_elf_frames(elf, CFI_DEBUG_FRAME, &section))
		err = add_section(&list, &section);
	if (err)
		return err;
	cfi_sort(to, list.nr);
	*nr = squeeze(to, list.nr);
	return 0;
}
