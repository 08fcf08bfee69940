// SPDX-License-Identifier: GPL-2.0
/* paths_tables.c -- compiles the module's tables.c for its unit test. */
#include "module/paths/tables.c"
