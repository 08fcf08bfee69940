// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c -- creation of an unwind table (module/uapi/unwind.h) from an ELF file.
 *
 * There are two passes over the rows. The first pass counts the rows of each bucket, from which the
 * start of each bucket is computed. The second pass stores the rows in their buckets, so that only
 * the few rows of each bucket need to be sorted.
 */
#include "libcfi/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "libcfi/go.h"
#include "libcfi/infer.h"
#include "libcfi/rule.h"
#include "libcfi/sort.h"
#include "libcfi/stubs.h"

#define HASH_SIZE	(2 * OPROFILE_UW_MAX_RULES)
/* Desired number of rows in a bucket; the number of buckets is chosen for this. A search in a
 * bucket then takes five steps. */
#define ROWS_A_BUCKET	24
#define BYTES_A_ROW	6	/* approximate size in bytes of a row in .eh_frame */
#define PADDING		64	/* maximum alignment of functions, in bytes */
/* maximum number of probes for a rule in the hash table of rules; needed because a malicious file
 * could contain rules that all collide */
#define MAX_PROBES	64
/* maximum number of bytes of code for which rules are inferred; if a file has more code without
 * rows, no rule is inferred */
#define MAX_INFERRED	(16ULL << 20)
/* maximum number of instructions to decode for inferring rules */
#define INFER_STEPS	(24ULL << 20)
/* limit for Go programs: average number of times that the rows may make the code read each byte */
#define GO_READS	4
#define NO_ROW		0	/* number of a special rule: no row describes this code */
/* rule number: a row describes this code, but no rule can express it */
#define UNSUPPORTED	1

struct make {
	const struct cfi_elf *elf;
	struct oprofile_uw_table *table;
	__u32 *buckets, *rows;
	struct oprofile_uw_rule *rules;
	/* cache of CFI_NR_DECODED decoded instructions; too large for the stack */
	struct cfi_decoded *decoded;
	/* hash table of rules; each element is the number of a rule plus 1; 0: empty */
	__u32 *hash;
	struct cfi_stub stubs[CFI_MAX_STUBS];
	unsigned int nr_stubs;
	struct cfi_segment segment;	/* segment that contains the code of the last row */
	/* end address of the code of the last row, where end_last() adds a row; 0: no row to add */
	__u64 ended;
	__u32 max_rows, nr_rows, nr_rules;
	/* 1: the second pass, which stores rows; 0: the first pass, which counts rows */
	int putting;
	bool go;			/* the rows come from Go's .debug_frame */
	struct cfi_go go_function;
	struct cfi_go_functions go_functions;
	/* 1: the rows come from the file's call frame information; 0: from stubs */
	int described;
};

static int sections_of(const struct cfi_elf *elf, struct cfi_section sections[2])
{
	int nr = 0;

	if (!cfi_elf_frames(elf, CFI_EH_FRAME, &sections[nr]))
		nr++;
	if (!cfi_elf_frames(elf, CFI_DEBUG_FRAME, &sections[nr]))
		nr++;
	return nr;
}

/* Choose the start, length, bucket_shift and number of buckets of the table. Return 0 or a negative
 * errno. */
static int plan(const struct cfi_elf *elf, struct oprofile_uw_table *table, __u32 *max_rows)
{
	struct cfi_section sections[2];
	__u64 start = ~0ULL, end = 0, bytes = 0;
	unsigned int shift = 8;
	int nr = sections_of(elf, sections);

	for (unsigned int i = 0; i < elf->nr_segments; i++) {
		const struct cfi_segment *segment = &elf->segments[i];

		if (!segment->executable)
			continue;
		start = segment->offset < start ? segment->offset : start;
		end = segment->offset + segment->size > end ? segment->offset + segment->size : end;
	}
	if (start >= end)
		return -ENOENT;
	while (nr--) {
		if (sections[nr].size > CFI_MAX_SECTION)
			return -EFBIG;
		bytes += sections[nr].size;
	}
	while (shift < OPROFILE_UW_MAX_SHIFT &&
	       ((end - start) >> shift) * ROWS_A_BUCKET > bytes / BYTES_A_ROW)
		shift++;
	if ((end - start - 1) >> shift >= OPROFILE_UW_MAX_BUCKETS)
		return -EFBIG;
	*table = (struct oprofile_uw_table){
		.magic = OPROFILE_UW_MAGIC, .version = OPROFILE_UW_VERSION, .machine = elf->machine,
		.bucket_shift = shift, .start = start, .length = end - start,
		.nr_buckets = ((end - start - 1) >> shift) + 1,
	};
	/*
	 * Add memory for the working area: the rows, and the inferred rows before they are merged
	 * into the table. Each row occupies at least one byte of the section, and each slot of a
	 * PLT at least one byte of code. Each inferred row needs three words.
	 */
	bytes += 65536 + (end - start < MAX_INFERRED ? end - start : 0);
	*max_rows = bytes < OPROFILE_UW_MAX_ROWS ? bytes : OPROFILE_UW_MAX_ROWS;
	return 0;
}

