/* SPDX-License-Identifier: GPL-2.0 */
/*
 * why.h -- why something is not possible: one line for the file `backend_why`, telling what to do
 * about it.
 */
#ifndef OPROFILE_WHY_H
#define OPROFILE_WHY_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

struct oprofile_sampling;

/* Without newline; process context. Returns @err, a negative errno. */
int __printf(3, 4) oprofile_refuse(struct oprofile_sampling *s, int err, const char *fmt, ...);
/* Adds to that line: something works only in part. */
void __printf(2, 3) oprofile_note(struct oprofile_sampling *s, const char *fmt, ...);
/* With newline. */
void oprofile_why(struct oprofile_sampling *s, char *text, size_t size);

#endif
