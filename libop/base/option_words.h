/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_words.h -- abbreviated and misspelt options, for all programs that use popt.
 */
#ifndef OP_OPTION_WORDS_H
#define OP_OPTION_WORDS_H

#include <popt.h>
#include <stddef.h>

/*
 * Make @con accept each unambiguous prefix of an option's name, such as --sess for --session-dir.
 * The options in @whole, which ends with NULL, must be written in full because their effect cannot
 * be undone. Return 0 or -ENOMEM.
 */
int op_options_abbreviate(poptContext con, const struct poptOption *table,
			  const char *const *whole);

/*
 * Write a suggestion for @bad, the result of poptBadOption(): " (did you mean --session-dir?)", or
 * "". Return @buffer.
 */
const char *op_options_meant(const struct poptOption *table, const char *bad, char *buffer,
			     size_t size);

#endif
