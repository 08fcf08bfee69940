// SPDX-License-Identifier: GPL-2.0
/* path_book.c -- the file of the module, built for its unit test. */
#include "module/path_book.c"
