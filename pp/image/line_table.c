// SPDX-License-Identifier: GPL-2.0-or-later
/* line_table.c -- counts the rows of a line table, and the bytes of its names. */
#include "config.h"
#include "pp/image/line_table.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "libcfi/bytes.h"
#include "pp/image/swapped.h"

struct head {
	unsigned int version;
	unsigned int word;		/* size in bytes of an offset in the table: 4 or 8 */
	unsigned int opcode_base;
	/* for each standard opcode, from opcode 1 on: number of its arguments */
	const unsigned char *lengths;
	struct cfi_bytes names, program;
};

struct reader {
	const struct pp_debug_view *view;
	struct head head;
	struct pp_line_table table;
};

static struct cfi_bytes section(const struct pp_debug_view *view, enum pp_debug_section number)
{
	const unsigned char *at =
		(const unsigned char *)view->bytes + view->sections[number].offset;

	return (struct cfi_bytes){ .at = at, .end = at + view->sections[number].size };
}

static uint64_t number(const struct reader *r, struct cfi_bytes *bytes, unsigned int size)
{
	const unsigned char *at = cfi_take(bytes, size);

	if (!at)
		return 0;
	switch (size) {
	case 1:
		return *at;
	case 2:
		return r->view->swap ? at[0] << 8 | at[1] : at[1] << 8 | at[0];
	case 4:
		return pp_get32(at, r->view->swap);
	default:
		return pp_get64(at, r->view->swap);
	}
}

/* Skip a NUL-terminated string, and return its length. */
static uint64_t read_string(struct cfi_bytes *bytes)
{
	size_t len = strnlen((const char *)bytes->at, cfi_left(bytes));

	cfi_take(bytes, len + 1);
	return len;
}

static uint64_t string_at(const struct reader *r, enum pp_debug_section where, uint64_t offset)
{
	struct cfi_bytes bytes = section(r->view, where);

	return cfi_take(&bytes, offset) ? read_string(&bytes) : 0;
}

/* Skip a value of the form @form. If the value is a string, return its length, else 0. Fail on an
 * unknown form. */
static uint64_t read_value(const struct reader *r, struct cfi_bytes *bytes, uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
		return read_string(bytes);
	case DW_FORM_line_strp:
		return string_at(r, PP_DEBUG_LINE_STR, number(r, bytes, r->head.word));
	case DW_FORM_strp:
		return string_at(r, PP_DEBUG_STR, number(r, bytes, r->head.word));
	case DW_FORM_udata:
		cfi_uleb(bytes);
		return 0;
	case DW_FORM_data1:
		cfi_take(bytes, 1);
		return 0;
	case DW_FORM_data2:
		cfi_take(bytes, 2);
		return 0;
	case DW_FORM_data4:
		cfi_take(bytes, 4);
		return 0;
	case DW_FORM_data8:
		cfi_take(bytes, 8);
		return 0;
	case DW_FORM_data16:
		cfi_take(bytes, 16);
		return 0;
	case DW_FORM_block:
		cfi_take(bytes, cfi_uleb(bytes));
		return 0;
	default:
		bytes->failed = 1;
		return 0;
	}
}

/* Skip a list of directories or files of DWARF 5. Return the number of entries. Store the length of
 * the longest name in *@ret_longest. */
static uint64_t read_entries(const struct reader *r, struct cfi_bytes *bytes, uint64_t *ret_longest)
{
	unsigned int nr_forms = number(r, bytes, 1);
	struct cfi_bytes forms = *bytes;
	uint64_t nr, len;

	for (unsigned int i = 0; i < 2 * nr_forms; i++)
		cfi_uleb(bytes);
	nr = cfi_uleb(bytes);
	if (!nr_forms && nr)
		bytes->failed = 1;
	*ret_longest = 0;
	for (uint64_t i = 0; i < nr && !bytes->failed; i++) {
		struct cfi_bytes form = forms;
		const unsigned char *before = bytes->at;

		for (unsigned int f = 0; f < nr_forms; f++) {
			cfi_uleb(&form);
			len = read_value(r, bytes, cfi_uleb(&form));
			*ret_longest = len > *ret_longest ? len : *ret_longest;
		}
		if (bytes->at == before)
			bytes->failed = 1;
	}
	return nr;
}

/* Skip a list of directories or files of DWARF 2 to 4, which ends with an empty name. @nr_numbers:
 * count of numbers that follow the name in each entry. */
static uint64_t read_old_entries(struct cfi_bytes *bytes, unsigned int nr_numbers,
				 uint64_t *ret_longest)
{
	uint64_t nr = 0, len;

	*ret_longest = 0;
	while (!bytes->failed && (len = read_string(bytes))) {
		for (unsigned int i = 0; i < nr_numbers; i++)
			cfi_uleb(bytes);
		*ret_longest = len > *ret_longest ? len : *ret_longest;
		nr++;
	}
	return nr;
}