__u64 cfi_table_room(const struct cfi_elf *elf)
{
	struct oprofile_uw_table table;
	__u32 max_rows;

	if (plan(elf, &table, &max_rows))
		return 0;
	return sizeof(table) + (table.nr_buckets + 1ULL + max_rows + HASH_SIZE) * sizeof(__u32) +
	       (__u64)OPROFILE_UW_MAX_RULES * sizeof(struct oprofile_uw_rule) +
	       sizeof(__u64) + CFI_NR_DECODED * sizeof(struct cfi_decoded);
}

/* Return the number of @rule among the table's rules; add the rule if it is new. Return
 * UNSUPPORTED if the table has too many rules, or after too many probes. */
static __u32 number_of_rule(struct make *make, const struct oprofile_uw_rule *rule)
{
	unsigned int probes = 0;
	__u64 words[2] = { 0 };
	__u32 at;

	__builtin_memcpy(words, rule, sizeof(*rule));
	words[0] = (words[0] ^ words[1] * 0xff51afd7ed558ccdULL) * 0x9e3779b97f4a7c15ULL;
	at = words[0] >> 47;
	while (make->hash[at]) {
		if (cfi_same_rule(rule, &make->rules[make->hash[at] - 1]))
			return make->hash[at] - 1;
		if (++probes == MAX_PROBES)
			return UNSUPPORTED;
		at = (at + 1) % HASH_SIZE;
	}
	if (make->nr_rules == OPROFILE_UW_MAX_RULES)
		return UNSUPPORTED;
	make->rules[make->nr_rules] = *rule;
	make->hash[at] = ++make->nr_rules;
	return make->nr_rules - 1;
}

/* Count a row in the first pass, or store it in the second. @offset: file offset, within the
 * table's range. @rule: NULL: no rule. */
static int add(struct make *make, __u64 offset, const struct oprofile_uw_rule *rule)
{
	const struct oprofile_uw_table *table = make->table;
	__u32 bucket = (offset - table->start) >> table->bucket_shift, at;

	if (!make->putting) {
		if (make->nr_rows == make->max_rows)
			return -EFBIG;
		make->nr_rows++;
		make->buckets[bucket]++;
		return 0;
	}
	at = make->buckets[bucket]++;
	if (at >= make->nr_rows)
		return -ESTALE;
	make->rows[at] = ((offset - table->start) & ((1U << table->bucket_shift) - 1)) << 16 |
			 (rule ? number_of_rule(make, rule) : NO_ROW);
	return 0;
}

/* Add a row without a rule at the address where the last row ends. Do not call this function if the
 * next row begins at this address. */
static int end_last(struct make *make)
{
	__u64 offset = make->segment.offset + (make->ended - make->segment.address);
	__u64 ended = make->ended;

	make->ended = 0;
	/* If the segment ends there, this may also be the end of the table's range. */
	if (!ended || offset - make->table->start >= make->table->length)
		return 0;
	return add(make, offset, NULL);
}

static bool find_segment(struct make *make, __u64 address)
{
	for (unsigned int i = 0; i < make->elf->nr_segments; i++) {
		const struct cfi_segment *segment = &make->elf->segments[i];

		if (segment->executable && address >= segment->address &&
		    address - segment->address < segment->size) {
			make->segment = *segment;
			return true;
		}
	}
	return false;
}

