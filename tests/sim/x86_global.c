// SPDX-License-Identifier: GPL-2.0
/* x86_global.c -- compiles the module's global.c for the simulated CPU. */
#include "module/x86/global.c"