/* Add the size of the names of @nr files to the total. Assume that each file has the longest file
 * name and the longest directory. */
static void add_names(struct pp_line_table *table, uint64_t nr, uint64_t longest)
{
	uint64_t sum;

	if (__builtin_mul_overflow(nr, longest, &sum) ||
	    __builtin_add_overflow(table->names, sum, &table->names))
		table->names = UINT64_MAX;
}

static int measure_names(struct reader *r)
{
	struct cfi_bytes *bytes = &r->head.names;
	uint64_t nr, dir, file;

	if (r->head.version >= 5) {
		read_entries(r, bytes, &dir);
		nr = read_entries(r, bytes, &file);
	} else {
		read_old_entries(bytes, 0, &dir);
		nr = read_old_entries(bytes, 3, &file);
	}
	add_names(&r->table, nr, dir + file + 2);
	return bytes->failed ? -ENOEXEC : 0;
}

static void skip_standard(struct reader *r, struct cfi_bytes *bytes, unsigned int opcode)
{
	if (opcode == DW_LNS_fixed_advance_pc) {
		cfi_take(bytes, 2);
		return;
	}
	for (unsigned int i = 0; i < r->head.lengths[opcode - 1]; i++)
		cfi_uleb(bytes);
}

/* Count the rows that the line program produces, and add the names of files that extended opcodes
 * define. */
static void run_program(struct reader *r)
{
	struct cfi_bytes *bytes = &r->head.program;

	while (!bytes->failed && cfi_left(bytes)) {
		unsigned int opcode = number(r, bytes, 1);

		if (opcode >= r->head.opcode_base || opcode == DW_LNS_copy) {
			r->table.rows++;
		} else if (opcode) {
			skip_standard(r, bytes, opcode);
		} else {
			uint64_t len = cfi_uleb(bytes);
			const unsigned char *at = cfi_take(bytes, len);

			if (at && len)
				r->table.rows += *at == DW_LNE_end_sequence;
			if (at && len && *at == DW_LNE_define_file)
				add_names(&r->table, 1, len);
		}
	}
}

/* Return the bytes of the line table at @offset, without the length field. Return no bytes if the
 * table is damaged. */
static struct cfi_bytes find_table(struct reader *r, uint64_t offset)
{
	struct cfi_bytes bytes = section(r->view, PP_DEBUG_LINE);
	const unsigned char *at;
	uint64_t len;

	cfi_take(&bytes, offset);
	r->head.word = 4;
	len = number(r, &bytes, 4);
	if (len == UINT32_MAX) {
		r->head.word = 8;
		len = number(r, &bytes, 8);
	}
	at = cfi_take(&bytes, len);
	return (struct cfi_bytes){ .at = at, .end = at ? at + len : NULL };
}

uint64_t pp_line_table_size(const struct pp_debug_view *view, uint64_t offset)
{
	struct reader r = { .view = view };
	struct cfi_bytes bytes = find_table(&r, offset);

	return cfi_left(&bytes);
}

static int read_head(struct reader *r, uint64_t offset)
{
	struct cfi_bytes bytes = find_table(r, offset);
	const unsigned char *at;
	uint64_t len;

	r->head.version = number(r, &bytes, 2);
	if (r->head.version < 2 || r->head.version > 5)
		return -ENOEXEC;
	/* skip address size and segment selector size */
	cfi_take(&bytes, r->head.version >= 5 ? 2 : 0);
	len = number(r, &bytes, r->head.word);
	at = cfi_take(&bytes, len);
	if (!at)
		return -ENOEXEC;
	r->head.program = bytes;
	bytes = (struct cfi_bytes){ .at = at, .end = at + len };
	/* Skip the instruction length, the operations per instruction (since version 4), the
	 * default of is_stmt, the line base and the line range. */
	cfi_take(&bytes, r->head.version >= 4 ? 5 : 4);
	r->head.opcode_base = number(r, &bytes, 1);
	r->head.lengths = cfi_take(&bytes, r->head.opcode_base ? r->head.opcode_base - 1 : 0);
	r->head.names = bytes;
	return bytes.failed || !r->head.opcode_base ? -ENOEXEC : 0;
}

int pp_line_table_measure(struct pp_line_table *ret, const struct pp_debug_view *view,
			  uint64_t offset)
{
	struct reader r = { .view = view };
	int err = read_head(&r, offset);

	if (!err)
		err = measure_names(&r);
	if (err)
		return err;
	run_program(&r);
	*ret = r.table;
	return 0;
}
