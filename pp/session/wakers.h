/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wakers.h -- samples of the tasks and interrupts that end waits, as rows of a report.
 *
 * The samples are in files of their own (libop/session/mangle.h), which are read only if
 * pp_files.wakers is set.
 */
#ifndef PP_SESSION_WAKERS_H
#define PP_SESSION_WAKERS_H

#include "pp/base/block.h"
#include "pp/base/log.h"
#include "pp/session/files.h"

/* text before the woken program in the title of a waker, as in "postgres (woke:/usr/bin/psql)" */
#define PP_WOKEN_MARK	" (woke:"

/* Append the woken program to the title of each waker's program. The title of interrupts and of the
 * kernel's threads is "kernel". Return 0 or -ENOMEM. */
int pp_wakers_to_rows(struct pp_files *files);

/* Split @title, the title of a waker's program, into the titles of the waker's program and of the
 * program that it woke. @names owns the results, and *@strings their memory. Return 0 or
 * -ENOMEM. */
int pp_waker_split(const char **waker, const char **woken, const char *title,
		   struct pp_intern *names, struct pp_block **strings);

/* Store the message that the session has no samples of wakers in @error. Return -ENODATA. */
int pp_wakers_report_none(struct op_reason *error);

#endif
