// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * entry.c -- parser of the entries in call frame information. An FDE describes a function; a CIE
 * has the data that several functions share. Also contains the loop over all rows of a section.
 */
#include "libcfi/entry.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "libcfi/cfi.h"
#include "libcfi/encoded.h"
#include "libcfi/rule.h"

/*
 * Maximum length of an entry that functions share (CIE). Also the maximum number of entries of
 * length 0 (terminators) in a section: each crtend.o adds a terminator. Sections written by
 * compilers stay below both limits.
 */
#define MAX_SHARED	1024
#define MAX_ZEROS	4096

/* Parse the augmentation string of a shared entry (CIE). Return false if the string has unknown
 * letters. */
static bool augmentation(struct cfi_shared *shared, const unsigned char *letters,
			 struct cfi_bytes data, unsigned int word)
{
	__u64 ignored;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			shared->encoding = cfi_number(&data, 1);
			break;
		case 'L':
			cfi_number(&data, 1);
			break;
		/* the address of a personality routine follows, which libcfi ignores */
		case 'P':
			if (!cfi_encoded(&data, cfi_number(&data, 1) & CFI_PE_FORMAT, word, 0,
					 &ignored))
				return false;
			break;
		case 'S':
			shared->factors.signal = 1;
			break;
		/* the function signs return addresses with the second key of aarch64's pointer
		 * authentication */
		case 'B':
		case 'G':	/* the function uses tagged stacks */
			break;
		default:
			return false;
		}
	}
	return !data.failed;
}

/* Parse a shared entry (CIE) that begins at the byte after the entry's length and id. Return false
 * if the entry is invalid. */
static bool parse_shared(struct cfi_shared *shared, const struct cfi_section *section,
			 struct cfi_bytes bytes)
{
	const struct cfi_numbers *numbers = cfi_numbers(section->machine);
	unsigned int version = cfi_number(&bytes, 1);
	const unsigned char *letters = bytes.at;
	__u64 size, column;

	if (version != 1 && version != 3 && version != 4)
		return false;
	while (cfi_number(&bytes, 1))
		;
	/* In version 4, the next two bytes are the sizes of addresses and of segment selectors. */
	if (version == 4 && (cfi_number(&bytes, 1) != numbers->word || cfi_number(&bytes, 1)))
		return false;
	*shared = (struct cfi_shared){ .factors.machine = section->machine };
	shared->factors.code = cfi_uleb(&bytes);
	shared->factors.data = cfi_sleb(&bytes);
	column = version == 1 ? cfi_number(&bytes, 1) : cfi_uleb(&bytes);
	if (bytes.failed || column != numbers->pc)
		return false;
	if (*letters == 'z') {
		struct cfi_bytes data;

		size = cfi_uleb(&bytes);
		data.at = cfi_take(&bytes, size);
		if (bytes.failed)
			return false;
		data.end = data.at + size;
		data.failed = 0;
		shared->sized = 1;
		if (!augmentation(shared, letters + 1, data, numbers->word))
			return false;
	} else if (*letters) {
		return false;
	}
	shared->factors.encoding = shared->encoding;
	return !cfi_run_initial(&shared->initial, &shared->factors, bytes);
}

/* Return the next entry without its length field; .at is NULL at the end of the section. Set *@wide
 * to 1 if the entry has 64-bit numbers, otherwise to 0. */
static struct cfi_bytes next_entry(struct cfi_bytes *left, int *wide)
{
	struct cfi_bytes entry = { NULL, NULL, 0 };
	__u64 length = cfi_number(left, 4);

	*wide = length == 0xffffffff;
	if (*wide)
		length = cfi_number(left, 8);
	entry.at = cfi_take(left, length);
	if (left->failed)
		entry.at = NULL;
	else
		entry.end = entry.at + length;
	return entry;
}

/* Parse the shared entry at @offset in the section. Return 1; 0: the entry is invalid; -EFBIG:
 * the section causes too much work. */