/* Return the rule of @row. If the rule in the file is known to be wrong, return a corrected
 * rule. */
static const struct oprofile_uw_rule *rule_of(const struct make *make, const struct cfi_row *row,
					      __u64 offset)
{
	static const struct oprofile_uw_rule entered = {.cfa = OPROFILE_UW_CFA_SP, .cfa_offset = 8};
	static const struct oprofile_uw_rule end = { .cfa = OPROFILE_UW_CFA_END };

	if (make->elf->machine == OPROFILE_UW_X86_64 && cfi_same_rule(&row->rule, &entered) &&
	    offset < make->elf->size &&
	    cfi_starts_context(make->elf->data + offset, make->elf->size - offset))
		return &end;
	return &row->rule;
}

static int put_row(void *data, const struct cfi_row *row)
{
	struct make *make = data;
	__u64 offset;
	int err = 0;

	if (row->from != make->ended)
		err = end_last(make);
	if (err)
		return err;
	if (row->from - make->segment.address >= make->segment.size &&
	    !find_segment(make, row->from))
		return 0;
	if (make->described && !make->putting)
		cfi_stubs_covered(make->stubs, make->nr_stubs, row->from, row->to);
	make->ended = row->to;
	if (row->to - make->segment.address > make->segment.size)
		make->ended = make->segment.address + make->segment.size;
	offset = make->segment.offset + (row->from - make->segment.address);
	return add(make, offset, rule_of(make, row, offset));
}

static int add_row(void *data, const struct cfi_row *row)
{
	struct make *make = data;

	return make->go ? cfi_go_row(&make->go_function, make->elf, row, put_row, make) :
			  put_row(make, row);
}

/* Process all rows of the file's sections and stubs: count or store them. */
static int process_rows(struct make *make)
{
	struct cfi_section sections[2];
	int nr = sections_of(make->elf, sections), err = 0;

	make->ended = 0;
	make->described = 1;
	make->segment = (struct cfi_segment){ 0 };
	for (int i = 0; i < nr && !err; i++) {
		make->go = sections[i].form == CFI_DEBUG_FRAME && cfi_go_made(make->elf);
		if (make->go)
			cfi_go_functions_open(&make->go_functions, make->elf);
		/* Limit the amount of code that is read: the functions of a malicious file could
		 * overlap, and be read again and again. */
		make->go_function = (struct cfi_go){.functions = &make->go_functions,
						    .left = GO_READS * make->elf->size};
		err = cfi_compile(&sections[i], add_row, make);
		if (!err)
			err = end_last(make);
	}
	make->described = 0;
	make->go = false;
	for (unsigned int i = 0; i < make->nr_stubs && !err; i++) {
		err = cfi_stub_rows(make->elf, &make->stubs[i], add_row, make);
		if (!err)
			err = end_last(make);
	}
	return err;
}

/* buckets[n] is the number of rows in bucket n. Replace it by the index in make->rows at which
 * bucket n begins. */
static void turn_counts_into_indexes(struct make *make)
{
	__u32 at = 0;

	for (__u32 n = 0; n < make->table->nr_buckets; n++) {
		__u32 nr = make->buckets[n];

		make->buckets[n] = at;
		at += nr;
	}
	make->buckets[make->table->nr_buckets] = at;
}

/* Storing the rows has advanced each index from the start of its bucket to the end, which is the
 * start of the next bucket. Shift the indexes by one element, so that buckets[n] is the start of
 * bucket n again. */
static void restore_places(struct make *make)
{
	for (__u32 n = make->table->nr_buckets; n > 0; n--)
		make->buckets[n] = make->buckets[n - 1];
	make->buckets[0] = 0;
}

/* Return the length, up to @max, of the x86 instruction at @at if it is a no-op or padding,
 * otherwise 0. */
