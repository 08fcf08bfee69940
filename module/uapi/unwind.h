/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * uapi/unwind.h -- unwind tables: their layout, their validation, and the lookup of an address.
 *
 * A table gives, for each instruction of a file, a rule that finds the caller of the instruction's
 * function. libcfi builds the table from the file's .eh_frame, the module receives it by ioctl, and
 * unwind_walk.h walks stacks by it. The kernel and user space include both headers.
 * doc/unwind-tables.md describes tables.
 */
#ifndef OPROFILE_UAPI_UNWIND_H
#define OPROFILE_UAPI_UNWIND_H

#include <linux/types.h>

#define OPROFILE_UW_INLINE	static inline __attribute__((__always_inline__, __unused__))

/* The reasons for the end of a path: enum constant, name of the counter, text in reports. The
 * reasons in OPROFILE_UW_SHORT end a path before the program's entry point is reached. */
#define OPROFILE_UW_SHORT(X)								\
	X(NO_TABLE, "no_table", "table not loaded yet")					\
	X(TABLE_SIZE, "table_size", "table too large")					\
	X(NO_ROW, "no_row", "no row")		/* no unwind rule is known, and frame pointers do
						 * not lead to a caller */	\
	X(RULE, "rule", "rule not expressible")						\
	X(REGISTER, "register", "register not known")	/* the rule needs an unknown register */ \
	X(STACK, "stack", "stack not readable")						\
	X(BACKWARDS, "backwards", "stack does not grow")				\
	X(NOT_CALLED, "not_called", "not after a call")				\
	X(DEPTH, "depth", "too deep")							\
	X(EXITING, "exiting", "task exiting")						\
	X(COPY, "copy", "copy of the stack too small")					\
	X(MAPPING, "mapping", "mapping not known")					\
	X(NOT_TAKEN, "not_taken", "no stack with the sample")				\
	X(NO_FILE, "no_file", "file not readable")	/* the file was deleted or replaced */	\
	X(LEAF, "leaf", "a caller may be missing")	/* the path reaches the entry point, but one
							 * caller may be missing */ \
	X(OUTER, "outer", "outer frames read at another time")	/* the path reaches the entry point,
								 * but its outer frames may have
								 * changed since they were read */

#define OPROFILE_UW_ENDS(X)								\
	X(GOES_ON, "goes_on", "goes on")	/* not an end: the path continues */	\
	X(WHOLE, "whole", "whole")		/* the path reaches the entry point of a program or thread */	\
	OPROFILE_UW_SHORT(X)

enum oprofile_uw_end {
#define X(end, name, words) OPROFILE_UW_##end,
	OPROFILE_UW_ENDS(X)
#undef X
	OPROFILE_UW_NR_ENDS
};

/* The method by which a frame of a path was found. A node whose value is HOW_ENDS or more is not a
 * frame: the value minus HOW_ENDS, an enum oprofile_uw_end, is the reason why the path ends. */
enum oprofile_uw_how {
	/* the frame was found by a rule of an unwind table; also used for the innermost frame */
	OPROFILE_UW_HOW_TABLE,
	OPROFILE_UW_HOW_FP,		/* the frame was found by a frame pointer */
	OPROFILE_UW_HOW_KERNEL,		/* the frame is in the kernel */
	OPROFILE_UW_HOW_ENDS = 16
};

enum oprofile_uw_machine {
	OPROFILE_UW_X86_64 = 1,
	OPROFILE_UW_I386,
	OPROFILE_UW_AARCH64,
};

/* How to compute the CFA. The CFA (canonical frame address) is the caller's stack pointer before
 * the call. */
