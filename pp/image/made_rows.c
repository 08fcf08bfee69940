// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made_rows.c -- unwind rows from the unwinding information in a jit-PID.dump.
 *
 * A record of unwinding information precedes the code that it describes. It contains an .eh_frame
 * section followed by an .eh_frame_hdr section. Addresses in .eh_frame are relative to the position
 * of the section in the ELF file that perf makes for the code: there it follows the code, aligned
 * to 8 bytes.
 */
#include "config.h"
#include "pp/image/made_rows.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libcfi/cfi.h"
#include "libcfi/made.h"
#include "libop/base/fs.h"
#include "libop/base/grow.h"
#include "pp/image/jitdump.h"
#include "pp/image/swapped.h"

/* maximum number of functions that all searches for moved code examine together */
#define MAX_STEPS	(16u << 20)
#define NO_FF		SIZE_MAX

/* A range of addresses in the process to which one unwind rule applies. */
struct range {
	uint64_t from, to;
	struct oprofile_uw_rule rule;
};

struct maker {
	const struct pp_jitdump *dump;
	struct cfi_made head;
	struct cfi_made_code *codes;
	struct cfi_made_row *rows;
	uint32_t *calls;
	size_t nr_codes, nr_rows, nr_calls;
	/* address range, and unwind rows, of the function that is being read */
	uint64_t start, end;
	struct range *ranges;
	size_t nr_ranges;
	/* the last record of unwinding information, which describes the next function; NULL: no
	 * record */
	const char *frames;
	size_t frames_size;
	uint32_t steps;
};

static uint32_t machine_of(uint16_t machine)
{
	return machine == EM_X86_64 ? OPROFILE_UW_X86_64
	       : machine == EM_386  ? OPROFILE_UW_I386
				    : OPROFILE_UW_AARCH64;
}

