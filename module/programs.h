/* SPDX-License-Identifier: GPL-2.0 */
/*
 * programs.h -- which program an address space runs, for the interrupt handler.
 *
 * A handler cannot ask the task: the file of a program may be replaced and freed by another thread
 * while the handler looks at it. So a task that resolves enters the program's cookie under the number
 * of its address space, which no other gets, and handlers find it there. One word an entry, written
 * at once: no lock, from any context. Two numbers that fall on one entry drive each other out; then
 * the task is asked again.
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
	u64 entry[1 << OPROFILE_PROGRAM_BITS];	/* low half: cookie; high: what its index leaves out */
};

/* An address space's program, and its cookie. */
struct oprofile_known_program {
	u64 id;			/* 0: nothing is known */
	u64 app;
};

/*
 * The current task's @mm, which its task keeps, and the program it has now (prctl() can give it
 * another): the address of that file is compared and not followed. 0: nothing to know it by.
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

	return id && (entry ^ oprofile_program_tag(id)) >> 32 == 0 ? (u32)entry : OPROFILE_NO_COOKIE;
}

static inline void oprofile_program_set(struct oprofile_programs *p, u64 id, u64 cookie)
{
	if (id && cookie <= U32_MAX)
		WRITE_ONCE(*oprofile_program_entry(p, id), oprofile_program_tag(id) | cookie);
}

/* Cookies of an earlier session mean nothing. */
static inline void oprofile_programs_clear(struct oprofile_programs *p)
{
	memset(p, 0, sizeof(*p));
}

#endif
