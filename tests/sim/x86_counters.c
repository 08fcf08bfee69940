// SPDX-License-Identifier: GPL-2.0
/* x86_counters.c -- compiles the module's counters.c for the simulated CPU. */
#include "module/x86/counters.c"
