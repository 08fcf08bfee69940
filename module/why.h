/* SPDX-License-Identifier: GPL-2.0 */
/* why.h -- the line of the file `backend_why`: why a backend was chosen, cannot be used, or
 * cannot count everything, and the remedy. */
#ifndef OPROFILE_WHY_H
#define OPROFILE_WHY_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

struct oprofile_sampling;

/* Set the line to the reason why a backend cannot be used, without a newline at its end. Process
 * context. Return @err, a negative errno. */
int __printf(3, 4) oprofile_refuse(struct oprofile_sampling *s, int err, const char *fmt, ...);
/* Append "; " and a note to the line: a feature that works only in part. */
void __printf(2, 3) oprofile_note(struct oprofile_sampling *s, const char *fmt, ...);
/* Copy the line to @text, with a newline. */
void oprofile_why(struct oprofile_sampling *s, char *text, size_t size);

#endif
