/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_words.h -- checks for abbreviated, misspelt and repeated options, for all programs that
 * use popt.
 */
#ifndef OP_OPTION_WORDS_H
#define OP_OPTION_WORDS_H

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>

#include "libop/base/reason.h"

/*
 * Make @con accept each unambiguous prefix of an option's name, such as --sess for --session-dir.
 * @whole: names of options, ending with NULL, that must be written in full, because their effect
 * cannot be undone. Return 0 or -ENOMEM.
 */
int op_options_abbreviate(poptContext con, const struct poptOption *table,
			  const char *const *whole);

/*
 * Check that no option with a value occurs twice in @argv, which ends with NULL: popt would
 * silently use the last value. Options of which all values count may be repeated. @ends_at_word:
 * stop the check at the first word that is not an option. Return 0, -EINVAL with the cause in
 * @error, or -ENOMEM.
 */
int op_options_once(const struct poptOption *table, const char *const *argv, bool ends_at_word,
		    struct op_reason *error);

/* Write a suggestion for the unknown option @bad, a result of poptBadOption(): " (did you mean
 * --session-dir?)", or "" if no option is similar. Return @buffer. */
const char *op_options_suggest(const struct poptOption *table, const char *bad, char *buffer,
			       size_t size);

#endif
