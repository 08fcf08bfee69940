// SPDX-License-Identifier: GPL-2.0
/* x86_detect.c -- compiles the module's detect.c for the simulated CPU. */
#include "module/x86/detect.c"