static int find_shared(struct cfi_entries *entries, __u64 offset)
{
	const struct cfi_section *section = entries->section;
	struct cfi_bytes left, entry;
	__u64 id;
	int wide;

	if (offset >= section->size)
		return 0;
	if (offset == entries->shared_at)
		return entries->shared_sound;
	left = (struct cfi_bytes){ section->data + offset, section->data + section->size, 0 };
	entry = next_entry(&left, &wide);
	entries->shared_at = offset;
	entries->shared_sound = 0;
	if (!entry.at || cfi_left(&entry) > MAX_SHARED)
		return 0;
	if (cfi_left(&entry) > entries->work)
		return -EFBIG;
	entries->work -= cfi_left(&entry);
	id = cfi_number(&entry, wide && section->form == CFI_DEBUG_FRAME ? 8 : 4);
	if (id != (section->form == CFI_EH_FRAME ? 0 : wide ? ~0ULL : 0xffffffff))
		return 0;
	entries->shared_sound = parse_shared(&entries->shared, section, entry);
	return entries->shared_sound;
}

int cfi_entries_begin(struct cfi_entries *entries, const struct cfi_section *section)
{
	if (!cfi_numbers(section->machine))
		return -EINVAL;
	if (section->size > CFI_MAX_SECTION)
		return -EFBIG;
	entries->section = section;
	entries->left = (struct cfi_bytes){ section->data, section->data + section->size, 0 };
	entries->work = 4 * (__u64)section->size + MAX_SHARED;
	entries->zeros = 0;
	entries->shared_at = section->size;
	entries->shared_sound = 0;
	return 0;
}

void cfi_entries_seek(struct cfi_entries *entries, size_t offset)
{
	const struct cfi_section *section = entries->section;

	if (offset > section->size)
		offset = section->size;
	entries->left =
		(struct cfi_bytes){section->data + offset, section->data + section->size, 0};
}

/* Parse a function's entry (FDE) that begins at the byte after the reference to the shared entry.
 * Return false if the entry is invalid. */
static bool parse_function(struct cfi_entries *entries, struct cfi_bytes entry,
			   struct cfi_function *function)
{
	const struct cfi_section *section = entries->section;
	const struct cfi_shared *shared = &entries->shared;
	unsigned int word = cfi_numbers(section->machine)->word;
	__u64 here = section->address + (entry.at - section->data), length;

	if (!cfi_encoded(&entry, shared->encoding, word, here, &function->from) ||
	    !cfi_encoded(&entry, shared->encoding & CFI_PE_FORMAT, word, 0, &length))
		return false;
	if (shared->sized)
		cfi_take(&entry, cfi_uleb(&entry));
	function->to = function->from + length;
	if (entry.failed || function->to <= function->from || (word == 4 && function->to >> 32))
		return false;
	/* Skip entries with the address 0: when linkers remove a function, they leave its entry
	 * in .debug_frame, with this address. */
	if (section->form == CFI_DEBUG_FRAME && !function->from)
		return false;
	function->program = entry;
	function->shared = shared;
	return true;
}

int cfi_entries_next(struct cfi_entries *entries, struct cfi_function *function)
{
	const struct cfi_section *section = entries->section;

	while (cfi_left(&entries->left) >= 4) {
		const unsigned char *id_at;
		struct cfi_bytes entry;
		int wide, sound;
		__u64 id;

		entry = next_entry(&entries->left, &wide);
		if (!entry.at)
			return 0;
		if (!cfi_left(&entry)) {
			if (entries->zeros++ == MAX_ZEROS)
				return 0;
			continue;
		}
		id_at = entry.at;
		id = cfi_number(&entry, wide && section->form == CFI_DEBUG_FRAME ? 8 : 4);
		if (entry.failed)
			continue;
		if (section->form == CFI_EH_FRAME) {
			if (!id || id > (size_t)(id_at - section->data))
				continue;
			id = id_at - section->data - id;
		} else if (id == (wide ? ~0ULL : 0xffffffff)) {
			continue;
		}
		sound = find_shared(entries, id);
		if (sound < 0)
			return sound;
		if (sound && parse_function(entries, entry, function))
			return 1;
	}
	return 0;
}

int cfi_compile(const struct cfi_section *section, cfi_emit emit, void *data)
{
	struct cfi_entries entries;
	struct cfi_function function;
	struct cfi_row row;
	struct cfi_run run;
	int err = cfi_entries_begin(&entries, section);

	while (!err && (err = cfi_entries_next(&entries, &function)) > 0) {
		cfi_run_begin(&run, &function.shared->factors, &function.shared->initial,
			      function.program,
			      section->address + (function.program.at - section->data),
			      function.from, function.to);
		for (err = 0; !err && cfi_run_next(&run, &row); )
			err = emit(data, &row);
	}
	return err;
}