static size_t nop_length(const unsigned char *at, size_t max)
{
	/* length of a nopl after its prefixes, by mod and rm of its operand */
	static const unsigned char lengths[3][2] = { { 3, 4 }, { 4, 5 }, { 7, 8 } };
	size_t length = 0;
	unsigned int mod, rm;

	if (at[0] == 0x00 || at[0] == 0xcc)
		return 1;
	while (length < max && (at[length] == 0x66 || at[length] == 0x2e))
		length++;
	if (length < max && at[length] == 0x90)
		return length + 1;
	if (max - length < 3 || at[length] != 0x0f || at[length + 1] != 0x1f)
		return 0;
	mod = at[length + 2] >> 6;
	rm = at[length + 2] & 7;
	if (mod == 3 || (rm != 0 && rm != 4))
		return 0;
	length += lengths[mod][rm == 4];
	return length <= max ? length : 0;
}

static bool is_aarch64_nop(const unsigned char *at)
{
	return (!at[0] && !at[1] && !at[2] && !at[3]) ||
	       (at[0] == 0x1f && at[1] == 0x20 && at[2] == 0x03 && at[3] == 0xd5);
}

/* Return whether the bytes from @from to @to, between two functions, are only padding. If not, they
 * may be a function without rows. */
static bool is_padding(const struct cfi_elf *elf, __u64 from, __u64 to)
{
	size_t length;

	if (to - from >= PADDING || to > elf->size)
		return false;
	for (; from < to; from += length) {
		if (elf->machine == OPROFILE_UW_AARCH64)
			length = to - from >= 4 && is_aarch64_nop(elf->data + from) ? 4 : 0;
		else
			length = nop_length(elf->data + from, to - from);
		if (!length)
			return false;
	}
	return true;
}

/* The state of squeeze_rows(), which removes superfluous rows and moves the remaining rows to the
 * front of the array. */
struct squeeze {
	/* offset of the pending row: squeeze_rows() writes a row only when it knows the next row */
	__u64 offset;
	__u32 bucket, row;
	int holds;
	__u32 nr, last_rule, next_bucket;
};

/* Write the pending row. Omit it if it has the same rule as the row before it, or only describes
 * padding. @next: offset of the row after it. */
static void write_pending_row(struct make *make, struct squeeze *squeeze, __u64 next)
{
	__u32 rule = squeeze->row & 0xffff;

	if (!squeeze->holds || rule == squeeze->last_rule ||
	    (rule == NO_ROW && is_padding(make->elf, squeeze->offset, next)))
		return;
	while (squeeze->next_bucket <= squeeze->bucket)
		make->buckets[squeeze->next_bucket++] = squeeze->nr;
	make->rows[squeeze->nr++] = squeeze->row;
	squeeze->last_rule = rule;
}

/* Sort the rows of each bucket, and remove rows that have the same rule as the row before. */
static void squeeze_rows(struct make *make)
{
	const struct oprofile_uw_table *table = make->table;
	struct squeeze squeeze = { .last_rule = NO_ROW };
	__u32 first = 0;

	for (__u32 n = 0; n < table->nr_buckets; n++) {
		__u32 behind = make->buckets[n + 1];

		if (behind < first || behind > make->nr_rows)
			/* another process has changed the file; the final check of the table
			 * detects this */
			break;
		cfi_sort(make->rows + first, behind - first);
		for (__u32 i = first; i < behind; i++) {
			__u32 row = make->rows[i];
			__u64 offset =
				table->start + ((__u64)n << table->bucket_shift) + (row >> 16);

			/* If two rows have the same offset, use the second one, because it has a
			 * rule. */
			if (offset != squeeze.offset)
				write_pending_row(make, &squeeze, offset);
			squeeze.offset = offset;
			squeeze.bucket = n;
			squeeze.row = row;
			squeeze.holds = 1;
		}
		first = behind;
	}
	write_pending_row(make, &squeeze, ~0ULL);
	while (squeeze.next_bucket <= table->nr_buckets)
		make->buckets[squeeze.next_bucket++] = squeeze.nr;
	make->nr_rows = squeeze.nr;
}

/* An inferred row, before it is merged into the table's rows. */
struct inferred {
	__u32 bucket, row;
};

