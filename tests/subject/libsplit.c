// SPDX-License-Identifier: GPL-2.0-or-later
/* libsplit -- the half of split's work that is done in a shared library. */
#include "work.h"

WORK(split_lib_70)
WORK(split_lib_20)
WORK(split_lib_10)
