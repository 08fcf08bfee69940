/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prepare.h -- option --prepare: makes the unwind tables and symbol tables of running programs in
 * advance, without a session.
 */
#ifndef OPD_PREPARE_H
#define OPD_PREPARE_H

#include <stdio.h>

#include "libop/base/reason.h"

/*
 * Make the unwind and symbol tables that the user's cache does not contain yet, for all files with
 * code that processes of this user have mapped. Print the numbers of tables to @out. Return 0, or a
 * negative errno with a message in @error.
 */
int opd_prepare(FILE *out, struct op_reason *error);

#endif