struct infer {
	struct make *make;
	__u64 moved;	/* file offset of the code for which rules are being inferred */
	__u64 steps, bytes;
	struct inferred *rows;
	__u32 nr, max;
	/* index of the segment to which the instructions in .decoded belong */
	unsigned int segment;
	struct cfi_decoded *decoded;	/* cache of decoded instructions, CFI_NR_DECODED elements */
};

static int note_inferred(void *data, __u64 offset, const struct oprofile_uw_rule *rule)
{
	struct infer *infer = data;
	struct make *make = infer->make;
	__u64 at = offset + infer->moved - make->table->start;
	__u32 number = number_of_rule(make, rule);
	struct inferred next = { .bucket = at >> make->table->bucket_shift, .row = 0 };

	next.row = (at & ((1U << make->table->bucket_shift) - 1)) << 16 |
		   (number == UNSUPPORTED ? NO_ROW : number);
	if (infer->nr == infer->max)
		return -EFBIG;
	infer->rows[infer->nr++] = next;
	return 0;
}

/* Infer rules for the code from the file offset @from up to @to, which the call frame information
 * does not describe. If infer->rows is NULL, only count the bytes of the code. */
static int infer_gap(struct infer *infer, __u64 from, __u64 to)
{
	const struct cfi_elf *elf = infer->make->elf;

	for (unsigned int i = 0; i < elf->nr_segments; i++) {
		const struct cfi_segment *s = &elf->segments[i];
		__u64 first = from > s->offset ? from : s->offset,
		      behind = to < s->offset + s->size ? to : s->offset + s->size;
		struct cfi_code code = {elf->data + s->offset, s->size, elf->machine,
					infer->decoded};
		int err;

		if (!s->executable || first >= behind)
			continue;
		infer->bytes += behind - first;
		infer->moved = s->offset;
		if (!infer->rows)
			continue;
		if (infer->segment != i)
			__builtin_memset(infer->decoded, 0,
					 CFI_NR_DECODED * sizeof(*infer->decoded));
		infer->segment = i;
		err = cfi_infer(&code, first - s->offset, behind - s->offset, &infer->steps,
				note_inferred, infer);
		if (err)
			return err;
	}
	return 0;
}

static int infer_gaps(struct infer *infer)
{
	const struct oprofile_uw_table *table = infer->make->table;
	const __u32 *buckets = infer->make->buckets, *rows = infer->make->rows;
	__u64 from = table->start, end = table->start + table->length;
	int err = 0;

	for (__u32 n = 0; n < table->nr_buckets; n++) {
		for (__u32 i = buckets[n]; i < buckets[n + 1] && !err; i++) {
			__u64 offset =
				table->start + ((__u64)n << table->bucket_shift) + (rows[i] >> 16);

			if ((rows[i] & 0xffff) == NO_ROW) {
				from = offset;
			} else {
				if (from < offset)
					err = infer_gap(infer, from, offset);
				from = end;
			}
		}
	}
	return err || from >= end ? err : infer_gap(infer, from, end);
}

/* Merge the @nr inferred rows at @from, which are in ascending order, into the table's rows. Merge
 * from the last row to the first, so that each row is moved before another row overwrites it. */
static void merge_rows(struct make *make, const struct inferred *from, __u32 nr)
{
	__u32 old = make->nr_rows, at = old + nr;

	for (__u32 n = make->table->nr_buckets; n-- > 0;) {
		__u32 first = make->buckets[n];

		make->buckets[n + 1] = at;
		while (old > first || (nr && from[nr - 1].bucket == n)) {
			if (nr && from[nr - 1].bucket == n &&
			    (old == first || from[nr - 1].row >> 16 >= make->rows[old - 1] >> 16)) {
				/* The inferred row replaces a row without a rule at the same
				 * offset. */
				if (old > first &&
				    from[nr - 1].row >> 16 == make->rows[old - 1] >> 16)
					old--;
				make->rows[--at] = from[--nr].row;
			} else {
				make->rows[--at] = make->rows[--old];
			}
		}
	}
	/* Each replaced row leaves an unused element at the front: move all rows to the front. */
	make->nr_rows = make->buckets[make->table->nr_buckets] - at;
	__builtin_memmove(make->rows, make->rows + at, make->nr_rows * sizeof(*make->rows));
	for (__u32 n = 1; n <= make->table->nr_buckets; n++)
		make->buckets[n] -= at;
	make->buckets[0] = 0;
}