static int add_range(void *arg, const struct cfi_row *row)
{
	struct maker *m = arg;
	uint64_t from = row->from > m->start ? row->from : m->start,
		 to = row->to < m->end ? row->to : m->end;

	if (from >= to)
		return 0;
	if (m->nr_ranges == CFI_MADE_MAX_ROWS)
		return -EFBIG;
	if (op_grow(&m->ranges, m->nr_ranges))
		return -ENOMEM;
	m->ranges[m->nr_ranges++] = (struct range){ from, to, row->rule };
	return 0;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int add_row(struct maker *m, uint64_t address, const struct oprofile_uw_rule *rule)
{
	if (m->nr_rows == CFI_MADE_MAX_ROWS)
		return -EFBIG;
	if (op_grow(&m->rows, m->nr_rows))
		return -ENOMEM;
	m->rows[m->nr_rows++] = (struct cfi_made_row){ (uint32_t)(address - m->start), *rule };
	return 0;
}

/* Add an unwind row for each of m->ranges, and rows without a rule for addresses of the function
 * outside all ranges. */
static int add_rows(struct maker *m)
{
	static const struct oprofile_uw_rule none = { .cfa = OPROFILE_UW_CFA_NONE };
	uint64_t covered = m->start;
	int err = 0;

	if (m->nr_ranges)
		qsort(m->ranges, m->nr_ranges, sizeof(*m->ranges), compare_ranges);
	for (size_t i = 0; i < m->nr_ranges && !err; i++) {
		const struct range *r = &m->ranges[i];

		if (r->from < covered)
			continue;	/* skip a range that overlaps the previous one */
		if (r->from > covered)
			err = add_row(m, covered, &none);
		if (!err)
			err = add_row(m, r->from, &r->rule);
		covered = r->to;
	}
	return !err && m->nr_ranges && covered < m->end ? add_row(m, covered, &none) : err;
}

static int read_frames(struct maker *m)
{
	uint64_t aligned = (m->end - m->start + 7) & ~7ull;
	const struct cfi_section section = {
		.data = (const unsigned char *)m->frames,
		.size = m->frames_size,
		.address = m->start + aligned,
		.machine = m->head.machine,
		.form = CFI_EH_FRAME,
	};
	int err;

	m->nr_ranges = 0;
	if (!m->frames)
		return 0;
	err = cfi_compile(&section, add_range, m);
	return err ? err : add_rows(m);
}

static int add_call(struct maker *m, size_t offset)
{
	if (m->nr_calls == CFI_MADE_MAX_CALLS)
		return -EFBIG;
	if (op_grow(&m->calls, m->nr_calls))
		return -ENOMEM;
	m->calls[m->nr_calls++] = (uint32_t)offset;
	return 0;
}

static bool ends_call(const struct maker *m, const unsigned char *code, size_t offset)
{
	unsigned char before[8] = { 0 };
	size_t n = offset < sizeof(before) ? offset : sizeof(before);

	memcpy(before + sizeof(before) - n, code + offset - n, n);
	return oprofile_uw_is_call(m->head.machine, before);
}

/* Find the ends of call instructions in the @size bytes at @code. On x86, a call is e8 and four
 * bytes, or ff and one to six bytes. */
static int find_calls(struct maker *m, const unsigned char *code, size_t size)
{
	bool arm = m->head.machine == OPROFILE_UW_AARCH64;
	size_t ff = NO_FF;
	int err = 0;

	for (size_t offset = arm ? 4 : 2; offset <= size && !err; offset += arm ? 4 : 1) {
		if (code[offset - 2] == 0xff)
			ff = offset - 2;
		if (!arm && !(offset >= 5 && code[offset - 5] == 0xe8) &&
		    (ff == NO_FF || offset - ff > 7))
			continue;
		if (ends_call(m, code, offset))
			err = add_call(m, offset);
	}
	return err;
}

static int add_code(struct maker *m, const struct cfi_made_code *code)
{
	if (m->nr_codes == CFI_MADE_MAX_CODES)
		return -EFBIG;
	if (op_grow(&m->codes, m->nr_codes))
		return -ENOMEM;
	m->codes[m->nr_codes] = *code;
	m->codes[m->nr_codes].order = (uint32_t)m->nr_codes;
	m->nr_codes++;
	return 0;
}

static uint64_t time_of(const struct maker *m, const char *record)
{
	return m->dump->own_clock ? 0 : pp_get64(record + PP_JITDUMP_RECORD_TIME, m->dump->swap);
}

static int read_load(struct maker *m, const char *p, size_t size, bool with_bytes)
{
	const char *name = p + PP_JITDUMP_LOAD_NAME, *bytes;
	uint64_t start, code_size;
	struct cfi_made_code code;
	int err;

	bytes = size < PP_JITDUMP_LOAD_NAME ? NULL
					    : memchr(name, '\0', size - PP_JITDUMP_LOAD_NAME);
	if (!bytes)
		return 0;
	bytes++;
	start = pp_get64(p + PP_JITDUMP_LOAD_ADDRESS, m->dump->swap);
	code_size = pp_get64(p + PP_JITDUMP_LOAD_SIZE, m->dump->swap);
	if (!code_size || code_size > PP_JITDUMP_MAX_CODE || start > UINT64_MAX - code_size - 8)
		return 0;
	m->start = start;
	m->end = start + code_size;
	code = (struct cfi_made_code){
		.start = start, .size = (uint32_t)code_size, .time = time_of(m, p),
		.first_row = (uint32_t)m->nr_rows, .first_call = (uint32_t)m->nr_calls,
	};
	err = read_frames(m);
	if (!err && with_bytes && code_size <= (uint64_t)(p + size - bytes))
		err = find_calls(m, (const unsigned char *)bytes, code_size);
	code.nr_rows = (uint32_t)m->nr_rows - code.first_row;
	code.nr_calls = (uint32_t)m->nr_calls - code.first_call;
	m->frames = NULL;
	return err ? err : add_code(m, &code);
}

/* Handle a record of moved code: copy the rows of the function that was last loaded at the old
 * address. */
static int read_move(struct maker *m, const char *p, size_t size)
{
	uint64_t old;

	if (size < PP_JITDUMP_MOVE_END)
		return 0;
	old = pp_get64(p + PP_JITDUMP_MOVE_OLD, m->dump->swap);
	for (size_t i = m->nr_codes; i-- > 0 && m->steps; m->steps--) {
		struct cfi_made_code code = m->codes[i];

		if (code.start != old)
			continue;
		code.start = pp_get64(p + PP_JITDUMP_MOVE_NEW, m->dump->swap);
		code.time = time_of(m, p);
		return code.start > UINT64_MAX - code.size ? 0 : add_code(m, &code);
	}
	return 0;
}

static void read_unwinding(struct maker *m, const char *p, size_t size)
{
	uint64_t all, index, room;

	m->frames = NULL;
	if (size < PP_JITDUMP_UNWINDING_BYTES)
		return;
	room = size - PP_JITDUMP_UNWINDING_BYTES;
	all = pp_get64(p + PP_JITDUMP_UNWINDING_SIZE, m->dump->swap);
	index = pp_get64(p + PP_JITDUMP_UNWINDING_INDEX_SIZE, m->dump->swap);
	if (all > room || index >= all)
		return;
	m->frames = p + PP_JITDUMP_UNWINDING_BYTES;
	m->frames_size = all - index;
}

static int read_record(void *arg, uint32_t id, const char *p, size_t size)
{
	struct maker *m = arg;

	switch (id) {
	case PP_JITDUMP_LOAD:
	case PP_JITDUMP_OUR_NAME:
		return read_load(m, p, size, id == PP_JITDUMP_LOAD);
	case PP_JITDUMP_MOVE:
		return read_move(m, p, size);
	case PP_JITDUMP_UNWINDING:
		read_unwinding(m, p, size);
		return 0;
	}
	return 0;
}

static int compare_codes(const void *a, const void *b)
{
	const struct cfi_made_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_codes(struct maker *m)
{
	uint64_t reach = 0;

	qsort(m->codes, m->nr_codes, sizeof(*m->codes), compare_codes);
	for (size_t i = 0; i < m->nr_codes; i++) {
		struct cfi_made_code *code = &m->codes[i];

		if (code->start + code->size > reach)
			reach = code->start + code->size;
		code->reach = reach;
	}
}

static int write_all(struct maker *m, int fd)
{
	int err;

	sort_codes(m);
	m->head.nr_codes = (uint32_t)m->nr_codes;
	m->head.nr_rows = (uint32_t)m->nr_rows;
	m->head.nr_calls = (uint32_t)m->nr_calls;
	err = op_write_all(fd, &m->head, sizeof(m->head));
	if (!err)
		err = op_write_all(fd, m->codes, m->nr_codes * sizeof(*m->codes));
	if (!err)
		err = op_write_all(fd, m->rows, m->nr_rows * sizeof(*m->rows));
	return err ? err : op_write_all(fd, m->calls, m->nr_calls * sizeof(*m->calls));
}

int pp_made_rows_write(int fd, const char *data, size_t size)
{
	struct maker m = { .steps = MAX_STEPS };
	struct pp_jitdump dump;
	int err = pp_jitdump_open(&dump, data, size);

	if (err)
		return err;
	if (dump.swap ||
	    (dump.machine != EM_X86_64 && dump.machine != EM_386 && dump.machine != EM_AARCH64))
		return -ENOTSUP;
	m.dump = &dump;
	m.head = (struct cfi_made){ .magic = CFI_MADE_MAGIC, .machine = machine_of(dump.machine) };
	err = pp_jitdump_each(&dump, read_record, &m);
	if (!err)
		err = m.nr_rows ? write_all(&m, fd) : -ENOENT;
	free(m.codes);
	free(m.rows);
	free(m.calls);
	free(m.ranges);
	return err;
}