enum oprofile_uw_cfa {
	OPROFILE_UW_CFA_NONE,		/* the table has no information about this code */
	/* the frame is the outermost one: it has no caller */
	OPROFILE_UW_CFA_END,
	/* the file describes the frame, but no rule of this format can express the description */
	OPROFILE_UW_CFA_UNSUPPORTED,
	OPROFILE_UW_CFA_SP,		/* CFA = sp + cfa_offset */
	OPROFILE_UW_CFA_FP,		/* CFA = fp + cfa_offset */
	OPROFILE_UW_CFA_REGISTER,	/* CFA = register cfa_register + cfa_offset */
	OPROFILE_UW_CFA_AT_SP,		/* CFA = the word at sp + cfa_offset, plus cfa_add words */
	OPROFILE_UW_CFA_AT_FP,		/* CFA = the word at fp + cfa_offset, plus cfa_add words */
	/* CFA = the word at sp + cfa_offset + cfa_register * word size, plus cfa_add words */
	OPROFILE_UW_CFA_AT_INDEX,
	/* CFA = sp + 1 word, or sp + 2 words if the low four bits of the pc are >= cfa_offset */
	OPROFILE_UW_CFA_PLT,
	/* a signal frame is at sp; the saved sp is at sp + cfa_offset */
	OPROFILE_UW_CFA_SIGNAL,
	/* no CFA: fp points to a frame record (the caller's fp and the return address) */
	OPROFILE_UW_CFA_PAIR,
	/* no CFA: like PAIR, but a caller may be missing between this frame and the frame that set
	 * up fp */
	OPROFILE_UW_CFA_CHAIN,
	OPROFILE_UW_NR_CFA
};

/* The location of the caller's value of a register. */
enum oprofile_uw_saved {
	OPROFILE_UW_SAME,   /* the value is still in the register */
	OPROFILE_UW_AT_CFA, /* the value is in memory at the CFA + the offset in words */
	OPROFILE_UW_AT_FP,  /* the value is in memory at fp + the offset in bytes */
	OPROFILE_UW_AT_SP,  /* the value is in memory at sp + the offset in bytes */
	/* the value is lost: the register was overwritten without being saved */
	OPROFILE_UW_LOST,
	/* used only for "other": the return address is not in memory, but in the register whose
	 * number is the offset */
	OPROFILE_UW_RETURN,
	OPROFILE_UW_NR_SAVED
};

/*
 * The unwind rule of one or more rows. Registers have DWARF's numbers for their machine. "other" is
 * one more register: on x86 rbx or ebx (ld.so's lazy resolver computes its CFA from it), on aarch64
 * the link register. On x86 the return address is always in the word below the CFA.
 */
struct oprofile_uw_rule {
	__s32 cfa_offset;
	__u8 cfa;			/* rule for the CFA, enum oprofile_uw_cfa */
	__u8 cfa_register;
	__u8 cfa_add;
	/* where the caller's registers are, enum oprofile_uw_saved: bits 0 to 3 for the frame
	 * pointer, bits 4 to 7 for "other" */
	__u8 saved;
	__s16 fp_offset;
	__s16 other_offset;
};

/*
 * An unwind table consists of this header, buckets[nr_buckets + 1], rows[nr_rows] and
 * rules[nr_rules], in the byte order of the machine. Offsets are relative to the start of the file.
 * Bucket n contains the rows buckets[n] to buckets[n + 1] - 1, for the offsets from start + (n <<
 * bucket_shift) on. A row is (offset in the bucket) << 16 | number of a rule. Rows are in ascending
 * order. A row is valid up to the next row, which may be in a later bucket.
 */
#define OPROFILE_UW_MAGIC	0x5755504fU	/* the bytes "OPUW" */
#define OPROFILE_UW_VERSION	1
#define OPROFILE_UW_MIN_SHIFT	6
#define OPROFILE_UW_MAX_SHIFT	16
#define OPROFILE_UW_MAX_RULES	65536
#define OPROFILE_UW_MAX_ROWS	(1U << 24)
#define OPROFILE_UW_MAX_BUCKETS	(1U << 24)

struct oprofile_uw_table {
	__u32 magic;
	__u16 version;
	__u8 machine;			/* machine of the code, enum oprofile_uw_machine */
	__u8 bucket_shift;
	__u64 start, length;		/* the range of offsets that the table describes */
	__u32 nr_buckets, nr_rows, nr_rules;
	__u32 reserved;
};

