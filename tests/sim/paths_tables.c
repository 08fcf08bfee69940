// SPDX-License-Identifier: GPL-2.0
/* paths_tables.c -- the file of the module, built for its unit test. */
#include "module/paths/tables.c"
