/* SPDX-License-Identifier: GPL-2.0 */
/* paths/words.h -- reading of words of a program's stack, with one access check for many words. */
#ifndef OPROFILE_PATHS_WORDS_H
#define OPROFILE_PATHS_WORDS_H

#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "uapi/unwind.h"

/* The highest user address, and a mask of the bits that user addresses may have. */
struct oprofile_user_words {
	u64 last, bits;
};

static __always_inline struct oprofile_user_words oprofile_user_words(void)
{
	struct oprofile_user_words all = { .last = TASK_SIZE_MAX - 8 };

	all.bits = (2ULL << ilog2(all.last)) - 1;
	OPTIMIZER_HIDE_VAR(all.bits);	/* prevents the compiler from removing the mask */
	return all;
}

/*
 * Read a word between user_access_begin() and user_access_end(), where no function may be called.
 * The walk uses the word as its next address, so mask it by the bits of user addresses: the CPU
 * must not read kernel memory speculatively.
 */
static __always_inline int oprofile_open_word(void *data, __u64 address, unsigned int size,
					      __u64 *value)
{
	const struct oprofile_user_words *all = data;

	if (unlikely(address > all->last))
		return OPROFILE_UW_STACK;
	address &= all->bits;
	unsafe_get_user(*value, (const u64 __user *)(unsigned long)address, fault);
	return 0;
fault:
	return OPROFILE_UW_STACK;
}

#endif