OPROFILE_UW_INLINE const __u32 *oprofile_uw_buckets(const struct oprofile_uw_table *table)
{
	return (const __u32 *)(table + 1);
}

OPROFILE_UW_INLINE const __u32 *oprofile_uw_rows(const struct oprofile_uw_table *table)
{
	return oprofile_uw_buckets(table) + table->nr_buckets + 1;
}

OPROFILE_UW_INLINE const struct oprofile_uw_rule *
oprofile_uw_rules(const struct oprofile_uw_table *table)
{
	return (const struct oprofile_uw_rule *)(oprofile_uw_rows(table) + table->nr_rows);
}

OPROFILE_UW_INLINE __u64 oprofile_uw_table_size(const struct oprofile_uw_table *table)
{
	return sizeof(*table) + ((__u64)table->nr_buckets + 1 + table->nr_rows) * sizeof(__u32) +
	       (__u64)table->nr_rules * sizeof(struct oprofile_uw_rule);
}

/* Return the rule for @offset of the file, or NULL if the table has no row for it. The table must
 * have been checked. */
OPROFILE_UW_INLINE const struct oprofile_uw_rule *
oprofile_uw_lookup(const struct oprofile_uw_table *table, __u64 offset)
{
	const __u32 *buckets = oprofile_uw_buckets(table), *rows = oprofile_uw_rows(table);
	const struct oprofile_uw_rule *rule;
	__u32 bucket, low, first, behind;

	if (offset < table->start || offset - table->start >= table->length)
		return 0;
	offset -= table->start;
	bucket = offset >> table->bucket_shift;
	low = offset & ((1U << table->bucket_shift) - 1);
	first = buckets[bucket];
	behind = buckets[bucket + 1];
	while (first < behind) {
		__u32 middle = first + (behind - first) / 2;

		if (rows[middle] >> 16 <= low)
			first = middle + 1;
		else
			behind = middle;
	}
	if (!first)
		return 0;
	rule = &oprofile_uw_rules(table)[rows[first - 1] & 0xffff];
	return rule->cfa == OPROFILE_UW_CFA_NONE ? 0 : rule;
}

/* The defects that the validation of an unwind table can find. */
#define OPROFILE_UW_FAULTS(X)						\
	X(SOUND, "sound")						\
	X(FAULT_SIZE, "its size is not what its header says")		\
	X(FAULT_VERSION, "another format or version")			\
	X(FAULT_MACHINE, "another machine")				\
	X(FAULT_RANGE, "a range that cannot be")			\
	X(FAULT_BUCKETS, "buckets out of order or range")		\
	X(FAULT_ROWS, "rows out of order or range")			\
	X(FAULT_RULES, "a rule that means nothing")

enum oprofile_uw_fault {
#define X(name, words) OPROFILE_UW_##name,
	OPROFILE_UW_FAULTS(X)
#undef X
};

OPROFILE_UW_INLINE unsigned int oprofile_uw_nr_registers(unsigned int machine)
{
	switch (machine) {
	case OPROFILE_UW_X86_64: return 16;
	case OPROFILE_UW_I386: return 8;
	case OPROFILE_UW_AARCH64: return 32;	/* number 31 stands for sp */
	}
	return 0;
}

