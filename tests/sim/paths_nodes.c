// SPDX-License-Identifier: GPL-2.0
/* paths_nodes.c -- compiles the module's nodes.c for its unit test. */
#include "module/paths/nodes.c"
