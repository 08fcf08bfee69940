// SPDX-License-Identifier: GPL-2.0
/* x86_ibs.c -- compiles the module's ibs.c for the simulated CPU. */
#include "module/x86/ibs.c"
