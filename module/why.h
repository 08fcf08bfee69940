/* SPDX-License-Identifier: GPL-2.0 */
/*
 * why.h -- the line of the file `backend_why`: the reason why a backend cannot be used or counts
 * only a part, with the remedy.
 */
#ifndef OPROFILE_WHY_H
#define OPROFILE_WHY_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

struct oprofile_sampling;

/* Set the line to a reason without a newline. Process context. Return @err, a negative errno. */
int __printf(3, 4) oprofile_refuse(struct oprofile_sampling *s, int err, const char *fmt, ...);
/* Append "; " and a note to the line, for a feature that works only in part. */
void __printf(2, 3) oprofile_note(struct oprofile_sampling *s, const char *fmt, ...);
/* Copy the reason to @text, as one line with a newline. */
void oprofile_why(struct oprofile_sampling *s, char *text, size_t size);

#endif
