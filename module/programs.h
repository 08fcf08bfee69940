/* SPDX-License-Identifier: GPL-2.0 */
/*
 * programs.h -- a lockless table of address spaces and the cookies of their programs, for interrupt
 * handlers.
 *
 * A handler cannot read the task's executable file, because another thread may replace and free it.
 * So lookups store the program's cookie in this table, under the number of the address space, which
 * is never reused. An entry is one word, so reads and writes are atomic in any context. If two
 * programs have the same entry, the later one replaces the earlier one. A handler then requests the
 * cookie of the earlier one again.
 */
#ifndef OPROFILE_PROGRAMS_H
#define OPROFILE_PROGRAMS_H

#include <linux/hash.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/types.h>

#include "compat/compat.h"
#include "uapi/oprofile.h"

#define OPROFILE_PROGRAM_BITS	12

struct oprofile_programs {
	/* lower half: the cookie of the program's file; upper half: the bits of the program's id
	 * that are not part of the entry's index */
	u64 entry[1 << OPROFILE_PROGRAM_BITS];
};

/* A program: the id of an address space and its executable file, and the file's cookie. */
struct oprofile_known_program {
	u64 id;			/* id of the program; 0: unknown */
	u64 app;
};

/*
 * Return the id of a program: a number that identifies the address space @mm of the current task
 * together with its executable file @exe, which prctl() can replace. Only the pointer value @exe is
 * used; the file is not accessed. Return 0 if @mm has no number.
 */
static inline u64 oprofile_program_id_by(const struct mm_struct *mm, const struct file *exe)
{
	u64 id = oprofile_mm_id(mm);

	return id ? id ^ (u64)hash_ptr(exe, 32) << OPROFILE_PROGRAM_BITS : 0;
}

static inline u64 oprofile_program_id(const struct mm_struct *mm)
{
	return oprofile_program_id_by(mm, rcu_access_pointer(mm->exe_file));
}

static inline u64 *oprofile_program_entry(struct oprofile_programs *p, u64 id)
{
	return &p->entry[id & ((1 << OPROFILE_PROGRAM_BITS) - 1)];
}

static inline u64 oprofile_program_tag(u64 id)
{
	return id >> OPROFILE_PROGRAM_BITS << 32;
}

static inline u64 oprofile_program_of(struct oprofile_programs *p, u64 id)
{
	u64 entry = READ_ONCE(*oprofile_program_entry(p, id));

	return id && (entry ^ oprofile_program_tag(id)) >> 32 == 0 ? (u32)entry :
								     OPROFILE_NO_COOKIE;
}

static inline void oprofile_program_set(struct oprofile_programs *p, u64 id, u64 cookie)
{
	if (id && cookie <= U32_MAX)
		WRITE_ONCE(*oprofile_program_entry(p, id), oprofile_program_tag(id) | cookie);
}

/* Remove all entries, because cookies of an earlier session are invalid. */
static inline void oprofile_programs_clear(struct oprofile_programs *p)
{
	memset(p, 0, sizeof(*p));
}

#endif
