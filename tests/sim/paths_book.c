// SPDX-License-Identifier: GPL-2.0
/* paths_book.c -- the file of the module, built for its unit test. */
#include "module/paths/book.c"
