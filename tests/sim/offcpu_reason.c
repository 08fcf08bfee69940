// SPDX-License-Identifier: GPL-2.0
/* offcpu_reason.c -- compiles the module's reason.c for its unit test. */
#include "module/offcpu/reason.c"
