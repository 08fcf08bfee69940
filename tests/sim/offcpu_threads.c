// SPDX-License-Identifier: GPL-2.0
/* offcpu_threads.c -- compiles the module's threads.c for its unit test. */
#include "module/offcpu/threads.c"
