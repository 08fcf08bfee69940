// SPDX-License-Identifier: GPL-2.0-or-later
/* libsplit -- the shared library in which split.c does half of its work. */
#include "work.h"

WORK(split_lib_70)
WORK(split_lib_20)
WORK(split_lib_10)
