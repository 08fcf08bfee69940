// SPDX-License-Identifier: GPL-2.0
/* paths_book.c -- compiles the module's book.c for its unit test. */
#include "module/paths/book.c"