OPROFILE_UW_INLINE enum oprofile_uw_fault
oprofile_uw_check_header(const struct oprofile_uw_table *table, __u64 size)
{
	if (size < sizeof(*table))
		return OPROFILE_UW_FAULT_SIZE;
	if (table->magic != OPROFILE_UW_MAGIC || table->version != OPROFILE_UW_VERSION ||
	    table->reserved)
		return OPROFILE_UW_FAULT_VERSION;
	if (!oprofile_uw_nr_registers(table->machine))
		return OPROFILE_UW_FAULT_MACHINE;
	if (table->bucket_shift < OPROFILE_UW_MIN_SHIFT ||
	    table->bucket_shift > OPROFILE_UW_MAX_SHIFT || !table->length ||
	    table->start + table->length < table->start)
		return OPROFILE_UW_FAULT_RANGE;
	if (!table->nr_buckets || table->nr_buckets > OPROFILE_UW_MAX_BUCKETS ||
	    ((table->length - 1) >> table->bucket_shift) + 1 != table->nr_buckets)
		return OPROFILE_UW_FAULT_BUCKETS;
	if (table->nr_rows > OPROFILE_UW_MAX_ROWS)
		return OPROFILE_UW_FAULT_ROWS;
	if (table->nr_rules > OPROFILE_UW_MAX_RULES)
		return OPROFILE_UW_FAULT_RULES;
	return oprofile_uw_table_size(table) == size ? OPROFILE_UW_SOUND : OPROFILE_UW_FAULT_SIZE;
}

/* Check the buckets from @first up to but not including @behind. The table's header must be
 * valid. The kernel checks a large table in several calls, with pauses between them. */
OPROFILE_UW_INLINE enum oprofile_uw_fault
oprofile_uw_check_buckets(const struct oprofile_uw_table *table, __u32 first, __u32 behind)
{
	const __u32 *buckets = oprofile_uw_buckets(table), *rows = oprofile_uw_rows(table);

	for (__u32 n = first; n < behind; n++) {
		if (buckets[n] > buckets[n + 1] || buckets[n + 1] > table->nr_rows)
			return OPROFILE_UW_FAULT_BUCKETS;
		for (__u32 i = buckets[n]; i < buckets[n + 1]; i++)
			if (rows[i] >> 16 >> table->bucket_shift ||
			    (rows[i] & 0xffff) >= table->nr_rules ||
			    (i > buckets[n] && rows[i] >> 16 <= rows[i - 1] >> 16))
				return OPROFILE_UW_FAULT_ROWS;
	}
	return OPROFILE_UW_SOUND;
}

OPROFILE_UW_INLINE int oprofile_uw_rule_sound(const struct oprofile_uw_rule *rule,
					      unsigned int machine)
{
	unsigned int fp = rule->saved & 15, other = rule->saved >> 4;

	if (rule->cfa >= OPROFILE_UW_NR_CFA || fp >= OPROFILE_UW_RETURN ||
	    other >= OPROFILE_UW_NR_SAVED)
		return 0;
	if (rule->cfa_register >= oprofile_uw_nr_registers(machine))
		return 0;
	return other != OPROFILE_UW_RETURN || (rule->other_offset >= 0 &&
		(unsigned int)rule->other_offset < oprofile_uw_nr_registers(machine));
}

/* Check the last bucket and the rules of a table. The header and the other buckets must have been
 * checked already. */
OPROFILE_UW_INLINE enum oprofile_uw_fault
oprofile_uw_check_rest(const struct oprofile_uw_table *table)
{
	const __u32 *buckets = oprofile_uw_buckets(table);

	if (buckets[0] || buckets[table->nr_buckets] != table->nr_rows)
		return OPROFILE_UW_FAULT_BUCKETS;
	for (__u32 i = 0; i < table->nr_rules; i++)
		if (!oprofile_uw_rule_sound(&oprofile_uw_rules(table)[i], table->machine))
			return OPROFILE_UW_FAULT_RULES;
	return OPROFILE_UW_SOUND;
}

/* Check whether the @size bytes at @table, aligned to 8, are a valid table. All other functions of
 * this file may be called only with a valid table. */
OPROFILE_UW_INLINE enum oprofile_uw_fault oprofile_uw_check(const struct oprofile_uw_table *table,
							    __u64 size)
{
	enum oprofile_uw_fault fault = oprofile_uw_check_header(table, size);

	if (!fault)
		fault = oprofile_uw_check_buckets(table, 0, table->nr_buckets);
	return fault ? fault : oprofile_uw_check_rest(table);
}

#endif
