/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_words.h -- options that popt reads, written short or wrong.
 *
 * For programs that link popt; every one of them that has options takes and explains them alike.
 */
#ifndef OP_OPTION_WORDS_H
#define OP_OPTION_WORDS_H

#include <popt.h>
#include <stddef.h>

/*
 * Has @con take each beginning of an option's name that no other one has: --sess for --session-dir. Not for
 * those in @whole, which ends with NULL: what cannot be undone is typed as it is called. -ENOMEM.
 */
int op_options_abbreviate(poptContext con, const struct poptOption *table, const char *const *whole);

/*
 * For a message about @bad, as poptBadOption() gives it: " (did you mean --session-dir?)", or "". Returns
 * @buffer.
 */
const char *op_options_meant(const struct poptOption *table, const char *bad, char *buffer, size_t size);

#endif