/* Infer rules for code that has no rows, and add them to the table. */
static void add_inferred(struct make *make)
{
	struct infer infer = { .make = make, .steps = INFER_STEPS, .decoded = make->decoded };
	struct inferred *to;

	/* Do not infer rules for aarch64, where the chain of frame pointers finds more call
	 * paths. */
	if (make->table->machine == OPROFILE_UW_AARCH64)
		return;
	if (infer_gaps(&infer) || infer.bytes > MAX_INFERRED)
		return;
	infer.rows = (struct inferred *)(make->rows + ((make->nr_rows + 1) & ~1U));
	infer.max = (make->max_rows - make->nr_rows) / 3;
	if (infer_gaps(&infer))
		return;
	for (__u32 i = 0; i < infer.nr; i++) {
		if (infer.rows[i].bucket >= make->table->nr_buckets ||
		    (i && (infer.rows[i].bucket < infer.rows[i - 1].bucket ||
			   (infer.rows[i].bucket == infer.rows[i - 1].bucket &&
			    infer.rows[i].row >> 16 <= infer.rows[i - 1].row >> 16))))
			return;
	}
	to = (struct inferred *)(make->rows + (make->max_rows & ~1U)) - infer.nr;
	__builtin_memmove(to, infer.rows, infer.nr * sizeof(*to));
	merge_rows(make, to, infer.nr);
}

static void finish(struct make *make, __u32 *ret_unsupported)
{
	struct oprofile_uw_rule *to = (struct oprofile_uw_rule *)(make->rows + make->nr_rows);
	__u32 unsupported = 0;

	for (__u32 i = 0; i < make->nr_rows; i++)
		unsupported +=
			make->rules[make->rows[i] & 0xffff].cfa == OPROFILE_UW_CFA_UNSUPPORTED;
	make->table->nr_rows = make->nr_rows;
	make->table->nr_rules = make->nr_rules;
	__builtin_memmove(to, make->rules, make->nr_rules * sizeof(*to));
	if (ret_unsupported)
		*ret_unsupported = unsupported;
}

static void *aligned(void *at)
{
	return (char *)at + (-(unsigned long)at & (sizeof(__u64) - 1));
}

int cfi_table_make(const struct cfi_elf *elf, void *room, __u64 size, __u32 *ret_unsupported)
{
	static const struct oprofile_uw_rule first[] = {
		[NO_ROW] = { .cfa = OPROFILE_UW_CFA_NONE },
		[UNSUPPORTED] = { .cfa = OPROFILE_UW_CFA_UNSUPPORTED },
	};
	struct make make = { .elf = elf, .table = room };
	struct oprofile_uw_table planned;
	int err = plan(elf, &planned, &make.max_rows);

	if (err)
		return err;
	if (size < cfi_table_room(elf))
		return -ENOSPC;
	*make.table = planned;
	make.buckets = (__u32 *)(make.table + 1);
	make.rows = make.buckets + planned.nr_buckets + 1;
	make.rules = (struct oprofile_uw_rule *)(make.rows + make.max_rows);
	make.hash = (__u32 *)(make.rules + OPROFILE_UW_MAX_RULES);
	make.decoded = aligned(make.hash + HASH_SIZE);
	make.nr_stubs = cfi_stubs_find(elf, make.stubs);
	number_of_rule(&make, &first[NO_ROW]);
	number_of_rule(&make, &first[UNSUPPORTED]);

	err = process_rows(&make);
	if (err)
		return err;
	turn_counts_into_indexes(&make);
	make.putting = 1;
	err = process_rows(&make);
	if (err)
		return err;
	restore_places(&make);
	squeeze_rows(&make);
	add_inferred(&make);
	if (!make.nr_rows)
		return -ENOENT;
	finish(&make, ret_unsupported);
	/* Validate the finished table, because another process may have changed the file in the
	 * meantime. */
	return oprofile_uw_check(room, oprofile_uw_table_size(room)) ? -ESTALE : 0;
}
